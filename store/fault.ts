export class StoreFault extends Error {
  /**
   * `unreachable`: refused, nothing was done. `timeout`: no sign of life for a while; as far as known, nothing was done. `in_doubt`: a
   * commit was sent, its outcome is unknown. `full`: the store refuses writes. `busy`: the store, or our connections to it, had too much to
   * do; nothing was done.
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
   * It has been so for `outageMs` without one success. Only then may a member receive `limit_exhausted` because the ledger could not be
   * asked.
   */
  readonly lasting: boolean
}

/**
 * True: a call can go on without the store that failed (wire decisions 6). A busy store is still reachable, and one whose commit is in
 * doubt may have done it: neither may become a "no" to a member, so those calls end with 503.
 */
export function isOutOfReach(error: unknown): error is StoreFault {
  return error instanceof StoreFault && error.kind !== 'in_doubt' && error.kind !== 'busy'
}

/** For work in the background or in a cache: while the store is out of reach, it is left undone. */
export function ignoreStoreFault(error: unknown): void {
  if (!(error instanceof StoreFault)) throw error
}
