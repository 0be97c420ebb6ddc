import { textBytesMax } from '../cache/kept-requests.js'
import type { RateLimiter } from '../listeners/rate-limit.js'
import type { MemberMark } from '../telemetry/pseudonym.js'
import { originAt } from '../use-cases/peek-basket.js'
import { type Call, type Origin, type PartnerUseCases, type Reply, returnDeadlineMs } from '../use-cases/replies.js'
import type { Admission } from './admission.js'
import { isStale, readSignature, signatureWindowS, verifySignature } from './authentication.js'
import { checkDeclaredLength, readBody } from './body.js'
import { type Refused, refusedFrom, unavailable } from './errors.js'
import { loggedOrigin } from './logged.js'
import { checkContentType, headerValues, idempotencyKeyOf } from './request.js'
import type { Answer, Exchange, SentBody } from './response.js'
import type { Endpoint } from './routes.js'

export interface PartnerService {
  readonly useCases: PartnerUseCases
  readonly rateLimiter: RateLimiter
  readonly admission: Admission
  readonly secrets: () => readonly Uint8Array[]
  /** Wall clock, milliseconds since the epoch; only for signatures. */
  readonly nowMs: () => number
  readonly bodyBytesMax: number
  readonly deadlineMs: number
  readonly deadlineGraceMs: number
  readonly memberMark: MemberMark
  readonly turn: () => Promise<unknown>
  /** The partner page shows what was sent. */
  readonly keepsBodies: boolean
  /** Receives broken invariants, for the log. */
  readonly onBug: (error: unknown, requestId: string) => void
}

/** Takes a call of the partner contract through checks 2 to 8 (wire decisions 3), in their order, to its use case. */
export async function takePartnerCall(exchange: Exchange, endpoint: Endpoint, service: PartnerService): Promise<void> {
  const { admission, bodyBytesMax } = service
  const early = checkAdmission(admission, endpoint) ?? checkDeclaredLength(exchange.request, bodyBytesMax)
  if (early !== null) return exchange.refuse(early)

  if (exchange.awaitsContinue) exchange.sayContinue()
  const { trace } = exchange
  const reading = () => readBody(exchange, admission, bodyBytesMax)
  const read = await (trace === null ? reading() : trace.step('receive', reading))
  if (read.kind === 'gone') return
  if (read.kind === 'refused') return exchange.refuse(read.refused)
  exchange.arrivedAtMs = performance.now()
  if (service.keepsBodies) exchange.sent = sentBody(read.body)

  // Others may have arrived during the body: a call is admitted only now, so that slow bodies block none.
  const overload = checkAdmission(admission, endpoint)
  if (overload !== null) return exchange.refuse(overload)
  const unsigned = checkSigned(exchange, read.body, service)
  if (unsigned !== null) {
    await service.turn()
    exchange.origin = () => loggedOrigin(originAt(read.body), service.memberMark)
    return exchange.refuse(unsigned)
  }
  if (exchange.sent !== null) exchange.sent.isSigned = true
  admission.enter()
  try {
    const running = () => runUseCase(exchange, endpoint, read.body, service)
    await answerInTime(exchange, service, trace === null ? running() : trace.within(running))
  } finally {
    admission.leave(performance.now() - exchange.arrivedAtMs)
  }
}

function checkAdmission(admission: Admission, endpoint: Endpoint): Refused | null {
  const refusal = admission.refusal(endpoint === 'basket' ? 'basket' : 'sale')
  return refusal === null ? null : unavailable(refusal)
}

/** Checks 4 to 6: content type, signature over the bytes that arrived, its time. */
function checkSigned(exchange: Exchange, body: Uint8Array, service: PartnerService): Refused | null {
  const { request } = exchange
  const contentType = checkContentType(request)
  if (contentType !== null) return contentType
  const headers = headerValues(request, 'pos-signature')
  if (headers.length !== 1) return invalidSignature(headers.length === 0 ? 'is missing' : 'stands more than once')
  const signature = readSignature(headers[0]!)
  if (signature === null) return invalidSignature(malformedSignature)
  if (!verifySignature(signature, body, service.secrets())) return invalidSignature(unverifiedSignature)
  return isStale(signature, service.nowMs()) ? staleTimestamp : null
}

/** Reveals only facts that the sender has: neither the matching secret nor the expected digest. */
function invalidSignature(fault: string): Refused {
  return { code: 'invalid_signature', message: `POS-Signature ${fault}.` }
}

const malformedSignature = 'is malformed: expected t=<unix seconds>,v1=<64 hex digits>, without spaces'
const unverifiedSignature = 'does not verify: other bytes were signed than arrived, or under another secret'

