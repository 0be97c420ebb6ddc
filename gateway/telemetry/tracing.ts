/** A request being traced: the span of its whole way, under which its steps and its calls of stores and threads stand. */
export interface RequestTrace {
  readonly traceId: string
  /** `traceparent` of the request's span: what a `traceresponse` header of its answer says (W3C Trace Context). */
  readonly context: string
  /** Runs work whose calls of traced parts become spans of this request. */
  within<T>(work: () => T): T
  /** The same, as a span of its own that ends when the work does. */
  step<T>(name: string, work: () => Promise<T>): Promise<T>
  /** The answer is known: what follows is its writing. Never a member, a body or a secret. */
  answered(result: TracedResult): void
  /** The answer is out, or nobody is there to take it. What begins later is of no request. */
  end(): void
}

export interface TracedResult {
  readonly requestId: string | null
  readonly calculationId: string | null
  /** HTTP status; 0: the client went away. */
  readonly status: number
  readonly outcome: string
  readonly code: string
}

/** Makes spans; the whole of OpenTelemetry stands behind it and is loaded only where traces are wanted. */
export interface Tracing {
  /**
   * Starts the span of a request, under the W3C context that came with it.
   *
   * @param headers  by lower-case name
   */
  receive(endpoint: string, headers: Readonly<Record<string, string | string[] | undefined>>): RequestTrace
  /** The same part, each of its calls that returns a promise a span of the request it is made for. */
  over<T extends object>(part: string, target: T): T
  /** Sends what waits, for a second at most. */
  close(): Promise<void>
}
