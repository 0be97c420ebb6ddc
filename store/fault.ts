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

  /** For `outageMs` without one success: only then may a member receive `limit_exhausted` unasked. */
  readonly lasting: boolean
}

/** A call can go on without the store (wire decisions 6). Busy or in doubt never becomes a "no" to a member: those end with 503. */
export function isOutOfReach(error: unknown): error is StoreFault {
  return error instanceof StoreFault && error.kind !== 'in_doubt' && error.kind !== 'busy'
}

export function ignoreStoreFault(error: unknown): void {
  if (!(error instanceof StoreFault)) throw error
}
