import type { Line, LineDiscount, OrderDiscount, OrderDiscountAllocation, Totals } from '../core/base/basket.js'
import type { Money, Quantity } from '../core/base/money.js'
import type { OutcomeDiscount, OutcomeLine } from '../core/base/outcome.js'
import { textFromScaled } from './decimal.js'
import { FieldOrder, Fields } from './fields.js'
import { allocationPlaces, allocationRule, linePlaces, totalsPlaces, totalsRule } from './request-rules.js'
import { ItemsWriter, jsonFromString, TextWriter } from './text-writer.js'

const quantityDecimals = 3
const percentageDecimals = 4

export interface SentLine {
  readonly fields: Fields
  readonly line: Line
  hasLine(lineId: string): boolean
}

const lineOrder = new FieldOrder(linePlaces, [
  'lineId',
  'parentLineId',
  'quantity',
  'overrideUnitPrice',
  'splitFromLineId',
  'discounts',
  'orderDiscountAllocations',
  'totals',
])

export function writeLine(writer: TextWriter, sent: SentLine, line: OutcomeLine): void {
  for (const name of lineOrder.in(sent.fields)) {
    switch (name) {
      case 'lineId':
        if (line.kind === 'split') writer.replace(sent.fields.sent(linePlaces.lineId), jsonFromString(line.lineId))
        break
      case 'parentLineId':
        writeParent(writer, sent)
        break
      case 'quantity':
        writeQuantity(writer, sent, line.quantity)
        break
      case 'overrideUnitPrice':
        writeOverride(writer, sent, line.overrideUnitPrice)
        break
      case 'splitFromLineId':
        writeMark(writer, sent, line.splitFromLineId)
        break
      case 'discounts':
        writeDiscounts(writer, sent, line)
        break
      case 'orderDiscountAllocations':
        writeAllocations(writer, sent, line.orderDiscountAllocations)
        break
      case 'totals':
        writeTotals(writer, { value: sent.fields.sent(linePlaces.totals), totals: sent.line.totals }, line.totals)
    }
  }
}

/** A copy of the source line, unknown fields included, with a new lineId and the outcome's values (contract 2.7, benefits 2). */
export function textOfSplit(sent: SentLine, line: OutcomeLine): string {
  const { json, object: source } = sent.fields
  const writer = new TextWriter(json, json.start(source))
  writeLine(writer, sent, line)
  return writer.finish(json.end(source)).text
}

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
    `,"discounts":[${textsOfNewDiscounts(line.discounts, line.amounts).join(',')}]`,
    `,"orderDiscountAllocations":[${line.orderDiscountAllocations.map(textOfAllocation).join(',')}]`,
    `,"addedByLoyalty":true,"totals":${textOfTotals(line.totals)}}`,
  ].join('')
}

export function textOfOrderDiscount(discount: OrderDiscount): string {
  return `{"orderDiscountId":${jsonFromString(discount.orderDiscountId)},${membersOfDiscount(discount, discount.amount)}}`
}

export interface SentTotals {
  readonly value: number
  readonly totals: Totals
}

const totalsOrder = new FieldOrder(totalsPlaces, ['gross', 'lineDiscount', 'orderDiscount', 'net'])

export function writeTotals(writer: TextWriter, { value, totals: sent }: SentTotals, totals: Totals): void {
  const { gross, lineDiscount, orderDiscount, net } = totals
  const isOther = sent.gross !== gross || sent.net !== net
  if (!isOther && sent.lineDiscount === lineDiscount && sent.orderDiscount === orderDiscount) return
  const fields = new Fields(writer.json, value, totalsRule)
  for (const name of totalsOrder.in(fields)) {
    const amount = amountOf(totals, name)
    if (amountOf(sent, name) !== amount) writer.replace(fields.sent(totalsPlaces[name]), String(amount))
  }
}

// A switch: `totals[name]` takes twice as long.
function amountOf(totals: Totals, name: keyof Totals): Money {
  switch (name) {
    case 'gross':
      return totals.gross
    case 'lineDiscount':
      return totals.lineDiscount
    case 'orderDiscount':
      return totals.orderDiscount
    case 'net':
      return totals.net
  }
}

export function setNewItems(writer: TextWriter, field: Field, texts: readonly string[]): void {
  if (texts.length > 0 || field.fields.items(field.place).length > 0) setMember(writer, field, `[${texts.join(',')}]`)
}

interface Field {
  readonly fields: Fields
  readonly place: number
}

function setMember(writer: TextWriter, { fields, place }: Field, text: string): void {
  const sent = fields.sent(place)
  if (sent >= 0) writer.replace(sent, text)
  else writer.insertMember(fields.object, fields.nameOf(place), text)
}

