/** The world failing, never the request's fault. */
export class StoreFault extends Error {
  /**
   * `unreachable`: refused, nothing was done. `timeout`: the store said nothing to anybody for a while, nothing is known to have
   * been done. `in_doubt`: a commit was sent and its outcome is not known. `full`: the store refuses writes. `busy`: the store is
   * there, but it, or our own connections to it, had too much to do; nothing was done. See `isOutOfReach`.
   */
  constructor(
    readonly store: 'cache' | 'ledger',
    readonly kind: 'unreachable' | 'timeout' | 'in_doubt' | 'full' | 'busy',
    options?: { cause?: unknown; lasting?: boolean },
  ) {
    super(`${store}: ${kind}`, options)
    this.name = 'StoreFault'
    this.lasting = options?.lasting ?? false
  }

  /**
   * Whether this has been so for seconds (`outageMs`), without one success in between. Only then may a member receive
   * `limit_exhausted` because the ledger could not be asked: connections that break are no outage.
   */
  readonly lasting: boolean
}

/**
 * Whether a store's fault lets a call go on without that store (wire decisions 6): it was refused, its circuit is open, it hangs or takes no
 * writes. One that is busy can still be asked, and one whose commit is in doubt may have done what it was asked: neither may
 * become a "no" to a member, so those calls end with 503.
 */
export function isOutOfReach(error: unknown): error is StoreFault {
  return error instanceof StoreFault && error.kind !== 'in_doubt' && error.kind !== 'busy'
}