const staleTimestamp: Refused = {
  code: 'stale_timestamp',
  message: `The signature's t is more than ${signatureWindowS} s from the server's time.`,
}

/**
 * Checks 7 and 8, and the use case with the rest. The token is taken while the use case looks up and prices, so that no POS waits for
 * this round trip to the cache; while requests are being refused it is taken first, so that a flood costs no pricing.
 */
async function runUseCase(
  exchange: Exchange,
  endpoint: Endpoint,
  body: Uint8Array,
  service: PartnerService,
): Promise<Reply | Refused> {
  const { useCases, rateLimiter } = service
  const isStrained = rateLimiter.isStrained
  const taking = rateLimiter.take(endpoint === 'basket' ? 'basket' : 'sale')
  const early = isStrained ? tooMany(await taking) : null
  if (early !== null) return early
  const idempotencyKey = idempotencyKeyOf(exchange.request)
  if (idempotencyKey === null) {
    return tooMany(await taking) ?? invalidKey(headerValues(exchange.request, 'idempotency-key'))
  }
  const admitted = taking.then((retryAfterS) => retryAfterS === 0)
  exchange.calculationId = idempotencyKey
  const onRead = (origin: Origin) => {
    if (exchange.sent !== null) exchange.sent.venueId = origin.venueId
    exchange.origin = () => loggedOrigin(origin, service.memberMark)
  }
  const call = { body, idempotencyKey, arrivedAtMs: exchange.arrivedAtMs, admitted, onRead }
  const running = runningOf(useCases, endpoint, call)
  const [retryAfterS, reply] = await Promise.all([taking, running])
  if (reply.kind === 'refused') exchange.origin ??= () => loggedOrigin(originAt(body), service.memberMark)
  return tooMany(retryAfterS) ?? reply
}

function runningOf(useCases: PartnerUseCases, endpoint: Endpoint, call: Call): Promise<Reply> {
  switch (endpoint) {
    case 'basket':
      return useCases.calculateBasket(call)
    case 'sale':
      return useCases.recordSale(call)
    case 'return':
      return useCases.recordReturn(call)
  }
}

function tooMany(retryAfterS: number): Refused | null {
  return retryAfterS > 0 ? { code: 'rate_limited', message: 'Too many requests.', retryAfterS } : null
}

function invalidKey(received: readonly string[]): Refused {
  const fault = {
    field: 'Idempotency-Key',
    expected: 'one UUID, lower-case and hyphenated',
    received: received.join(', ').slice(0, receivedCharactersMax) || 'nothing',
  }
  return {
    code: 'invalid_request',
    message: 'Idempotency-Key is missing, repeated or malformed.',
    details: { ...fault, faults: [fault] },
  }
}

/** Characters of a request that an answer repeats at most (wire decisions 3). */
const receivedCharactersMax = 64

/** Answers with the first result, or with 503 after the deadline; a later result is dropped. */
function answerInTime(exchange: Exchange, service: PartnerService, coming: Promise<Reply | Refused>): Promise<void> {
  const { deadlineGraceMs, onBug } = service
  const deadlineMs = exchange.endpoint === 'return' ? returnDeadlineMs(service.deadlineMs) : service.deadlineMs
  return new Promise((resolve) => {
    const timer = setTimeout(() => {
      exchange.refuse(unavailable('deadline'))
      resolve()
    }, deadlineMs + deadlineGraceMs)
    coming
      .then((reply) => answer(exchange, reply))
      .catch((error: unknown) => {
        onBug(error, exchange.requestId)
        exchange.refuse(internalError)
      })
      .finally(() => {
        clearTimeout(timer)
        resolve()
      })
  })
}

export const internalError: Refused = { code: 'internal_error', message: 'Unexpected error.' }

function answer(exchange: Exchange, reply: Reply | Refused): void {
  if (!('kind' in reply)) exchange.refuse(reply)
  else if (reply.kind === 'answered') exchange.send(success(exchange, reply))
  else exchange.refuse(refusedFrom(reply))
}

/** A copy of its beginning: pricing threads take the bytes themselves. */
function sentBody(body: Uint8Array): SentBody {
  const bytes = Buffer.copyBytesFrom(body, 0, Math.min(body.length, textBytesMax))
  return { bytes, isCut: body.length > textBytesMax, venueId: null, isSigned: false }
}

function success(exchange: Exchange, { body, outcome, replayed }: Extract<Reply, { kind: 'answered' }>): Answer {
  const tookMs = performance.now() - exchange.arrivedAtMs
  return {
    status: 200,
    contentType: 'application/json',
    body,
    headers: {
      'Server-Timing': `app;dur=${tookMs.toFixed(1)}`,
      ...(replayed ? { 'Idempotent-Replayed': 'true' } : {}),
    },
    outcome,
    code: '',
  }
}
