import type { Basket, Line } from '../../engine/core/base/basket.js'
import type { Benefit } from '../../engine/core/base/programme.js'
import type { PricingCase } from './pricing-case.js'
import { type DrawnLine, withTotals } from './with-totals.js'

const roundsMax = 200

/** The smallest case found that still fails: removes pieces one by one. */
export function shrinkCase(failing: PricingCase, isFailing: (question: PricingCase) => boolean): PricingCase {
  let smallest = failing
  for (let round = 0; round < roundsMax; round += 1) {
    const smaller = smallerCases(smallest).find(isFailing)
    if (smaller === undefined) return smallest
    smallest = smaller
  }
  return smallest
}

function smallerCases(question: PricingCase): PricingCase[] {
  const { benefits, input } = question
  const lessBenefits = benefits.length > 1 ? benefits.map((_, at) => without(benefits, at)) : []
  const simpler = benefits.flatMap((benefit, at) => simplerBenefits(benefit).map((other) => benefits.with(at, other)))
  const baskets = smallerBaskets(input.basket).flatMap((basket) => withTotals(basket) ?? [])
  const counters = Object.keys(input.available)
  return [
    ...lessBenefits.map((list) => ({ benefits: list, input })),
    ...baskets.map((basket) => ({ benefits, input: { ...input, basket } })),
    ...simpler.map((list) => ({ benefits: list, input })),
    ...counters.map((counter) => {
      const available = Object.fromEntries(Object.entries(input.available).filter(([name]) => name !== counter))
      return { benefits, input: { ...input, available } }
    }),
  ]
}

function without<T>(list: readonly T[], at: number): T[] {
  return list.toSpliced(at, 1)
}

function simplerBenefits(benefit: Benefit): Benefit[] {
  const cleared = (
    ['validFrom', 'validUntil', 'schedule', 'venueIds', 'channels', 'audience', 'conditions', 'campaign'] as const
  )
    .filter((name) => benefit[name] !== null)
    .map((name) => ({ ...benefit, [name]: null }))
  const plain: Partial<Benefit>[] = [
    { priority: 0 },
    { sequence: 0 },
    { group: null },
    { combination: 'normal' },
    { existingDiscounts: 'add' },
  ]
  const others = plain
    .filter((change) => Object.entries(change).some(([name, value]) => benefit[name as keyof Benefit] !== value))
    .filter((change) => !(change.existingDiscounts === 'add' && benefit.reward.kind === 'price_override'))
    .map((change) => ({ ...benefit, ...change }))
  const limits = benefit.limits.map((_, at) => ({ ...benefit, limits: without(benefit.limits, at) }))
  const rewards = lessOf(benefit.reward).map((reward) => ({ ...benefit, reward }))
  const conditions = benefit.conditions === null ? [] : lessOf(benefit.conditions)
  const asked = conditions.map((each) => ({ ...benefit, conditions: each }))
  return [...cleared, ...limits, ...rewards, ...asked, ...others, ...simplerCosts(benefit)]
}

const optional = ['select', 'maximumAmount', 'maximumTimes', 'maximumUnits', 'sameProduct', 'measure', 'per']
const ofSelectors = ['fields', 'fullPrice', 'includeNoDiscount', 'children', 'not', 'collections']
const asked = ['minimumSpend', 'requires']

/** Every value without one of its optional parts, at any depth. */
function lessOf<Value>(value: Value): Value[] {
  if (typeof value !== 'object' || value === null) return []
  if (Array.isArray(value)) {
    return value.flatMap((each, at) => lessOf(each).map((less) => value.with(at, less) as Value))
  }
  return Object.entries(value).flatMap(([name, part]) => {
    const isOptional = [...optional, ...ofSelectors, ...asked].includes(name)
    // `per` of an amount is no part.
    const without = isOptional && typeof part !== 'string' ? [omitted(value, name)] : []
    return [...without, ...lessOf(part).map((less) => ({ ...value, [name]: less }))]
  })
}

function omitted<Value extends object>(value: Value, name: string): Value {
  return Object.fromEntries(Object.entries(value).filter(([key]) => key !== name)) as Value
}

function simplerCosts(benefit: Benefit): Benefit[] {
  const { costs } = benefit
  if (costs === null) return []
  const smaller = costs.amount > 1 ? [{ ...benefit, costs: { ...costs, amount: 1 } }] : []
  const worthless = costs.worth > 0 ? [{ ...benefit, costs: { ...costs, worth: 0 } }] : []
  return [{ ...benefit, costs: null }, ...worthless, ...smaller]
}

function smallerBaskets(basket: Basket): Basket[] {
  const { lines, orderDiscounts } = basket
  const withLine = (at: number, change: Partial<Line>): Basket => ({
    ...basket,
    lines: lines.with(at, { ...lines[at]!, ...change }),
  })
  return [
    ...orderDiscounts.map((_, at) => ({ ...basket, orderDiscounts: without(orderDiscounts, at) })),
    ...lines.map((_, at) => withoutLine(basket, at)),
    ...lines.flatMap((line, at) => [
      ...(line.quantity > 1000 ? [1000, line.quantity - 1000].map((quantity) => withLine(at, { quantity })) : []),
      ...line.discounts.map((_, place) => withLine(at, { discounts: without(line.discounts, place) })),
      ...line.orderDiscountAllocations.map((_, place) =>
        withLine(at, { orderDiscountAllocations: without(line.orderDiscountAllocations, place) }),
      ),
      ...(line.overrideUnitPrice === null ? [] : [withLine(at, { overrideUnitPrice: null })]),
      ...(line.noDiscount ? [withLine(at, { noDiscount: false })] : []),
      ...(line.noPercentageDiscount ? [withLine(at, { noPercentageDiscount: false })] : []),
      ...(line.addedByLoyalty ? [withLine(at, { addedByLoyalty: false })] : []),
      ...(line.splitFromLineId === null ? [] : [withLine(at, { splitFromLineId: null })]),
      ...(line.parent === -1 ? [] : [withLine(at, { parent: -1 })]),
      ...(line.weighed === true ? [withLine(at, { weighed: false })] : []),
      ...fieldless(line).map((bare) => ({ ...basket, lines: lines.with(at, bare) })),
      ...[1, 2, 10, 100]
        .filter((unitPrice) => unitPrice < line.unitPrice)
        .map((unitPrice) => withLine(at, { unitPrice })),
    ]),
  ]
}

function fieldless({ fields, ...line }: DrawnLine): Line[] {
  return fields === undefined ? [] : [line]
}

function withoutLine(basket: Basket, at: number): Basket {
  const moved = (parent: number) => (parent === at ? -1 : parent > at ? parent - 1 : parent)
  const lines = without(basket.lines, at).map((line) => ({ ...line, parent: moved(line.parent) }))
  return { ...basket, lines }
}
