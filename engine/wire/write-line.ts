import type { LineDiscount, OrderDiscount, OrderDiscountAllocation, Totals } from '../core/basket.js'
import type { OutcomeDiscount, OutcomeLine } from '../core/outcome.js'
import { textFromScaled } from './decimal.js'
import { Fields } from './fields.js'
import type { JsonText } from './json-text.js'
import { allocationPlaces, allocationRule, linePlaces, totalsPlaces, totalsRule } from './request-rules.js'
import { type ArrayItem, applyEdits, jsonFromString, TextEdits } from './text-edits.js'

/** Decimals of a quantity and of a percentage as the engine counts them. */
const quantityDecimals = 3
const percentageDecimals = 4

type Edited = Pick<
  OutcomeLine,
  'quantity' | 'overrideUnitPrice' | 'splitFromLineId' | 'discounts' | 'orderDiscountAllocations' | 'totals'
>

/**
 * Edits a sent line into what the outcome says of it; values that are the same already stay as they were written.
 *
 * @param lineIds  of all lines of the outcome: a parent that is not among them was taken off, and its child stands alone
 */
export function editLine(edits: TextEdits, fields: Fields, line: Edited, lineIds: ReadonlySet<string>): void {
  const at = linePlaces
  if (fields.has(at.parentLineId) && !lineIds.has(fields.string(at.parentLineId))) {
    edits.replace(fields.sent(at.parentLineId), 'null')
  }
  if (fields.number(at.quantity) !== line.quantity) {
    edits.replace(fields.sent(at.quantity), textFromScaled(line.quantity, quantityDecimals))
  }
  editOverride(edits, fields, line.overrideUnitPrice)
  editMark(edits, fields, line.splitFromLineId)
  editDiscounts(edits, fields, line.discounts)
  editAllocations(edits, fields, line.orderDiscountAllocations)
  editTotals(edits, fields.json, fields.sent(at.totals), line.totals)
}

/**
 * The text of a line split off: the fields of the old one, foreign ones too, but for the lineId and what the outcome says
 * (contract 2.7, benefits 2).
 */
export function textOfSplit(fields: Fields, line: OutcomeLine, lineIds: ReadonlySet<string>): string {
  const { json, object: source } = fields
  const at = linePlaces
  const edits = new TextEdits(json)
  editLine(edits, fields, line, lineIds)
  edits.replace(fields.sent(at.lineId), jsonFromString(line.lineId))
  return applyEdits(json.text, edits.take(), json.start(source), json.end(source))
}

/** The text of a line the service adds: the contract's fields, from the venue's price list. */
export function textOfAdded(line: OutcomeLine): string {
  const { product, overrideUnitPrice } = line
  if (product === null) throw new Error(`an added line without its product: ${line.lineId}`)
  const override = overrideUnitPrice === null ? '' : `,"overrideUnitPrice":${overrideUnitPrice}`
  return [
    `{"lineId":${jsonFromString(line.lineId)}`,
    member('productId', product.productId),
    member('productGroupId', product.productGroupId),
    member('productMasterId', product.productMasterId),
    member('ean', product.ean),
    `,"quantity":${textFromScaled(line.quantity, quantityDecimals)},"unitPrice":${product.unitPrice}${override}`,
    `,"noDiscount":${product.noDiscount}${product.noPercentageDiscount ? ',"noPercentageDiscount":true' : ''}`,
    `,"discounts":[${line.discounts.map(textOfNewDiscount).join(',')}]`,
    `,"orderDiscountAllocations":[${line.orderDiscountAllocations.map(textOfAllocation).join(',')}]`,
    `,"addedByLoyalty":true,"totals":${textOfTotals(line.totals)}}`,
  ].join('')
}

/** The text of an order discount the service adds. */
export function textOfOrderDiscount(discount: OrderDiscount): string {
  return `{"orderDiscountId":${jsonFromString(discount.orderDiscountId)},${membersOfDiscount(discount)}}`
}

/** Edits totals that were sent; only sums that differ are written anew. */
export function editTotals(edits: TextEdits, json: JsonText, value: number, totals: Totals): void {
  const fields = new Fields(json, value, totalsRule)
  for (const name of totalNames) {
    const place = totalsPlaces[name]
    if (fields.number(place) !== totals[name]) edits.replace(fields.sent(place), String(totals[name]))
  }
}

/** Puts a field in place, whether it was sent, sent as null, or absent. */
export function setMember(edits: TextEdits, fields: Fields, place: number, text: string): void {
  const sent = fields.sent(place)
  if (sent >= 0) edits.replace(sent, text)
  else edits.insertMember(fields.object, fields.nameOf(place), text)
}

