import t from 'tap'
import type { Basket } from '../../../../engine/core/base/basket.js'
import type { EarningRule } from '../../../../engine/core/base/earning.js'
import type { PricedBasket } from '../../../../engine/core/base/outcome.js'
import { Dice } from '../../../support/dice.js'
import { aVenue } from '../builders.js'
import { drawBasket, drawBenefits, drawRules, freeText } from './drawn.js'
import { countsOf, priceWith } from './rules.js'

const basketCount = 600
const seed = Number(process.env['SEED'] ?? 1)

/** A line as it was charged: of the POS's own, without discounts but ours. */
interface ChargedLine {
  readonly group: string | null
  readonly net: number
  readonly units: number
  readonly noDiscount: boolean
  /** What our discounts that give units for nothing take off it. */
  readonly given: number
  readonly price: number
}

function asSent({ lines }: Basket): ChargedLine[] {
  return lines.map((line) => ({
    group: line.productGroupId,
    net: line.totals.net,
    units: line.quantity / 1000,
    noDiscount: line.noDiscount,
    given: 0,
    price: line.unitPrice,
  }))
}

function asReturned({ lines }: Basket, priced: PricedBasket): ChargedLine[] {
  return priced.lines.flatMap(({ kind, source, totals, quantity, discounts, amounts }) => {
    if (kind === 'added') return []
    const { productGroupId: group, noDiscount, unitPrice: price } = lines[source]!
    const given = discounts.reduce(
      (sum, each, at) => sum + (each.kind === 'added' && each.text === freeText ? amounts[at]! : 0),
      0,
    )
    return [{ group, net: totals.net, units: quantity / 1000, noDiscount, given, price }]
  })
}

/** What a rule counts, from the words of the contract alone. */
function modelCount(
  { per, select, minimumSpend, includeNoDiscount }: EarningRule,
  lines: readonly ChargedLine[],
): number {
  const spent = lines.filter(({ group }) => matches(minimumSpend?.select, group)).reduce((sum, { net }) => sum + net, 0)
  if (minimumSpend !== null && spent < minimumSpend.amount) return 0
  const own = lines.filter(
    ({ group, noDiscount, net }) => matches(select, group) && net > 0 && (includeNoDiscount || !noDiscount),
  )
  if (per.kind === 'visit') return Math.min(1, own.length)
  if (per.kind === 'amount') return own.reduce((sum, { net }) => sum + net, 0)
  return own.reduce((sum, { units, given, price }) => sum + (Number.isInteger(units) ? units - given / price : 0), 0)
}

function matches(select: EarningRule['select'] | undefined, group: string | null): boolean {
  return select?.productGroupIds === undefined || (group !== null && select.productGroupIds.includes(group))
}

t.test(`rules count what a model of the contract counts in both baskets, seed ${seed}`, async (t) => {
  const dice = new Dice(seed)
  const seen = { applied: 0, units: 0 }
  for (let basketNumber = 0; basketNumber < basketCount; basketNumber++) {
    const [basket, benefits, rules] = [drawBasket(dice), drawBenefits(dice), drawRules(dice)]
    const { outcome, earning } = priceWith(basket, { benefits, rules }, { venue: aVenue([{ unitPrice: 500 }]) })
    const sent = asSent(basket)
    const returned = outcome.status === 'applied' ? asReturned(basket, outcome.basket) : sent
    if (outcome.status === 'applied') seen.applied += 1
    if (returned.some(({ given, net }) => given > 0 && net > 0)) seen.units += 1
    const expected = rules
      .map((rule) => [rule.ruleId, [modelCount(rule, sent), modelCount(rule, returned)]] as const)
      .filter(([, counts]) => counts.some((count) => count > 0))
    t.same(countsOf(earning), Object.fromEntries(expected), `basket ${basketNumber}`)
  }
  t.ok(seen.applied > basketCount / 3 && seen.units > basketCount / 50, JSON.stringify(seen))
})
