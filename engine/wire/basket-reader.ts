import type { Basket, Line, LineDiscount, OrderDiscount, OrderDiscountAllocation, Totals } from '../core/base/basket.js'
import { fieldValueIn } from './field-value.js'
import { Fields } from './fields.js'
import { faultsMax, type JsonFault, receivedNothing } from './json-faults.js'
import { type JsonText, memberPath } from './json-text.js'
import { momentFromText } from './moment.js'
import {
  allocationPlaces,
  allocationRule,
  basketPlaces,
  basketRule,
  contextPlaces,
  contextRule,
  discountPlaces,
  discountRule,
  linePlaces,
  lineRule,
  orderDiscountPlaces,
  orderDiscountRule,
  totalsPlaces,
  totalsRule,
} from './request-rules.js'

/** Checks what the schema cannot express (wire decisions 1): the key, unique ids, parents without a cycle, a percentage where due. */
export class BasketReader {
  readonly faults: JsonFault[] = []
  lineFields: readonly Fields[] = []

  constructor(private readonly json: JsonText) {}

  read(idempotencyKey: string): Basket {
    const root = new Fields(this.json, 0, basketRule)
    this.checkIds(root, idempotencyKey)
    const context = new Fields(this.json, root.sent(basketPlaces.context), contextRule)
    return {
      currency: root.string(basketPlaces.currency),
      requestedAt: momentFromText(root.string(basketPlaces.requestedAt))!,
      channel: context.string(contextPlaces.channel),
      venueId: context.string(contextPlaces.venueId),
      supersedes: root.stringOrNull(basketPlaces.supersedesCalculationId),
      lines: this.readLines(root.items(basketPlaces.lines)),
      orderDiscounts: this.readOrderDiscounts(root.items(basketPlaces.orderDiscounts)),
      totals: this.readTotals(root.sent(basketPlaces.totals)),
      fieldOf: (line, name) => fieldValueIn(this.json, this.lineFields[line]!.object, name),
    }
  }

  private checkIds(root: Fields, idempotencyKey: string): void {
    const calculationId = root.string(basketPlaces.calculationId)
    if (calculationId !== idempotencyKey) {
      this.refuse(root.sent(basketPlaces.calculationId), 'the value of the Idempotency-Key header')
    }
    if (root.stringOrNull(basketPlaces.supersedesCalculationId) === calculationId) {
      this.refuse(root.sent(basketPlaces.supersedesCalculationId), 'another UUID than calculationId')
    }
  }

  private readLines(items: readonly number[]): readonly Line[] {
    const all = items.map((item) => new Fields(this.json, item, lineRule))
    this.lineFields = all
    const positions = new Map<string, number>()
    for (const [position, fields] of all.entries()) {
      const lineId = fields.string(linePlaces.lineId)
      if (positions.has(lineId)) this.refuse(fields.sent(linePlaces.lineId), 'a lineId that is unique in the basket')
      positions.set(lineId, position)
    }
    const lines = all.map((fields) => this.readLine(fields, positions))
    const cyclic = findCycle(lines)
    if (cyclic >= 0) this.refuse(all[cyclic]!.sent(linePlaces.parentLineId), 'parents that form no cycle')
    return lines
  }

  private readLine(fields: Fields, positions: ReadonlyMap<string, number>): Line {
    const at = linePlaces
    return {
      lineId: fields.string(at.lineId),
      parent: this.readParent(fields, positions),
      productId: fields.string(at.productId),
      productGroupId: fields.stringOrNull(at.productGroupId),
      productMasterId: fields.stringOrNull(at.productMasterId),
      ean: fields.stringOrNull(at.ean),
      quantity: fields.number(at.quantity),
      unitPrice: fields.number(at.unitPrice),
      overrideUnitPrice: fields.numberOrNull(at.overrideUnitPrice),
      noDiscount: fields.flag(at.noDiscount),
      noPercentageDiscount: fields.flag(at.noPercentageDiscount),
      weighed: fields.flag(at.weighed),
      discounts: eachOf(fields.items(at.discounts), (item) =>
        this.readDiscount(new Fields(this.json, item, discountRule), discountPlaces),
      ),
      orderDiscountAllocations: eachOf(fields.items(at.orderDiscountAllocations), (item) => this.readAllocation(item)),
      addedByLoyalty: fields.flag(at.addedByLoyalty),
      splitFromLineId: fields.stringOrNull(at.splitFromLineId),
      totals: this.readTotals(fields.sent(at.totals)),
    }
  }

