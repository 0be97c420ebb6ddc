import type {
  Basket,
  Line,
  LineDiscount,
  MemberFacts,
  VenueFacts,
  VenueProduct,
} from '../../../engine/core/base/basket.js'
import type { Calculation, OutcomeDiscount, OutcomeLine, PricedBasket } from '../../../engine/core/base/outcome.js'
import type { Benefit, Reward } from '../../../engine/core/base/programme.js'
import { calculate, checkIdentities, compileProgramme } from '../../../engine/core/index.js'
import { fieldValueOf } from '../../../engine/wire/field-value.js'
import { roundOf, sumOf } from '../../oracle/spread.js'

/** The code that marks the service's own discounts. */
export const code = 'THIRD_PARTY_LOYALTY'

export interface LineSketch {
  id?: string
  product?: string
  group?: string
  master?: string
  ean?: string
  /** In units; 1.5 is a weighed line. */
  quantity?: number
  price?: number
  override?: number
  parent?: number
  noDiscount?: boolean
  noPercentageDiscount?: boolean
  weighed?: boolean
  /** Members of the POS's own. */
  fields?: Readonly<Record<string, string | number | boolean>>
  /** Amounts of the POS's own discounts. */
  own?: readonly (number | Partial<LineDiscount>)[]
  allocations?: Readonly<Record<string, number>>
  addedByLoyalty?: boolean
  splitFrom?: string
}

/** A line whose totals add up. */
export function aLine(sketch: LineSketch, position = 0): Line {
  const quantity = Math.round((sketch.quantity ?? 1) * 1000)
  const unitPrice = sketch.price ?? 1000
  const discounts = (sketch.own ?? []).map((each) => aDiscount(typeof each === 'number' ? { amount: each } : each))
  const allocations = Object.entries(sketch.allocations ?? {}).map(([orderDiscountId, amount]) => ({
    orderDiscountId,
    amount,
  }))
  const gross = roundOf(quantity, sketch.override ?? unitPrice, 1000)
  const lineDiscount = sumOf(discounts.map(({ amount }) => amount))
  const orderDiscount = sumOf(allocations.map(({ amount }) => amount))
  return {
    lineId: sketch.id ?? `line-${position}`,
    parent: sketch.parent ?? -1,
    productId: sketch.product ?? `product-${position}`,
    productGroupId: sketch.group ?? null,
    productMasterId: sketch.master ?? null,
    ean: sketch.ean ?? null,
    quantity,
    unitPrice,
    overrideUnitPrice: sketch.override ?? null,
    noDiscount: sketch.noDiscount ?? false,
    noPercentageDiscount: sketch.noPercentageDiscount ?? false,
    weighed: sketch.weighed ?? false,
    discounts,
    orderDiscountAllocations: allocations,
    addedByLoyalty: sketch.addedByLoyalty ?? false,
    splitFromLineId: sketch.splitFrom ?? null,
    totals: { gross, lineDiscount, orderDiscount, net: gross - lineDiscount - orderDiscount },
  }
}

/** A discount of the POS's own. */
export function aDiscount(sketch: Partial<LineDiscount>): LineDiscount {
  return {
    type: 'amount',
    percentage: null,
    amount: 0,
    lineDiscountCode: null,
    text: 'Staff',
    campaign: null,
    ...sketch,
  }
}

/** A basket of lines, with the order discounts that their allocations name. */
export function aBasket(sketches: readonly LineSketch[], overrides: Partial<Basket> = {}): Basket {
  const lines = sketches.map(aLine)
  const fieldOf: Basket['fieldOf'] = (line, name) => {
    const value = sketches[line]?.fields?.[name]
    return value === undefined ? undefined : fieldValueOf(value)
  }
  return basketOf(lines, { fieldOf, ...overrides })
}

export function basketOf(lines: readonly Line[], overrides: Partial<Basket> = {}): Basket {
  const sums = new Map<string, number>()
  for (const { orderDiscountAllocations } of lines) {
    for (const { orderDiscountId, amount } of orderDiscountAllocations) {
      sums.set(orderDiscountId, (sums.get(orderDiscountId) ?? 0) + amount)
    }
  }
  return {
    currency: 'NOK',
    requestedAt: Date.parse('2026-11-21T12:00:00Z'),
    channel: 'pos',
    venueId: 'venue-1',
    lines,
    orderDiscounts: [...sums].map(([orderDiscountId, amount]) => ({ orderDiscountId, ...aDiscount({ amount }) })),
    totals: {
      gross: sumOf(lines.map(({ totals }) => totals.gross)),
      lineDiscount: sumOf(lines.map(({ totals }) => totals.lineDiscount)),
      orderDiscount: sumOf(lines.map(({ totals }) => totals.orderDiscount)),
      net: sumOf(lines.map(({ totals }) => totals.net)),
    },
    ...overrides,
  }
}

export function aBenefit(benefitId: string, reward: Reward, overrides: Partial<Benefit> = {}): Benefit {
  return {
    benefitId,
    text: benefitId,
    campaign: null,
    priority: 0,
    sequence: 0,
    group: null,
    validFrom: null,
    validUntil: null,
    schedule: null,
    venueIds: null,
    channels: null,
    audience: null,
    conditions: null,
    existingDiscounts: 'replace',
    combination: 'normal',
    limits: [],
    costs: null,
    ...overrides,
    reward,
  }
}

