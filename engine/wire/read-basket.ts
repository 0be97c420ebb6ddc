import { createHash } from 'node:crypto'
import type { Basket } from '../core/base/basket.js'
import { checkIdentities, type IdentityFault } from '../core/base/identities.js'
import type { BasketFacts, Refusal } from '../index.js'
import { BasketReader } from './basket-reader.js'
import { Fields } from './fields.js'
import type { JsonFault } from './json-faults.js'
import type { JsonText } from './json-text.js'
import { readJson } from './read-json.js'
import { invalidRequest, refusal } from './refusal.js'
import { basketPlaces, basketRule, contextPlaces, contextRule, memberFromText, requestNames } from './request-rules.js'

export interface ReadBasket {
  readonly json: JsonText
  readonly basket: Basket
  readonly lineFields: readonly Fields[]
  readonly facts: BasketFacts
  readonly tooManyLines: Refusal | null
  readonly arithmetic: Refusal | null
}

export type BasketReading =
  | { readonly kind: 'refused'; readonly refusal: Refusal }
  | ({ readonly kind: 'read' } & ReadBasket)

/**
 * Reads the body of a basket call (wire decisions 1; checks 9, 11 and 14 of 3). Refuses only on check 9. The results of
 * 11 and 14 are returned, because a stored answer takes precedence over them.
 *
 * @param linesMax  LOYALTY_MAX_LINES
 */
export function readBasket(body: Uint8Array, idempotencyKey: string, linesMax: number): BasketReading {
  const read = readJson(body, requestNames, basketRule)
  if (read.kind === 'fault') return { kind: 'refused', refusal: invalidRequest(read.faults) }
  const { json } = read
  const reader = new BasketReader(json)
  const basket = reader.read(idempotencyKey)
  if (reader.faults.length > 0) return { kind: 'refused', refusal: invalidRequest(reader.faults) }
  const identities = checkIdentities(basket)
  if (identities?.kind === 'overflow') return { kind: 'refused', refusal: invalidRequest([detailsOf(identities)]) }
  const arithmetic = identities === null ? null : refusal('arithmetic_mismatch', detailsOf(identities), identities.rule)
  const tooManyLines = basket.lines.length > linesMax ? tooManyLinesRefusal(basket.lines.length, linesMax) : null
  const { lineFields } = reader
  return { kind: 'read', json, basket, lineFields, facts: factsOf(json, basket), tooManyLines, arithmetic }
}

function detailsOf({ field, expected, received }: IdentityFault): JsonFault {
  return { field, expected, received }
}

function tooManyLinesRefusal(lines: number, linesMax: number): Refusal {
  return refusal('too_many_lines', {
    field: 'lines',
    expected: `at most ${linesMax} lines`,
    received: `${lines} lines`,
  })
}

function factsOf(json: JsonText, basket: Basket): BasketFacts {
  const root = new Fields(json, 0, basketRule)
  const context = new Fields(json, root.sent(basketPlaces.context), contextRule)
  return {
    calculationId: root.string(basketPlaces.calculationId),
    supersedesCalculationId: root.stringOrNull(basketPlaces.supersedesCalculationId),
    loyaltyId: memberFromText(root.stringOrNull(basketPlaces.loyaltyId)),
    currency: basket.currency,
    requestedAt: root.string(basketPlaces.requestedAt),
    venueId: basket.venueId,
    baxId: context.string(contextPlaces.baxId),
    cashRegisterId: context.string(contextPlaces.cashRegisterId),
    channel: basket.channel,
    lineCount: basket.lines.length,
    netBefore: basket.totals.net,
    digest: createHash('sha256').update(json.bytes).digest(),
  }
}
