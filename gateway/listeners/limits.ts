/** Fixed bounds of every listener: times in milliseconds, sizes in bytes. */
export interface ConnectionLimits {
  /** From the connection, or the first byte of a request, to the end of its head; a TLS handshake may take as long. */
  readonly headersMs: number
  /** From the first byte of a request to its last. */
  readonly requestMs: number
  /** Interval of the checks of these two over HTTP/1.1. */
  readonly checkMs: number
  /** While draining: time after which open connections are cut (wire decisions 6). */
  readonly drainMs: number
  readonly headerBytesMax: number
  readonly connectionsMax: number
  /** Requests of an HTTP/1.1 connection that wait for their answers; the next one is refused and ends it. */
  readonly aheadMax: number
  /** The same for requests without signature or token, where the connection ends at once: no client sends as many of them ahead. */
  readonly pagesAheadMax: number
  /** After a pause of the event loop of this length, late requests count as this process's fault. */
  readonly stallMs: number
}

export const commonLimits = {
  headersMs: 5_000,
  checkMs: 500,
  headerBytesMax: 16_384,
  aheadMax: 64,
  pagesAheadMax: 4,
  stallMs: 1_000,
} as const satisfies Partial<ConnectionLimits>

export function assertConnectionLimits({ headersMs, requestMs, checkMs, stallMs }: ConnectionLimits): void {
  const ordered = checkMs <= headersMs && headersMs <= requestMs && checkMs < stallMs
  if (!ordered) throw new RangeError('limits of a listener contradict each other')
}

/** Rate of answers for pages and calls without a token: 2,000 a second, about a fifth of the main thread. */
export const pageTurns = { count: 4, everyMs: 2 }
