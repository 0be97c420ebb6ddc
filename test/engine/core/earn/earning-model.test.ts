import t from 'tap'
import type { Basket } from '../../../../engine/core/base/basket.js'
import type { EarningRule } from '../../../../engine/core/base/earning.js'
import type { PricedBasket } from '../../../../engine/core/base/outcome.js'
import type { Benefit } from '../../../../engine/core/base/programme.js'
import { Dice } from '../../../support/dice.js'
import { aBasket, aBenefit, aVenue, percent } from '../builders.js'
import { aRule, countsOf, perKrone, perVisit, priceWith } from './rules.js'

const basketCount = 600
const seed = Number(process.env['SEED'] ?? 1)
const groups = ['drinks', 'bakery', 'deposit']
const freeText = 'For nothing'

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

function drawBasket(dice: Dice): Basket {
  return aBasket(
    Array.from({ length: dice.between(1, 6) }, () => ({
      group: dice.pick(groups),
      price: dice.pick([100, 700, 2500]),
      quantity: dice.chance(0.15) ? 0.5 : dice.between(1, 4),
      noDiscount: dice.chance(0.15),
    })),
  )
}

function drawBenefits(dice: Dice): Benefit[] {
  const select = { productGroupIds: [dice.pick(groups)] }
  const one = { limitId: 'one', scope: 'member', period: 'ever', counts: 'units', maximum: dice.between(1, 2) } as const
  const get = { select, quantity: 1, percentage: percent(100) }
  const all: readonly Benefit[] = [
    aBenefit('half', { kind: 'line_percentage', select, percentage: percent(50) }),
    aBenefit('free', { kind: 'buy_get', buy: { select, quantity: 1 }, get }, { text: freeText }),
    aBenefit('one', { kind: 'line_percentage', percentage: percent(100) }, { limits: [one], text: freeText }),
    aBenefit('override', { kind: 'price_override', select, unitPrice: 50 }, { limits: [{ ...one, limitId: 'two' }] }),
    aBenefit('gift', { kind: 'free_product', productId: 'gift', quantity: 1 }),
    aBenefit('order', { kind: 'order_amount', amount: 300 }),
  ]
  return dice.some(all)
}

function drawRules(dice: Dice): EarningRule[] {
  return Array.from({ length: 4 }, (_, at) =>
    aRule({
      ruleId: `rule-${at}`,
      per: dice.pick([{ kind: 'units', every: 1 } as const, perKrone, perVisit]),
      select: dice.maybe(0.6, () => ({ productGroupIds: [dice.pick(groups)] })),
      includeNoDiscount: dice.chance(0.3),
      minimumSpend: dice.maybe(0.3, () => ({ amount: dice.between(0, 9000) })),
    }),
  )
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
