/** A request being traced: its span, with its steps and its calls of stores and threads below. */
export interface RequestTrace {
  readonly traceId: string
  /** `traceparent` of the request's span, for the `traceresponse` header of its answer (W3C Trace Context). */
  readonly context: string
  /** Runs work whose calls of traced parts become spans of this request. */
  within<T>(work: () => T): T
  /** The same, as a span of its own that ends when the work does. */
  step<T>(name: string, work: () => Promise<T>): Promise<T>
  /** The answer is ready; writing it follows. Never a member, a body or a secret. */
  answered(result: TracedResult): void
  /** The answer is sent, or its client is gone. Later work belongs to no request. */
  end(): void
}

export interface TracedResult {
  readonly requestId: string | null
  readonly calculationId: string | null
  /** HTTP status; 0: the client disconnected. */
  readonly status: number
  readonly outcome: string
  readonly code: string
}

/** Makes spans; OpenTelemetry itself is loaded only where traces are wanted. */
export interface Tracing {
  /**
   * Starts the span of a request, under the W3C context of its headers.
   *
   * @param headers  by lower-case name
   */
  receive(endpoint: string, headers: Readonly<Record<string, string | string[] | undefined>>): RequestTrace
  /** The same part, with a span for each call that returns a promise and belongs to a request. */
  over<T extends object>(part: string, target: T): T
  /** Sends the waiting spans, for a second at most. */
  close(): Promise<void>
}
