/** Things to do at moments of simulated time, in seconds; those of one moment in the order in which they were planned. */
export interface EventQueue {
  /** Now. */
  readonly now: number
  /** @param at  not before now */
  plan(at: number, work: () => void): void
  /** Does everything in its order until nothing is left. */
  run(): void
}

interface Planned {
  readonly at: number
  readonly order: number
  readonly work: () => void
}

/** A binary heap: half a million requests are some millions of events. */
export function createEventQueue(): EventQueue {
  const heap: Planned[] = []
  let now = 0
  let planned = 0

  function plan(at: number, work: () => void): void {
    const item = { at, order: planned, work }
    planned += 1
    let place = heap.length
    heap.push(item)
    while (place > 0) {
      const parent = (place - 1) >> 1
      if (!isBefore(item, heap[parent]!)) break
      heap[place] = heap[parent]!
      place = parent
    }
    heap[place] = item
  }

  function takeFirst(): Planned {
    const first = heap[0]!
    const last = heap.pop()!
    if (heap.length > 0) sink(last)
    return first
  }

  function sink(item: Planned): void {
    let place = 0
    for (;;) {
      let child = 2 * place + 1
      if (child >= heap.length) break
      if (child + 1 < heap.length && isBefore(heap[child + 1]!, heap[child]!)) child += 1
      if (!isBefore(heap[child]!, item)) break
      heap[place] = heap[child]!
      place = child
    }
    heap[place] = item
  }

  return {
    get now() {
      return now
    },
    plan,
    run() {
      while (heap.length > 0) {
        const { at, work } = takeFirst()
        now = at
        work()
      }
    },
  }
}

function isBefore(left: Planned, right: Planned): boolean {
  return left.at < right.at || (left.at === right.at && left.order < right.order)
}
