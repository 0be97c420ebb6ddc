import { ConsecutiveBreaker, circuitBreaker, handleWhen } from 'cockatiel'
import { StoreFault } from './index.js'

type StoreName = StoreFault['store']

/** Faults in a row after which the circuit to a store opens: enough to forgive a hiccup, few enough to spare a deadline. */
const breakerFailuresMax = 5

/** Pause between two looks at a store while its circuit is open, in milliseconds: its return is seen well within a second. */
const breakerProbeMs = 250

/**
 * Settles as `work` does, or rejects with a StoreFault `timeout` once `ms` milliseconds have passed. What comes later than
 * that is dropped, a rejection too.
 */
export function withinTime<T>(store: StoreName, ms: number, work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    // One more turn of the event loop: a reply that arrived while this process was busy is there already, and in time.
    const timer = setTimeout(() => setImmediate(() => reject(new StoreFault(store, 'timeout'))), ms)
    work.then(resolve, reject).finally(() => clearTimeout(timer))
  })
}

export interface BreakerOptions {
  /** Default `breakerFailuresMax`. */
  readonly failuresMax?: number
  /** Default `breakerProbeMs`. */
  readonly probeMs?: number
  /** Which faults count; default every StoreFault but `full` and `busy`, for these are answers of a store that is there. */
  readonly counts?: (fault: unknown) => boolean
  /** Notified when the circuit opens (`true`) and closes (`false`): for the log and metrics. */
  readonly onChange?: (open: boolean) => void
}

/**
 * For a store that measures itself how long it has been out of reach: the first fault that says so opens the circuit. Connections
 * that break while new ones can be had never do.
 */
export const openOnLastingOutage = {
  failuresMax: 1,
  counts: (fault: unknown) => isOutage(fault) && fault.lasting,
} as const

/**
 * The same store behind a circuit breaker: after some StoreFaults in a row that count (`BreakerOptions`) every call
 * rejects at once with StoreFault `unreachable`, `lasting`, until the store has answered a ping of the breaker's own. No caller ever
 * waits for a probe. After that the first fault opens it again, the first success makes it forgive as before.
 * Only promises are guarded: `clock()` passes through, and so does `close()`, which ends the probing.
 */
export function withBreaker<T extends { ping(): Promise<void>; close(): Promise<void> }>(
  name: StoreName,
  store: T,
  options: BreakerOptions = {},
): T {
  const { failuresMax = breakerFailuresMax, probeMs = breakerProbeMs, counts = isOutage, onChange } = options
  // Opening and closing go by `isolate`: the policy's own pause is measured by the wall clock, which may be set back.
  const policy = circuitBreaker(handleWhen(counts), {
    breaker: new ConsecutiveBreaker(failuresMax),
    halfOpenAfter: probeMs,
  })
  let isolation: { dispose(): void } | null = null
  let probe: NodeJS.Timeout | undefined
  let closed = false
  policy.onBreak((reason) => {
    if ('isolated' in reason || closed) return
    isolation = policy.isolate()
    probeLater()
    onChange?.(true)
  })

  function probeLater(): void {
    probe = setTimeout(() => {
      store.ping().then(askAgain, (fault) => (counts(fault) ? probeLater() : askAgain()))
    }, probeMs).unref()
    if (closed) clearTimeout(probe)
  }

  function askAgain(): void {
    isolation?.dispose()
    isolation = null
    onChange?.(false)
  }

  function guard(method: (...args: unknown[]) => unknown) {
    return (...args: unknown[]): Promise<unknown> =>
      isolation === null
        ? policy.execute(async () => method.apply(store, args))
        : Promise.reject(new StoreFault(name, 'unreachable', { lasting: true }))
  }

  function close(): Promise<void> {
    closed = true
    clearTimeout(probe)
    return store.close()
  }

  const methods = new Map<string | symbol, unknown>([['close', close]])
  return new Proxy(store, {
    get(_, property) {
      if (methods.has(property)) return methods.get(property)
      const method: unknown = Reflect.get(store, property)
      if (typeof method !== 'function') return method
      const guarded = property === 'clock' ? method.bind(store) : guard(method as (...args: unknown[]) => unknown)
      methods.set(property, guarded)
      return guarded
    },
  })
}

/** `full` is an answer, and a store that is busy answers others: both are there. */
function isOutage(fault: unknown): fault is StoreFault {
  return fault instanceof StoreFault && fault.kind !== 'full' && fault.kind !== 'busy'
}