/** Makes an array field hold these items; it appears where it was absent, and is left alone where nothing changes. */
export function setItems(edits: TextEdits, fields: Fields, place: number, items: readonly ArrayItem[]): void {
  const sent = fields.items(place)
  const isSame = items.length === sent.length && items.every((item) => item.kind === 'sent')
  if (isSame) return
  if (fields.has(place)) edits.setItems(fields.sent(place), items)
  else setMember(edits, fields, place, `[${items.map((item) => (item.kind === 'new' ? item.text : '')).join(',')}]`)
}

const totalNames = ['gross', 'lineDiscount', 'orderDiscount', 'net'] as const

function editOverride(edits: TextEdits, fields: Fields, wanted: number | null): void {
  const place = linePlaces.overrideUnitPrice
  if (fields.numberOrNull(place) === wanted) return
  if (wanted === null) edits.removeMember(fields.object, fields.sent(place))
  else setMember(edits, fields, place, String(wanted))
}

// A mark that goes is written as null, which counts as absent (wire decisions 9).
function editMark(edits: TextEdits, fields: Fields, wanted: string | null): void {
  const place = linePlaces.splitFromLineId
  if (fields.stringOrNull(place) !== wanted) {
    setMember(edits, fields, place, wanted === null ? 'null' : jsonFromString(wanted))
  }
}

function editDiscounts(edits: TextEdits, fields: Fields, discounts: readonly OutcomeDiscount[]): void {
  const sent = fields.items(linePlaces.discounts)
  const items = discounts.map(
    (each): ArrayItem =>
      each.kind === 'kept'
        ? { kind: 'sent', value: sent[each.position]! }
        : { kind: 'new', text: textOfDiscount(each.discount) },
  )
  setItems(edits, fields, linePlaces.discounts, items)
}

/** An allocation that was sent keeps its place and foreign fields under a new amount; each stands for one of the outcome's. */
function editAllocations(edits: TextEdits, fields: Fields, allocations: readonly OrderDiscountAllocation[]): void {
  const sent = fields
    .items(linePlaces.orderDiscountAllocations)
    .map((item) => new Fields(fields.json, item, allocationRule))
  let next = 0
  const items = allocations.map((allocation): ArrayItem => {
    const found = sent.findIndex((each, index) => index >= next && isAllocationOf(each, allocation))
    if (found < 0) return { kind: 'new', text: textOfAllocation(allocation) }
    next = found + 1
    return { kind: 'sent', value: editAllocation(edits, sent[found]!, allocation) }
  })
  setItems(edits, fields, linePlaces.orderDiscountAllocations, items)
}

function isAllocationOf(fields: Fields, allocation: OrderDiscountAllocation): boolean {
  return fields.string(allocationPlaces.orderDiscountId) === allocation.orderDiscountId
}

function editAllocation(edits: TextEdits, fields: Fields, allocation: OrderDiscountAllocation): number {
  if (fields.number(allocationPlaces.amount) !== allocation.amount) {
    edits.replace(fields.sent(allocationPlaces.amount), String(allocation.amount))
  }
  return fields.object
}

function textOfNewDiscount(discount: OutcomeDiscount): string {
  if (discount.kind === 'kept') throw new Error('an added line cannot keep a discount')
  return textOfDiscount(discount.discount)
}

function textOfDiscount(discount: LineDiscount): string {
  return `{${membersOfDiscount(discount)}}`
}

function membersOfDiscount({ type, percentage, amount, lineDiscountCode, text, campaign }: LineDiscount): string {
  const written = percentage === null ? '' : `,"percentage":${textFromScaled(percentage, percentageDecimals)}`
  const texts = member('lineDiscountCode', lineDiscountCode) + member('text', text) + member('campaign', campaign)
  return `"type":"${type}"${written},"amount":${amount}${texts}`
}

function textOfAllocation({ orderDiscountId, amount }: OrderDiscountAllocation): string {
  return `{"orderDiscountId":${jsonFromString(orderDiscountId)},"amount":${amount}}`
}

function textOfTotals({ gross, lineDiscount, orderDiscount, net }: Totals): string {
  return `{"gross":${gross},"lineDiscount":${lineDiscount},"orderDiscount":${orderDiscount},"net":${net}}`
}

/** A member that follows another; nothing where there is no text. */
function member(name: string, text: string | null): string {
  return text === null ? '' : `,"${name}":${jsonFromString(text)}`
}
