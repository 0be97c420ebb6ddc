import { syncBuiltinESMExports } from 'node:module'
import timers from 'node:timers/promises'
import type { Dice } from '../support/dice.js'

/** An actor in the simulated world: once dead its events never happen; while paused they happen later. */
export interface Owner {
  alive: boolean
  /** Paused until then; in the past: not paused. */
  resumesAtMs: number
}

/** An event that will happen, unless it is cancelled. */
export interface Due {
  cancel(): void
}

interface Planned {
  readonly atMs: number
  readonly place: number
  readonly owner: Owner
  /** null: cancelled, so that nothing is retained for it. */
  happen: (() => void) | null
}

/** A clock that only moves from one event to the next, in an order that depends on the seed alone. */
export interface VirtualTime {
  readonly nowMs: number
  /** Counts the events: messages sent within one event travel together. */
  readonly turn: number
  after(delayMs: number, owner: Owner, happen: () => void): Due
  /** Runs the events planned until then; each event's consequences are drained before the next. */
  run(untilMs: number): Promise<void>
  /** Restores the process's own clock and timers. */
  close(): void
}

/** Timers fire late by up to this, in milliseconds, as in a busy process; idle loops then cost fewer events. */
const lateMsMax = 60

/**
 * Takes over `performance.now` and the sleep of `node:timers/promises`, so that the real code runs in virtual time. A sleep belongs to
 * the owner in whose event it began.
 */
export function createVirtualTime(dice: Dice): VirtualTime {
  const heap = createHeap()
  const nobody: Owner = { alive: true, resumesAtMs: 0 }
  const real = { sleep: timers.setTimeout, now: performance.now, stack: Error.stackTraceLimit }
  let [nowMs, turn, places] = [1_000, 0, 0]
  let current = nobody

  function plan(atMs: number, owner: Owner, happen: () => void): Planned {
    places += 1
    const planned: Planned = { atMs, place: places, owner, happen }
    heap.push(planned)
    return planned
  }

  const time: VirtualTime = {
    get nowMs() {
      return nowMs
    },
    get turn() {
      return turn
    },
    after(delayMs, owner, happen) {
      const planned = plan(nowMs + Math.max(0, delayMs), owner, happen)
      return {
        cancel() {
          planned.happen = null
        },
      }
    },
    async run(untilMs) {
      for (let next = heap.peek(); next !== undefined && next.atMs <= untilMs; next = heap.peek()) {
        heap.pop()
        const { happen } = next
        if (happen === null || !next.owner.alive) continue
        if (next.owner.resumesAtMs > next.atMs) {
          next.happen = null
          plan(next.owner.resumesAtMs, next.owner, happen)
          continue
        }
        nowMs = Math.max(nowMs, next.atMs)
        turn += 1
        current = next.owner
        happen()
        await drained()
      }
      nowMs = Math.max(nowMs, untilMs)
      current = nobody
    },
    close() {
      timers.setTimeout = real.sleep
      performance.now = real.now
      Error.stackTraceLimit = real.stack
      syncBuiltinESMExports()
    },
  }

  function sleep<T>(ms = 0, value?: T, { signal }: { signal?: AbortSignal } = {}): Promise<T> {
    return new Promise((resolve, reject) => {
      const due = time.after(ms + dice.next() * lateMsMax, current, () => resolve(value as T))
      signal?.addEventListener('abort', () => {
        due.cancel()
        reject(new Error('aborted'))
      })
    })
  }
  timers.setTimeout = sleep as typeof timers.setTimeout
  performance.now = () => nowMs
  // Thousands of faults are thrown, and nobody reads their stacks.
  Error.stackTraceLimit = 2
  syncBuiltinESMExports()
  return time
}

/** Resolves when all promises that can settle have settled. */
function drained(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}

interface Heap {
  push(planned: Planned): void
  peek(): Planned | undefined
  pop(): void
}

function createHeap(): Heap {
  const items: Planned[] = []
  const earlier = (left: Planned, right: Planned) =>
    left.atMs < right.atMs || (left.atMs === right.atMs && left.place < right.place)

  return {
    peek: () => items[0],
    push(planned) {
      let at = items.length
      while (at > 0) {
        const parent = (at - 1) >> 1
        if (!earlier(planned, items[parent]!)) break
        items[at] = items[parent]!
        at = parent
      }
      items[at] = planned
    },
    pop() {
      const last = items.pop()
      if (last === undefined || items.length === 0) return
      let at = 0
      for (;;) {
        let child = 2 * at + 1
        if (child >= items.length) break
        if (child + 1 < items.length && earlier(items[child + 1]!, items[child]!)) child += 1
        if (!earlier(items[child]!, last)) break
        items[at] = items[child]!
        at = child
      }
      items[at] = last
    },
  }
}
