/** A server that says nothing to anybody for so long counts as out of reach, in milliseconds: a third of a basket's usual deadline. */
export const hangMsDefault = 150

/** A timer of ours that is later than this, in milliseconds, tells of a machine that stood still, and the server with it. */
const stalledMs = 50

/** How a wait for the server ended without its reply: it hangs, or it talks and had no time for us. */
export type GivenUp = 'timeout' | 'busy'

export interface Wait {
  /** `performance.now()` after which nobody waits any more. */
  readonly untilMs: number
  /** Whether a server that hangs ends the wait before that: false where the outcome would be in doubt. */
  readonly endsOnSilence: boolean
}

/**
 * Tells a server that hangs from one that is slow because much is asked of it: replies to other calls are signs of life, so a
 * wait in the crowd is never mistaken for an outage (wire decisions 6).
 */
export interface Pulse {
  /** The server has replied to somebody. */
  beat(): void
  /** Whether it has been silent for `hangMs` and longer. */
  silent(): boolean
  /** Calls back once when a wait that begins now is over; the function returned ends the watch before that. */
  watch(wait: Wait, giveUp: (why: GivenUp) => void): () => void
}

/** @param hangMs  a server that says nothing to anybody for so long counts as out of reach, in milliseconds */
export function createPulse(hangMs: number = hangMsDefault): Pulse {
  let heardAtMs = Number.NEGATIVE_INFINITY
  return {
    beat() {
      heardAtMs = performance.now()
    },
    silent: () => performance.now() - heardAtMs >= hangMs,
    watch({ untilMs, endsOnSilence }, giveUp) {
      let listeningSinceMs = performance.now()
      let timer: NodeJS.Timeout
      let over = false
      function look(dueAtMs: number): void {
        if (over) return
        const nowMs = performance.now()
        if (nowMs - dueAtMs > stalledMs) listeningSinceMs = nowMs
        const silentAtMs = Math.max(heardAtMs, listeningSinceMs) + hangMs
        const nextAtMs = endsOnSilence ? Math.min(silentAtMs, untilMs) : untilMs
        if (nowMs >= nextAtMs) {
          giveUp(endsOnSilence && nowMs >= silentAtMs ? 'timeout' : 'busy')
          return
        }
        // One more turn of the event loop: a reply that arrived while this process was busy is in time.
        timer = setTimeout(() => setImmediate(look, nextAtMs), nextAtMs - nowMs)
      }
      look(listeningSinceMs)
      return () => {
        over = true
        clearTimeout(timer)
      }
    },
  }
}
