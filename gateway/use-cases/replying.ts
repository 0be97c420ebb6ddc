import { EngineFault, type PricingEngine } from '../../engine/index.js'
import { StoreFault } from '../../store/fault.js'
import { createOneAtATime } from './one-at-a-time.js'
import { type Call, type ErrorCode, type RefusalDetails, type Reply, retryAfterS } from './replies.js'

/** 503; `cause` names the missing part for the log. */
export function unavailable(cause: string): Reply {
  return { kind: 'unavailable', cause, retryAfterS }
}

export function refused(refusal: {
  readonly code: ErrorCode
  readonly message: string
  readonly details: RefusalDetails
}): Reply {
  return { kind: 'refused', code: refusal.code, message: refusal.message, details: refusal.details }
}

/** 409: the key was used with another body, or its answer is no longer kept (wire decisions 4). */
export function conflict({ idempotencyKey }: Pick<Call, 'idempotencyKey'>, endpoint: keyof typeof wayOut): Reply {
  return refused({
    code: 'idempotency_conflict',
    message: `the Idempotency-Key was already used with a different body: ${wayOut[endpoint]}`,
    details: { field: 'Idempotency-Key', expected: 'the body first sent with this key', received: idempotencyKey },
  })
}

const wayOut = {
  basket: 'another basket needs a new calculationId',
  sale: 'a sale event that is stored cannot be changed',
  return: 'a return that is recorded cannot be changed',
}

/** Calls of one key one after the other, each within the deadline. */
export function oneAtATimeWithin(
  deadlineMs: number,
  reply: (call: Call) => Promise<Reply>,
): (call: Call) => Promise<Reply> {
  const turns = createOneAtATime()
  return async (call) => {
    const withinMs = deadlineMs - (performance.now() - call.arrivedAtMs)
    const replied = await turns.run(call.idempotencyKey, withinMs, () => orUnavailable(reply(call)))
    return replied === 'waited_too_long' ? unavailable('deadline') : replied
  }
}

/** A store or the engine out of reach is a 503; whatever else goes wrong is a bug and goes on to the edge. */
export async function orUnavailable(work: Promise<Reply>): Promise<Reply> {
  try {
    return await work
  } catch (error) {
    if (error instanceof StoreFault) return unavailable(`${error.store} ${error.kind}`)
    if (error instanceof EngineFault) return unavailable(`engine ${error.kind}`)
    throw error
  }
}

/** True: the rate limit admits the call. Checked before anything is stored for it; earlier reads leave no trace. */
export async function isAdmitted({ admitted }: Call): Promise<boolean> {
  return admitted === undefined || (await admitted)
}

/** A placeholder for a call that the rate limit refused: gateway/pos/call.ts sends 429 instead. */
export const turnedAway: Reply = unavailable('rate limited')

interface SentBody {
  readonly digest: Uint8Array
  readonly body: Uint8Array
}

/** Equal bytes settle it at once; other bytes with the same JSON value are the same body too (wire decisions 4). */
export async function sameBody(
  engine: Pick<PricingEngine, 'sameValue'>,
  stored: SentBody,
  sent: SentBody,
): Promise<boolean> {
  return Buffer.compare(stored.digest, sent.digest) === 0 || (await engine.sameValue(stored.body, sent.body))
}
