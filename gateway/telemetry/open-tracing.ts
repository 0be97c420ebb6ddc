import { AsyncLocalStorage } from 'node:async_hooks'
import {
  type Context,
  DiagLogLevel,
  diag,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  type TextMapGetter,
  type Tracer,
  trace,
} from '@opentelemetry/api'
import { W3CTraceContextPropagator } from '@opentelemetry/core'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { defaultResource, resourceFromAttributes } from '@opentelemetry/resources'
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BatchSpanProcessor,
  ParentBasedSampler,
  type Sampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace'
import { EngineFault, type Priced } from '../../engine/index.js'
import { StoreFault } from '../../store/fault.js'
import { withMethods } from '../../store/with-methods.js'
import type { TracesConfig } from '../config/config.js'
import type { Log } from './log.js'
import type { RequestTrace, TracedResult, Tracing } from './tracing.js'

/** Time that a shutdown waits for the remaining spans, in milliseconds: a small part of its 10 s. */
const closeMs = 1_000
const complaintCharactersMax = 200

/** The request that the running code works for. */
interface Open {
  readonly span: Span
  readonly context: Context
  isOpen: boolean
}

/** Opens OpenTelemetry: spans are sent in batches off the path; a collector that is out of reach or slow costs only spans. */
export function openTracing(config: TracesConfig, log: Log): Tracing {
  const complain = (message: string) =>
    log.warn({ reason: String(message).slice(0, complaintCharactersMax) }, 'traces cannot be sent')
  const ignore = () => {}
  diag.setLogger(
    { error: complain, warn: complain, info: ignore, debug: ignore, verbose: ignore },
    { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true },
  )
  const provider = new TracerProvider({
    resource: defaultResource().merge(resourceFromAttributes({ 'service.name': config.serviceName })),
    sampler: samplerOf(config),
    spanProcessors: [new BatchSpanProcessor({ exporter: new OTLPTraceExporter({ url: config.url }) })],
  })
  const tracer = provider.getTracer('loyalty-partner-service')
  const current = new AsyncLocalStorage<Open>()
  return {
    receive: (endpoint, headers) => receive({ tracer, current }, endpoint, headers),
    over: (part, target) => over({ tracer, current }, part, target),
    async close() {
      const done = provider.shutdown().catch(() => {})
      let timer: NodeJS.Timeout | undefined
      const cut = new Promise<void>((resolve) => {
        timer = setTimeout(resolve, closeMs)
      })
      await Promise.race([done, cut])
      clearTimeout(timer)
    },
  }
}

function samplerOf({ sampler, ratio }: TracesConfig): Sampler {
  const root = rootSampler(sampler.replace('parentbased_', ''), ratio)
  return sampler.startsWith('parentbased_') ? new ParentBasedSampler({ root }) : root
}

function rootSampler(word: string, ratio: number): Sampler {
  if (word === 'traceidratio') return new TraceIdRatioBasedSampler(ratio)
  return word === 'always_on' ? new AlwaysOnSampler() : new AlwaysOffSampler()
}

interface Tools {
  readonly tracer: Tracer
  readonly current: AsyncLocalStorage<Open>
}

type Headers = Parameters<Tracing['receive']>[1]

const propagator = new W3CTraceContextPropagator()
const fromHeaders: TextMapGetter<Headers> = {
  keys: (headers) => Object.keys(headers),
  get: (headers, name) => headers[name],
}

function receive({ tracer, current }: Tools, endpoint: string, headers: Headers): RequestTrace {
  const parent = propagator.extract(ROOT_CONTEXT, headers, fromHeaders)
  const span = tracer.startSpan(endpoint, { kind: SpanKind.SERVER }, parent)
  const open: Open = { span, context: trace.setSpan(parent, span), isOpen: true }
  const { traceId, spanId, traceFlags } = span.spanContext()
  let answering: Span | null = null
  return {
    traceId,
    context: `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`,
    within: (work) => current.run(open, work),
    step: (name, work) => current.run(open, () => ended(tracer.startSpan(name, {}, open.context), work())),
    answered(result) {
      span.setAttributes(attributesOf(result))
      if (result.status >= 500) span.setStatus({ code: SpanStatusCode.ERROR })
      answering = tracer.startSpan('answer', {}, open.context)
    },
    end() {
      open.isOpen = false
      answering?.end()
      span.end()
    },
  }
}

function attributesOf({ requestId, calculationId, status, outcome, code }: TracedResult) {
  return {
    'http.response.status_code': status,
    ...(requestId === null ? {} : { 'loyalty.request_id': requestId }),
    'loyalty.outcome': outcome,
    ...(code === '' ? {} : { 'error.type': code }),
    ...(calculationId === null ? {} : { 'loyalty.calculation_id': calculationId }),
  }
}

/** Calls outside a request get no span. */
function over<T extends object>({ tracer, current }: Tools, part: string, target: T): T {
  return withMethods(target, (call, method) => (...args) => {
    const open = current.getStore()
    if (open === undefined || !open.isOpen) return method(...args)
    const startTime = Date.now()
    const startedAt = performance.now()
    const result = method(...args)
    if (!(result instanceof Promise)) return result
    // Started afterwards, so that mere look-ups make no span.
    const span = tracer.startSpan(`${part}.${call}`, { startTime, kind: SpanKind.CLIENT }, open.context)
    return ended(span, result, () => startTime + performance.now() - startedAt)
  })
}

/** The same promise; its span ends with it. The span has only the kind of an error: the message may hold anything. */
async function ended<T>(span: Span, work: Promise<T>, endTime?: () => number): Promise<T> {
  try {
    const value = await work
    const priced = pricedIn(value)
    if (priced !== null) {
      span.setAttributes({ 'loyalty.search.steps': priced.steps, 'loyalty.search.optimal': priced.optimal })
    }
    return value
  } catch (error) {
    const isKnown = error instanceof StoreFault || error instanceof EngineFault
    span.setAttribute('error.type', isKnown ? error.kind : 'bug').setStatus({ code: SpanStatusCode.ERROR })
    throw error
  } finally {
    span.end(endTime?.())
  }
}

type Search = Pick<Priced, 'steps' | 'optimal'>

// A basket is priced by itself, or while it is read.
function pricedIn(value: unknown): Search | null {
  if (typeof value !== 'object' || value === null) return null
  if ('steps' in value && 'optimal' in value) return value as Search
  return 'ahead' in value ? pricedIn(value.ahead) : null
}
