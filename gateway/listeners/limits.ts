/** Bounds of every listener that no setting changes: times in milliseconds, sizes in bytes. */
export interface ConnectionLimits {
  /** From the connection, or the first byte of a request, to the end of its head; a TLS handshake may take as long. */
  readonly headersMs: number
  /** From the first byte of a request to its last. */
  readonly requestMs: number
  /** How often the two above are looked at over HTTP/1.1. */
  readonly checkMs: number
  /** While draining: when whatever is still open is cut (wire decisions 6). */
  readonly drainMs: number
  readonly headerBytesMax: number
  readonly connectionsMax: number
}

/** What both listeners have alike. */
export const commonLimits = {
  headersMs: 5_000,
  checkMs: 500,
  headerBytesMax: 16_384,
} as const satisfies Partial<ConnectionLimits>

/** Stops when limits contradict each other. */
export function assertConnectionLimits({ headersMs, requestMs, checkMs }: ConnectionLimits): void {
  if (headersMs > requestMs || checkMs > headersMs) throw new RangeError('limits of a listener contradict each other')
}
