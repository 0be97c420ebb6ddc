import {
  type BenefitReport,
  type Calculation,
  counterKey,
  type PricedBasket,
  type Spent,
} from '../../engine/core/base/outcome.js'
import type { Benefit } from '../../engine/core/base/programme.js'
import { counterOf } from './open-benefits.js'
import type { PricingCase } from './pricing-case.js'
import { paidFrom, purseOf } from './purse.js'
import { sumOf } from './spread.js'

/** Worth of a calculation's spending to its holder, minor units. */
export function worthOf({ benefits }: PricingCase, { spending }: Calculation): number {
  return sumOf(
    spending.map(({ benefitId, times }) => times * benefits.find((each) => each.benefitId === benefitId)!.costs!.worth),
  )
}

/** Faults in an outcome's spending: one sentence each. */
export function spendingFaults(question: PricingCase, said: Calculation, priced: PricedBasket): string[] {
  const { benefits, input } = question
  const applied = said.benefits.flatMap(({ benefitId, dropped }) => (dropped === null ? [benefitId] : []))
  const costed = applied.filter((id) => benefits.find(({ benefitId }) => benefitId === id)!.costs !== null)
  const ids = said.spending.map(({ benefitId }) => benefitId)
  if (costed.join() !== ids.join()) return [`spending names ${ids.join()}, applied are ${costed.join()}`]
  let purse = purseOf(benefits, input)
  return said.spending.flatMap((spent) => {
    const benefit = benefits.find(({ benefitId }) => benefitId === spent.benefitId)!
    const { per, amount, currencyId } = benefit.costs!
    if (spent.per !== per || spent.amount !== amount || spent.currencyId !== currencyId)
      return [`spending of ${benefit.benefitId} is not what it costs`]
    const left = paidFrom(purse, benefit, spent.times)
    if (left === null || spent.times < 1)
      return [`${benefit.benefitId} spends ${spent.times} x ${amount} of too little`]
    purse = left
    const reported = said.benefits.find(({ benefitId }) => benefitId === spent.benefitId)!.spent
    if (reported?.currencyId !== currencyId || reported.amount !== spent.times * amount)
      return [`the report of ${benefit.benefitId} says that it spends ${reported?.amount}`]
    return lineFaults(spent, priced, unitsOf(spent, question))
  })
}

// Units on lines for these payments; null: any.
function unitsOf({ benefitId, per, times }: Spent, { benefits }: PricingCase): number | null {
  const { reward } = benefits.find((benefit) => benefit.benefitId === benefitId)!
  if ('components' in reward && per !== 'basket')
    return times * sumOf(reward.components.map(({ quantity }) => quantity))
  if (reward.kind === 'buy_get' && per === 'times') return times * reward.get.quantity
  return per === 'unit' ? times : null
}

/** Faults in an outcome's use of limits: one sentence each. */
export function wantFaults({ benefits, input }: PricingCase, said: Calculation, priced: PricedBasket): string[] {
  return said.benefits.flatMap((report) => {
    const benefit = benefits.find(({ benefitId }) => benefitId === report.benefitId)!
    return benefit.limits.flatMap((limit) => {
      const key = counterKey(counterOf(limit, input))
      const want = said.wants.find((each) => counterKey(each) === key)?.units ?? 0
      const counted = { baskets: 1, amount: report.value, units: unitsGiven(benefit, report, priced) }[limit.counts]
      const expected = report.dropped === null ? counted : 0
      return want === expected ? [] : [`${limit.limitId} gives ${want}, not ${expected}`]
    })
  })
}

function unitsGiven({ reward }: Benefit, { lines, value }: BenefitReport, priced: PricedBasket): number {
  const units = sumOf(lines.map((each) => each.units))
  switch (reward.kind) {
    case 'buy_get':
      return (units * reward.get.quantity) / (reward.buy.quantity + reward.get.quantity)
    case 'bundle_price':
    case 'bundle_discount':
      return units / sumOf(reward.components.map(({ quantity }) => quantity))
    case 'free_product': {
      const added = priced.lines.find(({ product }) => product?.productId === reward.productId)
      return units + (value - sumOf(lines.map(({ amount }) => amount))) / (added?.product?.unitPrice ?? 1)
    }
    default:
      return units
  }
}

function lineFaults({ benefitId, lines }: Spent, priced: PricedBasket, units: number | null): string[] {
  const places = lines.map(({ lineId }) => priced.lines.findIndex((line) => line.lineId === lineId))
  const isOrdered = places.every((place, at) => place > (places[at - 1] ?? -1))
  const isFitting = lines.every(
    ({ units }, at) => units >= 1 && units * 1000 <= Math.max(1000, priced.lines[places[at]!]!.quantity),
  )
  const isCounted = units === null ? lines.length > 0 : sumOf(lines.map((each) => each.units)) === units
  return isOrdered && isFitting && isCounted ? [] : [`${benefitId} spends for ${JSON.stringify(lines)}`]
}
