import type { Line, LineDiscount, OrderDiscount, OrderDiscountAllocation, Totals } from '../core/base/basket.js'
import type { OutcomeLine } from '../core/base/outcome.js'
import { textFromScaled } from './decimal.js'
import { Fields } from './fields.js'
import type { JsonText } from './json-text.js'
import { allocationPlaces, allocationRule, linePlaces, totalsPlaces, totalsRule } from './request-rules.js'
import { type ArrayItem, applyEdits, jsonFromString, TextEdits } from './text-edits.js'

const quantityDecimals = 3
const percentageDecimals = 4

type Edited = Pick<
  OutcomeLine,
  'quantity' | 'overrideUnitPrice' | 'splitFromLineId' | 'discounts' | 'amounts' | 'orderDiscountAllocations' | 'totals'
>

/** A line of the request: its fields in the text, and their values. */
export interface SentLine {
  readonly fields: Fields
  readonly line: Line
  /** Whether the outcome has a line of this id. The child of a removed parent loses its `parentLineId`. */
  hasLine(lineId: string): boolean
}

/** Edits a sent line to match the outcome; equal values stay as written. */
export function editLine(edits: TextEdits, sent: SentLine, line: Edited): void {
  const { fields } = sent
  const at = linePlaces
  if (sent.line.parent >= 0 && !sent.hasLine(fields.string(at.parentLineId))) {
    edits.replace(fields.sent(at.parentLineId), 'null')
  }
  if (sent.line.quantity !== line.quantity) {
    edits.replace(fields.sent(at.quantity), textFromScaled(line.quantity, quantityDecimals))
  }
  editOverride(edits, sent, line.overrideUnitPrice)
  editMark(edits, sent, line.splitFromLineId)
  editDiscounts(edits, sent, line)
  editAllocations(edits, sent, line.orderDiscountAllocations)
  editTotals(edits, { json: fields.json, value: fields.sent(at.totals), totals: sent.line.totals }, line.totals)
}

/**
 * The text of a line split off: a copy of the source line, unknown fields included, with a new lineId and the outcome's
 * values (contract 2.7, benefits 2).
 */
export function textOfSplit(sent: SentLine, line: OutcomeLine): string {
  const { json, object: source } = sent.fields
  const edits = new TextEdits(json)
  editLine(edits, sent, line)
  edits.replace(sent.fields.sent(linePlaces.lineId), jsonFromString(line.lineId))
  return applyEdits(json.text, edits.take(), json.start(source), json.end(source))
}

/** The text of a line that the service adds, with fields from the venue's price list. */
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
    `,"discounts":[${textsOfNewDiscounts(line).join(',')}]`,
    `,"orderDiscountAllocations":[${line.orderDiscountAllocations.map(textOfAllocation).join(',')}]`,
    `,"addedByLoyalty":true,"totals":${textOfTotals(line.totals)}}`,
  ].join('')
}

export function textOfOrderDiscount(discount: OrderDiscount): string {
  return `{"orderDiscountId":${jsonFromString(discount.orderDiscountId)},${membersOfDiscount(discount, discount.amount)}}`
}

/** Totals of the request: their place in the text, and their values. */
export interface SentTotals {
  readonly json: JsonText
  readonly value: number
  readonly totals: Totals
}

/** Edits the totals that differ. */
export function editTotals(edits: TextEdits, { json, value, totals: sent }: SentTotals, totals: Totals): void {
  if (totalNames.every((name) => sent[name] === totals[name])) return
  const fields = new Fields(json, value, totalsRule)
  for (const name of totalNames) {
    if (sent[name] !== totals[name]) edits.replace(fields.sent(totalsPlaces[name]), String(totals[name]))
  }
}

function setMember(edits: TextEdits, fields: Fields, place: number, text: string): void {
  const sent = fields.sent(place)
  if (sent >= 0) edits.replace(sent, text)
  else edits.insertMember(fields.object, fields.nameOf(place), text)
}

function setNewItems(edits: TextEdits, fields: Fields, place: number, texts: readonly string[]): void {
  if (texts.length > 0) setMember(edits, fields, place, `[${texts.join(',')}]`)
}

