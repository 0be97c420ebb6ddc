/** Moments at which this process stood still: it was stopped, or its event loop blocked. */
export interface Stalls {
  /** Whether one ended within so many milliseconds: whatever seems late since then may have come in time. */
  within(ms: number): boolean
  stop(): void
}

/**
 * @param everyMs  how often the clock is looked at
 * @param stallMs  without a look for so long, the process stood still; more than `everyMs`
 */
export function watchStalls(everyMs: number, stallMs: number): Stalls {
  let lookedAtMs = performance.now()
  let endedAtMs = Number.NEGATIVE_INFINITY
  const look = () => {
    const nowMs = performance.now()
    if (nowMs - lookedAtMs >= stallMs) endedAtMs = nowMs
    lookedAtMs = nowMs
  }
  const timer = setInterval(look, everyMs).unref()
  return {
    within(ms) {
      // After a stall the timers of others may come first.
      look()
      return performance.now() - endedAtMs < ms
    },
    stop: () => clearInterval(timer),
  }
}
