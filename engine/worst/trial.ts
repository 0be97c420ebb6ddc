import type { Basket, Line, LineDiscount, MemberFacts, VenueFacts, VenueProduct } from '../core/base/basket.js'
import { type Money, type Quantity, quantityTimes, sumOf } from '../core/base/money.js'
import type { Calculation, Want } from '../core/base/outcome.js'
import { counterKey } from '../core/base/outcome.js'
import { calculate } from '../core/calculate.js'
import type { CompiledProgramme } from '../core/match/compile.js'

export interface TrialProduct extends VenueProduct {
  readonly fields?: Readonly<Record<string, string>>
  readonly weighed?: true
}

export interface TrialItem {
  readonly product: TrialProduct
  readonly quantity: Quantity
  /** The POS's own discount on the line, minor units. Absent: none. */
  readonly own?: Money
  readonly below?: TrialProduct
}

export interface Setting {
  readonly member: MemberFacts
  readonly venue: VenueFacts
  readonly requestedAt: number
  readonly channel: Basket['channel']
}

export interface Trial {
  readonly setting: Setting
  readonly items: readonly TrialItem[]
}

export interface TrialPrice {
  readonly before: Money
  readonly after: Money
  readonly paid: Money
  readonly benefitIds: readonly string[]
  readonly calculation: Calculation
}

export class Pricer {
  steps = 0

  constructor(readonly programme: CompiledProgramme) {}

  price(trial: Trial, available: Readonly<Record<string, number>> = {}): TrialPrice {
    this.steps++
    const { member, venue } = trial.setting
    const basket = basketOf(trial)
    const facts = { member, venue, available, discountCode: 'LOYALTY', stepsMax: searchStepsMax }
    const calculation = calculate(this.programme, { basket, ...facts })
    const { outcome } = calculation
    const added = outcome.status === 'applied' ? outcome.basket.lines.filter(({ kind }) => kind === 'added') : []
    const applied = calculation.benefits.filter(({ dropped }) => dropped === null)
    const bought = applied.filter(({ spent }) => spent !== undefined)
    return {
      paid: calculation.netAfter + sumOf(bought.map(({ value }) => value)),
      before: basket.totals.net + sumOf(added.map(({ totals }) => totals.gross)),
      after: calculation.netAfter,
      benefitIds: applied.map(({ benefitId }) => benefitId),
      calculation,
    }
  }
}

const searchStepsMax = 20_000

export function leftAfter(wants: readonly Want[], before: Readonly<Record<string, number>>): Record<string, number> {
  const left: Record<string, number> = { ...before }
  for (const want of wants) {
    const key = counterKey(want)
    left[key] = Math.max(0, (left[key] ?? want.maximum) - want.units)
  }
  return left
}

export interface TrialLine extends Omit<TrialItem, 'below'> {
  readonly parent: number
}

export function linesOf(items: readonly TrialItem[]): readonly TrialLine[] {
  const lines: TrialLine[] = []
  for (const { below, ...item } of items) {
    const parent = lines.push({ ...item, parent: -1 }) - 1
    if (below !== undefined) lines.push({ product: below, quantity: item.quantity, parent })
  }
  return lines
}

function basketOf({ setting, items }: Trial): Basket {
  const sent = linesOf(items)
  const lines = sent.map(lineOf)
  const totalOf = (name: keyof Line['totals']) => sumOf(lines.map(({ totals }) => totals[name]))
  return {
    currency: setting.venue.currency,
    requestedAt: setting.requestedAt,
    channel: setting.channel,
    venueId: setting.venue.venueId,
    lines,
    orderDiscounts: [],
    totals: {
      gross: totalOf('gross'),
      lineDiscount: totalOf('lineDiscount'),
      orderDiscount: 0,
      net: totalOf('net'),
    },
    fieldOf: (line, name) => sent[line]!.product.fields?.[name],
  }
}

function lineOf({ product, quantity, own = 0, parent }: TrialLine, position: number): Line {
  const { productId, productGroupId, productMasterId, ean, unitPrice, noDiscount, noPercentageDiscount } = product
  const gross = quantityTimes(quantity, unitPrice)
  return {
    lineId: String(position),
    ...{
      parent,
      productId,
      productGroupId,
      productMasterId,
      ean,
      quantity,
      unitPrice,
      noDiscount,
      noPercentageDiscount,
    },
    overrideUnitPrice: null,
    weighed: product.weighed ?? false,
    discounts: own === 0 ? [] : [{ ...posDiscount, amount: own }],
    orderDiscountAllocations: [],
    addedByLoyalty: false,
    splitFromLineId: null,
    totals: { gross, lineDiscount: own, orderDiscount: 0, net: gross - own },
  }
}

const posDiscount: Omit<LineDiscount, 'amount'> = {
  type: 'amount',
  percentage: null,
  lineDiscountCode: null,
  text: null,
  campaign: null,
}