  private readParent(fields: Fields, positions: ReadonlyMap<string, number>): number {
    const parentLineId = fields.stringOrNull(linePlaces.parentLineId)
    if (parentLineId === null) return -1
    const parent = positions.get(parentLineId)
    if (parent === undefined) this.refuse(fields.sent(linePlaces.parentLineId), 'the lineId of a line of the basket')
    return parent ?? -1
  }

  private readDiscount(fields: Fields, at: typeof discountPlaces): LineDiscount {
    const type = fields.string(at.type) as LineDiscount['type']
    const percentage = fields.numberOrNull(at.percentage)
    this.checkPercentage(fields.object, type, percentage)
    return {
      type,
      percentage,
      amount: fields.number(at.amount),
      lineDiscountCode: fields.stringOrNull(at.lineDiscountCode),
      text: fields.stringOrNull(at.text),
      campaign: fields.stringOrNull(at.campaign),
    }
  }

  private readOrderDiscounts(items: readonly number[]): readonly OrderDiscount[] {
    const seen = new Set<string>()
    return items.map((item) => {
      const fields = new Fields(this.json, item, orderDiscountRule)
      const at = orderDiscountPlaces
      const orderDiscountId = fields.string(at.orderDiscountId)
      if (seen.has(orderDiscountId)) {
        this.refuse(fields.sent(at.orderDiscountId), 'an orderDiscountId that is unique in the basket')
      }
      seen.add(orderDiscountId)
      return { orderDiscountId, ...this.readDiscount(fields, at) }
    })
  }

  private checkPercentage(item: number, type: LineDiscount['type'], percentage: number | null): void {
    if (type !== 'percentage' || percentage !== null || this.isFull) return
    const field = memberPath(this.json.path(item), 'percentage')
    this.faults.push({ field, expected: 'a percentage, since type is percentage', received: receivedNothing })
  }

  private readAllocation(item: number): OrderDiscountAllocation {
    const fields = new Fields(this.json, item, allocationRule)
    return {
      orderDiscountId: fields.string(allocationPlaces.orderDiscountId),
      amount: fields.number(allocationPlaces.amount),
    }
  }

  private readTotals(value: number): Totals {
    const fields = new Fields(this.json, value, totalsRule)
    return {
      gross: fields.number(totalsPlaces.gross),
      lineDiscount: fields.number(totalsPlaces.lineDiscount),
      orderDiscount: fields.number(totalsPlaces.orderDiscount),
      net: fields.number(totalsPlaces.net),
    }
  }

  private refuse(value: number, expected: string): void {
    if (this.isFull) return
    this.faults.push({ field: this.json.path(value), expected, received: this.json.excerpt(value) })
  }

  private get isFull(): boolean {
    return this.faults.length >= faultsMax
  }
}

const none: readonly never[] = []

function eachOf<T>(items: readonly number[], read: (item: number) => T): readonly T[] {
  return items.length === 0 ? none : items.map(read)
}

function findCycle(lines: readonly Line[]): number {
  const walks = new Int32Array(lines.length)
  for (let start = 0; start < lines.length; start++) {
    let position = start
    while (position >= 0 && walks[position] === 0) {
      walks[position] = start + 1
      position = lines[position]!.parent
    }
    if (position >= 0 && walks[position] === start + 1) return position
  }
  return -1
}
