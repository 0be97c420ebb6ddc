import { Code, ConnectError, type Interceptor } from '@connectrpc/connect'
import { codeToHttpStatus, codeToString } from '@connectrpc/connect/protocol-connect'
import { EngineFault } from '../../engine/index.js'
import { withinDeadline } from '../../store/call-deadline.js'
import { StoreFault } from '../../store/fault.js'
import { Health } from '../gen/grpc/health/v1/health_pb.js'
import type { Log } from '../telemetry/log.js'
import type { Metrics } from '../telemetry/metrics.js'
import type { Tracing } from '../telemetry/tracing.js'
import { retryAfterS } from '../use-cases/replies.js'
import { callerKey, deadlineKey, guardedKey } from './access.js'
import { reasonOf, refusal } from './errors.js'

/**
 * Wraps every call: it ends at its deadline, or when its client disconnects, even while it waits; faults of stores and threads become
 * `unavailable`, a bug is logged in full and answered as `internal`. Its ledger calls end with its deadline, every unary call is counted
 * and timed, and every call leaves one record in the log, and a span where there are traces.
 */
export function createGuard({ log, metrics, tracing }: GuardParts): Interceptor {
  return (next) => async (request) => {
    const { signal } = request
    const startedAt = performance.now()
    const endpoint = endpointOf(`/${request.service.typeName}/${request.method.name}`)
    const trace = tracing?.receive(endpoint, w3cHeaders(request.header)) ?? null
    const untilMs = request.contextValues.get(deadlineKey)
    request.contextValues.set(guardedKey, true)
    const ended = (error: ConnectError | null): void => {
      const result = { endpoint, ...resultOf(error), durationMs: Math.round(performance.now() - startedAt) }
      const { name: caller } = request.contextValues.get(callerKey)
      const traced = trace === null ? {} : { traceId: trace.traceId }
      const isQuiet = request.service.typeName === Health.typeName || error?.code === Code.Canceled
      log[isQuiet ? 'debug' : 'info']({ ...result, caller, ...requestIdOf(request.header), ...traced }, 'call')
      trace?.answered({ ...result, requestId: null, calculationId: null })
      trace?.end()
    }
    const answered = (error: ConnectError | null): void => {
      metrics.answered({ endpoint, ...resultOf(error), durationMs: performance.now() - startedAt })
      ended(error)
    }
    try {
      const call = () => withinDeadline(untilMs, () => next(request))
      const work = trace === null ? call() : trace.within(call)
      const response = await untilAborted(work, signal)
      if (trace !== null) response.header.set('traceresponse', trace.context)
      if (response.stream) return { ...response, message: guarded(response.message, { log, untilMs, signal }, ended) }
      answered(null)
      return response
    } catch (thrown) {
      const error = errorFor(thrown, { log, untilMs, signal })
      answered(error)
      throw error
    }
  }
}

export interface GuardParts {
  readonly log: Log
  readonly metrics: Metrics
  readonly tracing: Tracing | null
}

function requestIdOf(headers: Headers): { readonly requestId?: string } {
  const requestId = headers.get('x-request-id')
  return requestId !== null && /^[\w-]{1,64}$/.test(requestId) ? { requestId } : {}
}

/** The headers that name the parent span. */
function w3cHeaders(headers: Headers): Record<string, string | undefined> {
  return {
    traceparent: headers.get('traceparent') ?? undefined,
    tracestate: headers.get('tracestate') ?? undefined,
  }
}

/** A call's name in log, metrics and traces: `LimitService/GetLimit`. */
export function endpointOf(path: string): string {
  return path.slice(Math.max(path.lastIndexOf('.'), path.indexOf('/')) + 1)
}

/** The code and the outcome of a call for log and metrics; null: it was served. */
export function resultOf(error: ConnectError | null): {
  readonly status: number
  readonly outcome: string
  readonly code: string
} {
  if (error === null) return { status: 200, outcome: 'served', code: '' }
  return {
    status: codeToHttpStatus(error.code),
    outcome: outcomes[error.code] ?? 'refused',
    code: (reasonOf(error) ?? codeToString(error.code)).toLowerCase(),
  }
}

/** A client that disconnects is no fault of ours: 499. */
const outcomes: Readonly<Partial<Record<Code, string>>> = {
  [Code.Unavailable]: 'unavailable',
  [Code.Internal]: 'failed',
  [Code.Canceled]: 'aborted',
}

interface Guarded {
  readonly log: Log
  /** The moment at which its client stops waiting, by `performance.now()`. */
  readonly untilMs: number
  readonly signal: AbortSignal
}

async function* guarded<T>(
  messages: AsyncIterable<T>,
  call: Guarded,
  ended: (error: ConnectError | null) => void,
): AsyncIterable<T> {
  let end: ConnectError | null = gone()
  try {
    yield* messages
    end = null
  } catch (error) {
    end = errorFor(error, call)
    throw end
  } finally {
    ended(end)
  }
}

/** Settles as `work` does, or rejects with the signal's reason where that comes first. */
function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason)
    if (signal.aborted) abort()
    signal.addEventListener('abort', abort)
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort))
  })
}

function errorFor(error: unknown, { log, untilMs, signal }: Guarded): ConnectError {
  if (hasGone(signal)) return gone(error)
  // The deadline expired; the store is not at fault.
  if (error instanceof StoreFault && performance.now() >= untilMs) return deadlineOver(error)
  if (error instanceof StoreFault) return storeAway(error)
  if (error instanceof EngineFault) return refusal('UNAVAILABLE', 'overloaded', { retryAfterS, cause: error })
  if (!(error instanceof ConnectError)) {
    log.error({ err: error }, 'internal call failed')
    return refusal('INTERNAL_ERROR', 'unexpected error', { cause: error })
  }
  if (error.details.length > 0) return error
  switch (error.code) {
    case Code.DeadlineExceeded:
      return deadlineOver(error)
    case Code.Unavailable:
      return refusal('UNAVAILABLE', error.rawMessage, { retryAfterS, cause: error })
    default:
      return error
  }
}

function gone(cause?: unknown): ConnectError {
  return new ConnectError('the client has gone', Code.Canceled, undefined, undefined, cause)
}

/** The call was ended, and neither by its deadline nor by our shutdown: its client is gone and receives no answer. */
function hasGone({ aborted, reason }: AbortSignal): boolean {
  if (!aborted) return false
  return !(reason instanceof ConnectError) || !ourEnds.has(reason.code)
}

const ourEnds: ReadonlySet<Code> = new Set([Code.DeadlineExceeded, Code.Unavailable])

function deadlineOver(cause: unknown): ConnectError {
  return refusal('DEADLINE_EXCEEDED', 'the deadline is over', { cause })
}

/** A write in doubt may have happened: a repeat under the same request id returns its result. */
export function storeAway(fault: StoreFault): ConnectError {
  const { store, kind } = fault
  const message =
    kind === 'in_doubt' ? `${store}: it is not known whether the change was made` : `${store} out of reach`
  return refusal('UNAVAILABLE', message, { retryAfterS, cause: fault })
}
