import { randomUUID } from 'node:crypto'
import type { PricingEngine } from '../../engine/index.js'
import { readSale } from '../../engine/wire/read-sale.js'
import { invalidRequest } from '../../engine/wire/refusal.js'
import type { AdminLedger } from '../../store/ledger.js'
import type { PartnerUseCases, Reply } from './replies.js'
import { conflict, orUnavailable, refused, unavailable } from './replying.js'
import { type SimulationParts, simulateBasket } from './simulate-basket.js'

export interface TryAgainParts extends SimulationParts {
  readonly adminLedger: SimulationParts['adminLedger'] & Pick<AdminLedger, 'sales'>
  readonly engine: Pick<PricingEngine, 'sameValue'>
  readonly useCases: Pick<PartnerUseCases, 'recordReturn'>
  readonly idempotencyS: number
}

/** A request that is not made, but asked about. */
export interface Trial {
  readonly endpoint: 'basket' | 'sale' | 'return'
  readonly body: string
  /** Nothing is answered about any other. */
  readonly venueId: string
}

/** The answer to a request now, without storing anything. */
export type TryAgain = (trial: Trial) => Promise<Reply>

const tryMs = 5_000

/** As the contract answers after checks 1 to 8; signature, rate and the Idempotency-Key of a basket are not checked. */
export function createTryAgain(parts: TryAgainParts): TryAgain {
  const replyOf = { basket: basketReply, sale: saleReply, return: returnReply }
  return async (trial) => {
    const signal = AbortSignal.timeout(tryMs)
    try {
      return await orUnavailable(replyOf[trial.endpoint](parts, trial, signal))
    } catch (error) {
      if (!signal.aborted) throw error
      return unavailable('deadline')
    }
  }
}

async function basketReply(parts: TryAgainParts, { body, venueId }: Trial, signal: AbortSignal): Promise<Reply> {
  const findVenue = async (named: string) => (named === venueId ? await parts.facts.findVenue(named) : null)
  const facts = { findVenue, findMember: parts.facts.findMember }
  const supposed = { programme: null, member: undefined, visits: null, balances: null, venue: null }
  const calculationId = textOf(objectFrom(body), 'calculationId')
  const sent = { body: Buffer.from(body), calculationId, ...supposed, ignoreLimits: false }
  const simulated = await simulateBasket({ ...parts, facts }, sent, signal)
  switch (simulated.kind) {
    case 'refused':
      return refused(simulated.refusal)
    case 'programme_not_found':
      return unavailable('no programme')
    case 'priced':
      return answered(simulated.priced.answer, simulated.priced.status)
  }
}

async function saleReply(
  { adminLedger, engine, idempotencyS }: TryAgainParts,
  { body, venueId }: Trial,
): Promise<Reply> {
  const bytes = Buffer.from(body)
  const calculationId = textOf(objectFrom(body), 'calculationId')
  const read = readSale(bytes, calculationId)
  if (read.kind === 'refused') return refused(read.refusal)
  if (read.event.venueId !== venueId) return ofOtherVenue(read.event.venueId, venueId)
  const result = (word: string) => answered(Buffer.from(JSON.stringify({ calculationId, result: word })), word)
  const [stored, calculation] = await Promise.all([
    adminLedger.sales.find(calculationId),
    adminLedger.calculations.find(calculationId),
  ])
  if (stored?.sale.venueId === venueId) {
    const { recordedAt, result: word } = stored.sale
    if (Date.now() - recordedAt > idempotencyS * 1_000) return result('duplicate')
    const isSame = await engine.sameValue(stored.event, bytes)
    return isSame ? result(word) : conflict({ idempotencyKey: calculationId }, 'sale')
  }
  return result(calculation?.summary.venueId === venueId ? 'recorded' : 'unknown_calculation')
}

/** A quote, under an id of its own: one that was recorded would only repeat its answer. */
async function returnReply({ useCases }: TryAgainParts, { body, venueId }: Trial): Promise<Reply> {
  const arrivedAtMs = performance.now()
  const sent = objectFrom(body)
  const returnId = textOf(sent, 'returnId')
  const call = (text: string, idempotencyKey: string) =>
    useCases.recordReturn({ body: Buffer.from(text), idempotencyKey, arrivedAtMs })
  const named = (sent?.['context'] as { readonly venueId?: unknown } | undefined)?.venueId
  // The reader names its fault: no body agrees with an empty key.
  if (sent === null || typeof named !== 'string') return await call(body, '')
  if (named !== venueId) return ofOtherVenue(named, venueId)
  const key = uuid.test(returnId) ? randomUUID() : returnId
  const reply = await call(JSON.stringify({ ...sent, returnId: key, dryRun: true }), key)
  if (reply.kind !== 'answered') return reply
  return {
    ...reply,
    body: Buffer.from(
      Buffer.from(reply.body)
        .toString()
        .replace(key, () => returnId),
    ),
  }
}

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

function ofOtherVenue(received: string, expected: string): Reply {
  return refused(invalidRequest([{ field: 'context.venueId', expected: JSON.stringify(expected), received }]))
}

function answered(body: Uint8Array, outcome: string): Reply {
  return { kind: 'answered', body, replayed: false, outcome }
}

function objectFrom(text: string): Readonly<Record<string, unknown>> | null {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : null
  } catch {
    return null
  }
}

/** Empty: it has none, so no body agrees with it. */
function textOf(value: Readonly<Record<string, unknown>> | null, name: string): string {
  const text = value?.[name]
  return typeof text === 'string' ? text : ''
}