function writeParent(writer: TextWriter, { fields, line, hasLine }: SentLine): void {
  if (line.parent < 0 || hasLine(fields.string(linePlaces.parentLineId))) return
  writer.replace(fields.sent(linePlaces.parentLineId), 'null')
}

function writeQuantity(writer: TextWriter, { fields, line }: SentLine, wanted: Quantity): void {
  if (line.quantity === wanted) return
  writer.replace(fields.sent(linePlaces.quantity), textFromScaled(wanted, quantityDecimals))
}

function writeOverride(writer: TextWriter, { fields, line }: SentLine, wanted: Money | null): void {
  const place = linePlaces.overrideUnitPrice
  if (line.overrideUnitPrice === wanted) return
  if (wanted === null) writer.removeMember(fields.object, fields.sent(place))
  else setMember(writer, { fields, place }, String(wanted))
}

// Removes a mark by writing null, which counts as absent (wire decisions 9).
function writeMark(writer: TextWriter, { fields, line }: SentLine, wanted: string | null): void {
  if (line.splitFromLineId === wanted) return
  const place = linePlaces.splitFromLineId
  setMember(writer, { fields, place }, wanted === null ? 'null' : jsonFromString(wanted))
}

function writeDiscounts(writer: TextWriter, { fields, line }: SentLine, { discounts, amounts }: OutcomeLine): void {
  const place = linePlaces.discounts
  const first = discounts.find((each) => each.kind === 'kept')
  if (first === undefined) {
    setNewItems(writer, { fields, place }, textsOfNewDiscounts(discounts, amounts))
    return
  }
  if (line.discounts.length === 0) throw new Error('a line that was sent without discounts cannot keep one')
  const sent = fields.items(place)
  const items = new ItemsWriter(writer, fields.sent(place), sent[first.position]!)
  for (const [index, each] of discounts.entries()) {
    if (each.kind === 'kept') items.stay(sent[each.position]!)
    else items.add(textOfDiscount(each, amounts[index]!))
  }
  items.end()
}

/** A sent allocation keeps its position and unknown fields under a new amount. */
function writeAllocations(
  writer: TextWriter,
  { fields, line }: SentLine,
  allocations: readonly OrderDiscountAllocation[],
): void {
  const place = linePlaces.orderDiscountAllocations
  const matches = line.orderDiscountAllocations.length === 0 ? none : matchesOf(allocations, line)
  const first = matches.find((position) => position >= 0)
  if (first === undefined) {
    setNewItems(writer, { fields, place }, allocations.map(textOfAllocation))
    return
  }
  const sent = fields.items(place)
  const items = new ItemsWriter(writer, fields.sent(place), sent[first]!)
  for (const [index, allocation] of allocations.entries()) {
    const position = matches[index]!
    if (position < 0) items.add(textOfAllocation(allocation))
    else {
      items.stay(sent[position]!)
      writeAllocation(writer, new Fields(writer.json, sent[position]!, allocationRule), allocation)
    }
  }
  items.end()
}

const none: readonly number[] = []

function matchesOf(allocations: readonly OrderDiscountAllocation[], line: Line): readonly number[] {
  const sent = line.orderDiscountAllocations
  let next = 0
  return allocations.map(({ orderDiscountId }) => {
    const found = sent.findIndex((each, position) => position >= next && each.orderDiscountId === orderDiscountId)
    if (found >= 0) next = found + 1
    return found
  })
}

function writeAllocation(writer: TextWriter, fields: Fields, { amount }: OrderDiscountAllocation): void {
  const place = allocationPlaces.amount
  if (fields.number(place) !== amount) writer.replace(fields.sent(place), String(amount))
}

function textsOfNewDiscounts(discounts: readonly OutcomeDiscount[], amounts: readonly Money[]): readonly string[] {
  const texts: string[] = []
  for (let index = 0; index < discounts.length; index++) {
    const discount = discounts[index]!
    if (discount.kind === 'added') texts.push(textOfDiscount(discount, amounts[index]!))
  }
  return texts
}

function textOfDiscount(discount: Omit<LineDiscount, 'amount'>, amount: Money): string {
  return `{${membersOfDiscount(discount, amount)}}`
}

function membersOfDiscount(
  { type, percentage, lineDiscountCode, text, campaign }: Omit<LineDiscount, 'amount'>,
  amount: Money,
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

function member(name: string, text: string | null): string {
  return text === null ? '' : `,"${name}":${jsonFromString(text)}`
}
