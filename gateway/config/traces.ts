/** The receiver of spans and their share, by OpenTelemetry's own environment variables. */
export interface TracesConfig {
  /** OTLP over HTTP, JSON: the whole address, such as http://collector:4318/v1/traces. */
  readonly url: string
  readonly serviceName: string
  readonly sampler: TracesSampler
  /** For the samplers that take a ratio, 0 to 1. */
  readonly ratio: number
}

export const tracesSamplers = [
  'always_on',
  'always_off',
  'traceidratio',
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
] as const
export type TracesSampler = (typeof tracesSamplers)[number]
