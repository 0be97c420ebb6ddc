import { createHash } from 'node:crypto'
import type { Refusal } from '../index.js'
import { Fields } from './fields.js'
import { type JsonFault, receivedNothing } from './json-faults.js'
import type { JsonText } from './json-text.js'
import { momentFromText } from './moment.js'
import { readJson } from './read-json.js'
import { invalidRequest } from './refusal.js'
import {
  contextPlaces,
  contextRule,
  requestNames,
  returnLinePlaces,
  returnLineRule,
  returnPlaces,
  returnRule,
} from './request-rules.js'

export interface ReturnEvent {
  readonly returnId: string
  readonly sold: { readonly calculationId: string } | { readonly transactionId: string }
  readonly lines: readonly ReturnEventLine[]
  readonly occurredAt: number
  readonly venueId: string
  readonly cashRegisterId: string
  readonly dryRun: boolean
  readonly digest: Uint8Array
}

export interface ReturnEventLine {
  readonly lineId: string
  readonly quantity: number
}

export type ReturnRead =
  | { readonly kind: 'refused'; readonly refusal: Refusal }
  | { readonly kind: 'read'; readonly event: ReturnEvent }

/** 1970 to 9998: what the ledger can hold, in any offset. */
const momentsUntil = Date.UTC(9999, 0)

export function readReturn(body: Uint8Array, idempotencyKey: string): ReturnRead {
  const read = readJson(body, requestNames, returnRule)
  if (read.kind === 'fault') return { kind: 'refused', refusal: invalidRequest(read.faults) }
  const faults = checkReturn(read.json, idempotencyKey)
  if (faults.length > 0) return { kind: 'refused', refusal: invalidRequest(faults) }
  return { kind: 'read', event: eventOf(read.json) }
}

function checkReturn(json: JsonText, idempotencyKey: string): readonly JsonFault[] {
  const sent = new Fields(json, 0, returnRule)
  const at = returnPlaces
  const fault = (field: keyof typeof returnPlaces, expected: string): JsonFault => {
    const value = sent.sent(at[field])
    return { field, expected, received: value < 0 ? receivedNothing : json.excerpt(value) }
  }
  const [byCalculation, byTransaction] = [sent.has(at.calculationId), sent.has(at.transactionId)]
  const moment = momentFromText(sent.string(at.occurredAt))!
  return [
    ...(sent.string(at.returnId) === idempotencyKey
      ? []
      : [fault('returnId', 'the value of the Idempotency-Key header')]),
    ...(byCalculation || byTransaction ? [] : [fault('calculationId', 'this field or transactionId')]),
    ...(byCalculation && byTransaction
      ? [fault('transactionId', 'no such field, since calculationId names the sale')]
      : []),
    ...(moment >= 0 && moment < momentsUntil ? [] : [fault('occurredAt', 'a date-time of the years 1970 to 9998')]),
  ]
}

function eventOf(json: JsonText): ReturnEvent {
  const sent = new Fields(json, 0, returnRule)
  const at = returnPlaces
  const context = new Fields(json, sent.sent(at.context), contextRule)
  const calculationId = sent.stringOrNull(at.calculationId)
  return {
    returnId: sent.string(at.returnId),
    sold: calculationId === null ? { transactionId: sent.string(at.transactionId) } : { calculationId },
    lines: sent.items(at.lines).map((item) => {
      const line = new Fields(json, item, returnLineRule)
      return { lineId: line.string(returnLinePlaces.lineId), quantity: line.number(returnLinePlaces.quantity) }
    }),
    occurredAt: momentFromText(sent.string(at.occurredAt))!,
    venueId: context.string(contextPlaces.venueId),
    cashRegisterId: context.string(contextPlaces.cashRegisterId),
    dryRun: sent.flag(at.dryRun),
    digest: createHash('sha256').update(json.bytes).digest(),
  }
}
