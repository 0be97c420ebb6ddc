/** Pauses of this process: it was stopped, or its event loop blocked. */
export interface Stalls {
  /** True when one ended within the last `ms` milliseconds: requests that seem late may have arrived in time. */
  within(ms: number): boolean
  stop(): void
}

/**
 * @param everyMs  interval of reading the clock
 * @param stallMs  interval between two readings that counts as a pause; more than `everyMs`
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
      // After a pause other timers may run first.
      look()
      return performance.now() - endedAtMs < ms
    },
    stop: () => clearInterval(timer),
  }
}
