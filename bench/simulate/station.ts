import type { EventQueue } from './event-queue.js'

/** A part with so many servers and one queue before them, first come first served. */
export interface Station {
  /** Serves for so many seconds once a server is free, then does `done`. */
  serve(seconds: number, done: () => void): void
  /** Seconds for which its servers have been at work, summed. */
  readonly busy: number
  /** Seconds for which everybody has waited, summed, and how many came. */
  readonly waited: number
  readonly served: number
}

export function createStation(queue: EventQueue, servers: number): Station {
  const waiting: { readonly since: number; readonly seconds: number; readonly done: () => void }[] = []
  let first = 0
  let free = servers
  let busy = 0
  let waited = 0
  let served = 0

  function begin(seconds: number, done: () => void): void {
    free -= 1
    busy += seconds
    served += 1
    queue.plan(queue.now + seconds, () => {
      free += 1
      next()
      done()
    })
  }

  function next(): void {
    if (free === 0 || first === waiting.length) return
    const { since, seconds, done } = waiting[first]!
    first += 1
    // What was served is let go of now and then, not one by one.
    if (first > 1_000 && first * 2 > waiting.length) {
      waiting.splice(0, first)
      first = 0
    }
    waited += queue.now - since
    begin(seconds, done)
  }

  return {
    serve(seconds, done) {
      if (free > 0) begin(seconds, done)
      else waiting.push({ since: queue.now, seconds, done })
    },
    get busy() {
      return busy
    },
    get waited() {
      return waited
    },
    get served() {
      return served
    },
  }
}