/** 20 % is `percent(20)`. */
export function percent(value: number): number {
  return Math.round(value * 10_000)
}

export const aMember: MemberFacts = { memberId: 'member-1', tier: 'gold', segments: ['students'] }

export function aVenue(products: readonly Partial<VenueProduct>[] = []): VenueFacts {
  return { venueId: 'venue-1', currency: 'NOK', timeZone: 'Europe/Oslo', products: products.map(aProduct) }
}

/** A product of a price list, by default a gift of 5.00. */
export function aProduct(fields: Partial<VenueProduct>): VenueProduct {
  const { productId = 'gift', unitPrice = 500 } = fields
  const identity = { productId, name: productId, productGroupId: null, productMasterId: null, ean: null }
  return { ...identity, unitPrice, noDiscount: false, noPercentageDiscount: false, ...fields }
}

export interface Asked {
  readonly member?: MemberFacts
  readonly venue?: VenueFacts
  readonly available?: Readonly<Record<string, number>>
  readonly stepsMax?: number
}

/** Prices a basket and checks the answer against the identities and the promises that hold for every answer. */
export function price(basket: Basket, benefits: readonly Benefit[], asked: Asked = {}): Calculation {
  const fault = checkIdentities(basket)
  if (fault !== null) throw new Error(`test basket does not add up: ${JSON.stringify(fault)}`)
  const calculation = calculate(compileProgramme(benefits), {
    basket,
    member: aMember,
    venue: aVenue(),
    available: {},
    discountCode: code,
    stepsMax: 200_000,
    ...asked,
  })
  if (calculation.outcome.status === 'applied') assertHolds(basket, calculation.outcome.basket)
  return calculation
}

/** The priced basket of an answer with changes. */
export function applied(calculation: Calculation): PricedBasket {
  if (calculation.outcome.status !== 'applied') throw new Error(`unchanged: ${calculation.outcome.reason}`)
  return calculation.outcome.basket
}

export function netsOf(calculation: Calculation): number[] {
  return applied(calculation).lines.map(({ totals }) => totals.net)
}

/** The service's discounts on a line, as [type, amount]. */
export function addedOn(line: OutcomeLine | undefined): [string, number][] {
  return (line?.discounts ?? []).flatMap((each, at) =>
    each.kind === 'added' ? [[each.type, line!.amounts[at]!] as [string, number]] : [],
  )
}

/** The basket that the POS would send if it sent the answer back. */
export function sentBack(basket: Basket, priced: PricedBasket): Basket {
  const ids = new Map(priced.lines.map(({ lineId }, position) => [lineId, position]))
  const lines = priced.lines.map((line) => lineSentBack(line, basket, ids))
  const orderDiscounts = priced.orderDiscounts.map((order) =>
    order.kind === 'added' ? order.discount : { ...basket.orderDiscounts[order.position]!, amount: order.amount },
  )
  return { ...basket, lines, orderDiscounts, totals: priced.totals }
}

function lineSentBack(line: OutcomeLine, basket: Basket, ids: ReadonlyMap<string, number>): Line {
  const source = line.source === -1 ? null : basket.lines[line.source]!
  const own = line.product ?? source!
  const parentId = source === null || source.parent === -1 ? null : basket.lines[source.parent]!.lineId
  return {
    lineId: line.lineId,
    parent: parentId === null ? -1 : (ids.get(parentId) ?? -1),
    productId: own.productId,
    productGroupId: own.productGroupId,
    productMasterId: own.productMasterId,
    ean: own.ean,
    quantity: line.quantity,
    unitPrice: own.unitPrice,
    overrideUnitPrice: line.overrideUnitPrice,
    noDiscount: own.noDiscount,
    noPercentageDiscount: own.noPercentageDiscount,
    weighed: source?.weighed ?? false,
    discounts: line.discounts.map((each, at) => discountSentBack(each, line.amounts[at]!, source)),
    orderDiscountAllocations: line.orderDiscountAllocations,
    addedByLoyalty: line.kind === 'added' || (source?.addedByLoyalty ?? false),
    splitFromLineId: line.splitFromLineId,
    totals: line.totals,
  }
}

function discountSentBack(discount: OutcomeDiscount, amount: number, source: Line | null): LineDiscount {
  if (discount.kind === 'kept') return source!.discounts[discount.position]!
  const { kind: _, ...said } = discount
  return { ...said, amount }
}

function assertHolds(basket: Basket, priced: PricedBasket): void {
  const fault = checkIdentities(sentBack(basket, priced))
  if (fault !== null) throw new Error(`an identity does not hold: ${JSON.stringify(fault)}`)
  const ids = priced.lines.map(({ lineId }) => lineId)
  if (new Set(ids).size !== ids.length) throw new Error(`line ids repeat: ${ids}`)
  for (const line of priced.lines) assertDiscounts(line)
}

function assertDiscounts(line: OutcomeLine): void {
  for (const [at, { kind }] of line.discounts.entries()) {
    if (kind === 'added' && line.amounts[at] === 0) throw new Error('a discount of 0 was added')
  }
}
