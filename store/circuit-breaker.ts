import { StoreFault } from './fault.js'
import { withMethods } from './with-methods.js'

/** Faults in a row that open a store's circuit: enough to forgive a hiccup, few enough to spare a deadline. */
const breakerFailuresMax = 5

/** Pause between two probes of a store whose circuit is open, in milliseconds: its return is seen well within a second. */
const breakerProbeMs = 250

export interface BreakerOptions {
  readonly failuresMax?: number
  readonly probeMs?: number
  /** Which faults count; default every StoreFault but `full` and `busy`, for these are answers of a store that is there. */
  readonly counts?: (fault: unknown) => boolean
  readonly onChange?: (open: boolean) => void
}

/** For a store that measures its outage: connections that break while new ones can be had never open the circuit. */
export const openOnLastingOutage = {
  failuresMax: 1,
  counts: (fault: unknown) => isOutage(fault) && fault.lasting,
} as const

/**
 * The store behind a circuit breaker: after faults in a row that count, every call rejects at once with StoreFault `unreachable`, `lasting`,
 * until the store has answered a ping of the breaker. Then the first fault opens the circuit again, until a call succeeds. `close` passes
 * through and ends the probing; every other method must return a promise.
 */
export function withBreaker<T extends { ping(): Promise<void>; close(): Promise<void> }>(
  name: StoreFault['store'],
  store: T,
  { failuresMax = breakerFailuresMax, probeMs = breakerProbeMs, counts = isOutage, onChange }: BreakerOptions = {},
): T {
  let failuresLeft = failuresMax
  let openings = 0
  let isOpen = false
  let probe: NodeJS.Timeout | undefined
  let closed = false

  function settled(openingsAtStart: number, fault?: unknown): void {
    if (isOpen || closed || openingsAtStart !== openings) return
    failuresLeft = counts(fault) ? failuresLeft - 1 : failuresMax
    if (failuresLeft > 0) return
    isOpen = true
    openings += 1
    probeLater()
    onChange?.(true)
  }

  function probeLater(): void {
    probe = setTimeout(() => {
      store.ping().then(askAgain, (fault) => (counts(fault) ? probeLater() : askAgain()))
    }, probeMs).unref()
    if (closed) clearTimeout(probe)
  }

  function askAgain(): void {
    isOpen = false
    failuresLeft = 1
    onChange?.(false)
  }

  return withMethods(store, (path, method) => {
    if (path === 'close') {
      return () => {
        closed = true
        clearTimeout(probe)
        return method()
      }
    }
    return async (...args) => {
      if (isOpen) throw new StoreFault(name, 'unreachable', { lasting: true })
      const openingsAtStart = openings
      try {
        const reply = await method(...args)
        settled(openingsAtStart)
        return reply
      } catch (error) {
        settled(openingsAtStart, error)
        throw error
      }
    }
  })
}

/** `full` is an answer, and a store that is busy answers others: both are there. */
function isOutage(fault: unknown): fault is StoreFault {
  return fault instanceof StoreFault && fault.kind !== 'full' && fault.kind !== 'busy'
}
