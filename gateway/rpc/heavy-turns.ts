import { setTimeout as sleep } from 'node:timers/promises'
import { type RoleName, roleNames } from '../config/roles.js'

/** Heavy calls that run at once, and that wait for their turn, of each role; the next one is refused. */
export const heavyAtOnce = 2
export const heavyWaitingMax = 64

/**
 * How long the next heavy call waits for each part that was decoded or written for those before it, in milliseconds: a pause for what was
 * counted, not a bound on what heavy calls take of the main thread.
 */
const pauseMsPerWeight = 25 / 20_000
/** What is written costs the main thread about as much as a part for so many bytes. */
const bytesPerWeight = 16

/**
 * Turns of heavy calls: few at once, those of admins first, of readers last, so that no reader keeps changes from being made, else in
 * the order of their coming, and with pauses for what they cost the main thread.
 */
export interface HeavyTurns {
  /** Resolves when the pauses of what came before are over; what weighs so much begins then. Rejects with the signal's reason. */
  pace(weight: number, signal: AbortSignal): Promise<void>
  /** An answer was written. */
  wrote(bytes: number): void
  /** Resolves when the call may begin, to what ends its turn; null: too many of its role wait. Rejects with the signal's reason. */
  take(role: RoleName, signal: AbortSignal): Promise<(() => void) | null>
}

export function createHeavyTurns(): HeavyTurns {
  const waiting = new Map(roleNames.toReversed().map((role) => [role, new Set<() => void>()]))
  let running = 0
  let freeAtMs = 0

  function pause(weight: number): void {
    freeAtMs = Math.max(freeAtMs, performance.now()) + weight * pauseMsPerWeight
  }

  function end(): void {
    running -= 1
    for (const queue of waiting.values()) {
      for (const next of queue) {
        queue.delete(next)
        next()
        return
      }
    }
  }

  function begin(): () => void {
    running += 1
    let ended = false
    return () => {
      if (ended) return
      ended = true
      end()
    }
  }

  return {
    async pace(weight, signal) {
      for (;;) {
        const leftMs = freeAtMs - performance.now()
        if (leftMs <= 0) break
        await sleep(leftMs, undefined, { signal })
      }
      pause(weight)
    },
    wrote: (bytes) => pause(bytes / bytesPerWeight),
    async take(role, signal) {
      signal.throwIfAborted()
      if (running < heavyAtOnce) return begin()
      const queue = waiting.get(role)!
      if (queue.size >= heavyWaitingMax) return null
      return await new Promise((resolve, reject) => {
        const next = () => {
          signal.removeEventListener('abort', give)
          resolve(begin())
        }
        const give = () => {
          queue.delete(next)
          reject(signal.reason)
        }
        queue.add(next)
        signal.addEventListener('abort', give, { once: true })
      })
    },
  }
}
