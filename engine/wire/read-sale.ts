import { createHash } from 'node:crypto'
import type { SaleEvent, SaleRead } from '../index.js'
import { Fields } from './fields.js'
import { type JsonFault, receivedNothing } from './json-faults.js'
import type { JsonText } from './json-text.js'
import { readJson } from './read-json.js'
import { invalidRequest } from './refusal.js'
import { contextPlaces, contextRule, memberFromText, requestNames, salePlaces, saleRule } from './request-rules.js'

/** Reads a sale event (contract 2.1, wire decisions 5 and 9): its form only; members that are not listed are accepted. */
export function readSale(body: Uint8Array, idempotencyKey: string): SaleRead {
  const read = readJson(body, requestNames, saleRule)
  if (read.kind === 'fault') return { kind: 'refused', refusal: invalidRequest(read.faults) }
  const faults = checkSale(read.json, idempotencyKey)
  if (faults.length > 0) return { kind: 'refused', refusal: invalidRequest(faults) }
  return { kind: 'read', event: eventOf(read.json) }
}

/** Rules that the schema cannot express: the key, and the fields that each status requires and forbids (wire decisions 5). */
function checkSale(json: JsonText, idempotencyKey: string): readonly JsonFault[] {
  const sale = new Fields(json, 0, saleRule)
  const at = salePlaces
  const faults: JsonFault[] = []
  const status = sale.string(at.status)
  if (sale.string(at.calculationId) !== idempotencyKey) {
    faults.push(faultOf(sale, 'calculationId', 'the value of the Idempotency-Key header'))
  }
  if (sale.has(at.failureReason) !== (status === 'failed')) {
    faults.push(faultOf(sale, 'failureReason', presence(status === 'failed', status)))
  }
  if (sale.has(at.transactionId) !== (status !== 'cancelled')) {
    faults.push(faultOf(sale, 'transactionId', presence(status !== 'cancelled', status)))
  }
  if (status === 'cancelled' && sale.has(at.paidTotal)) {
    faults.push(faultOf(sale, 'paidTotal', presence(false, status)))
  }
  if (status !== 'applied' && (sale.numberOrNull(at.loyaltyDiscountTotal) ?? 0) !== 0) {
    faults.push(faultOf(sale, 'loyaltyDiscountTotal', `0 or no such field, since status is ${status}`))
  }
  return faults
}

function presence(isRequired: boolean, status: string): string {
  return `${isRequired ? 'this field' : 'no such field'}, since status is ${status}`
}

function faultOf(sale: Fields, field: keyof typeof salePlaces, expected: string): JsonFault {
  const value = sale.sent(salePlaces[field])
  return { field, expected, received: value < 0 ? receivedNothing : sale.json.excerpt(value) }
}

function eventOf(json: JsonText): SaleEvent {
  const sale = new Fields(json, 0, saleRule)
  const at = salePlaces
  const context = new Fields(json, sale.sent(at.context), contextRule)
  return {
    calculationId: sale.string(at.calculationId),
    status: sale.string(at.status) as SaleEvent['status'],
    failureReason: sale.stringOrNull(at.failureReason),
    transactionId: sale.stringOrNull(at.transactionId),
    receiptNumber: sale.numberOrNull(at.receiptNumber),
    loyaltyId: memberFromText(sale.stringOrNull(at.loyaltyId)),
    currency: sale.string(at.currency),
    paidTotal: sale.numberOrNull(at.paidTotal),
    loyaltyDiscountTotal: sale.numberOrNull(at.loyaltyDiscountTotal),
    occurredAt: sale.string(at.occurredAt),
    venueId: context.string(contextPlaces.venueId),
    baxId: context.string(contextPlaces.baxId),
    cashRegisterId: context.string(contextPlaces.cashRegisterId),
    terminalId: context.stringOrNull(contextPlaces.terminalId),
    clerkNumber: context.numberOrNull(contextPlaces.clerkNumber),
    channel: context.string(contextPlaces.channel),
    digest: createHash('sha256').update(json.bytes).digest(),
  }
}