/** Makes an array field hold these items. Adds the field where it was absent; writes nothing where nothing changes. */
export function setItems(edits: TextEdits, fields: Fields, place: number, items: readonly ArrayItem[]): void {
  const sent = fields.items(place)
  const isSame = items.length === sent.length && items.every((item) => item.kind === 'sent')
  if (isSame) return
  if (fields.has(place)) edits.setItems(fields.sent(place), items)
  else setMember(edits, fields, place, `[${items.map((item) => (item.kind === 'new' ? item.text : '')).join(',')}]`)
}

const totalNames = ['gross', 'lineDiscount', 'orderDiscount', 'net'] as const

function editOverride(edits: TextEdits, { fields, line }: SentLine, wanted: number | null): void {
  const place = linePlaces.overrideUnitPrice
  if (line.overrideUnitPrice === wanted) return
  if (wanted === null) edits.removeMember(fields.object, fields.sent(place))
  else setMember(edits, fields, place, String(wanted))
}

// Removes a mark by writing null, which counts as absent (wire decisions 9).
function editMark(edits: TextEdits, { fields, line }: SentLine, wanted: string | null): void {
  const place = linePlaces.splitFromLineId
  if (line.splitFromLineId !== wanted) {
    setMember(edits, fields, place, wanted === null ? 'null' : jsonFromString(wanted))
  }
}

function editDiscounts(edits: TextEdits, { fields, line }: SentLine, outcome: Discounted): void {
  if (line.discounts.length === 0) {
    setNewItems(edits, fields, linePlaces.discounts, textsOfNewDiscounts(outcome))
    return
  }
  const sent = fields.items(linePlaces.discounts)
  const items = outcome.discounts.map(
    (each, index): ArrayItem =>
      each.kind === 'kept'
        ? { kind: 'sent', value: sent[each.position]! }
        : { kind: 'new', text: `{${membersOfDiscount(each, outcome.amounts[index]!)}}` },
  )
  setItems(edits, fields, linePlaces.discounts, items)
}

/**
 * A sent allocation keeps its position and unknown fields under a new amount. Each matches at most one of the
 * outcome's.
 */
function editAllocations(
  edits: TextEdits,
  { fields, line }: SentLine,
  allocations: readonly OrderDiscountAllocation[],
): void {
  if (line.orderDiscountAllocations.length === 0) {
    setNewItems(edits, fields, linePlaces.orderDiscountAllocations, allocations.map(textOfAllocation))
    return
  }
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

type Discounted = Pick<OutcomeLine, 'discounts' | 'amounts'>

function textsOfNewDiscounts({ discounts, amounts }: Discounted): readonly string[] {
  return discounts.map((each, index) => {
    if (each.kind === 'kept') throw new Error('a line that was sent without discounts cannot keep one')
    return `{${membersOfDiscount(each, amounts[index]!)}}`
  })
}

function membersOfDiscount(
  { type, percentage, lineDiscountCode, text, campaign }: Omit<LineDiscount, 'amount'>,
  amount: number,
): string {
  const written = percentage === null ? '' : `,"percentage":${textFromScaled(percentage, percentageDecimals)}`
  return `"type":"${type}"${written},"amount":${amount}${wordsOf({ lineDiscountCode, text, campaign })}`
}

type Words = Pick<LineDiscount, 'lineDiscountCode' | 'text' | 'campaign'>

/** Cached discount texts at most: a benefit is on many lines, and on those of the next basket. */
const textsMax = 512
const texts = new Map<string | null, Words & { readonly written: string }>()

function wordsOf({ lineDiscountCode, text, campaign }: Words): string {
  const found = texts.get(text)
  if (found?.lineDiscountCode === lineDiscountCode && found.campaign === campaign) return found.written
  const written = member('lineDiscountCode', lineDiscountCode) + member('text', text) + member('campaign', campaign)
  if (texts.size === textsMax) texts.clear()
  texts.set(text, { lineDiscountCode, text, campaign, written })
  return written
}

function textOfAllocation({ orderDiscountId, amount }: OrderDiscountAllocation): string {
  return `{"orderDiscountId":${jsonFromString(orderDiscountId)},"amount":${amount}}`
}

function textOfTotals({ gross, lineDiscount, orderDiscount, net }: Totals): string {
  return `{"gross":${gross},"lineDiscount":${lineDiscount},"orderDiscount":${orderDiscount},"net":${net}}`
}

/** A member after the first; empty for null. */
function member(name: string, text: string | null): string {
  return text === null ? '' : `,"${name}":${jsonFromString(text)}`
}
