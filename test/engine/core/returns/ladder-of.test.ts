import t from 'tap'
import type { Basket } from '../../../../engine/core/base/basket.js'
import type { EarningRule, Ladder } from '../../../../engine/core/base/earning.js'
import type { Benefit } from '../../../../engine/core/base/programme.js'
import { calculateLadder } from '../../../../engine/core/calculate.js'
import { compileProgramme } from '../../../../engine/core/index.js'
import { ladderAsSent } from '../../../../engine/core/returns/ladder-of.js'
import { countKept } from '../../../../engine/value/ladder.js'
import { Dice } from '../../../support/dice.js'
import { aBasket, aBenefit, aMember, applied, aVenue, code, percent, sentBack } from '../builders.js'
import { drawBasket, drawBenefits, drawRules } from '../earn/drawn.js'
import { aRule, countsOf, perKrone, perVisit, priceWith } from '../earn/rules.js'

const basketCount = 400
const seed = Number(process.env['SEED'] ?? 1)
const venue = aVenue([{ unitPrice: 500 }])

interface Asked {
  readonly benefits?: readonly Benefit[]
  readonly rules?: readonly EarningRule[]
  readonly paidTotal?: number
}

/** The ladders of a basket: as returned, and as sent. */
function laddersOf(basket: Basket, { benefits = [], rules = [], paidTotal }: Asked) {
  const facts = { member: aMember, venue, available: {}, discountCode: code, stepsMax: 200_000 }
  const input = { basket, ...facts, ...(paidTotal === undefined ? {} : { paidTotal }) }
  const programme = compileProgramme(benefits, rules)
  const { calculation, ladder } = calculateLadder(programme, input)
  return { calculation, returned: ladder, sent: ladderAsSent(programme, input) }
}

/** A rule's count by the lines of a ladder; undefined: it is not in it. */
function countOn(ladder: Ladder, ruleId: string): number | undefined {
  const found = ladder.rules.find((rule) => rule.ruleId === ruleId)
  return (
    found &&
    countKept(
      found,
      ladder,
      ladder.lines.map(() => 0),
    )
  )
}

t.test(`ladders count line by line what rules count of baskets, seed ${seed}`, async (t) => {
  const dice = new Dice(seed)
  let counted = 0
  for (let basketNumber = 0; basketNumber < basketCount; basketNumber++) {
    const [basket, benefits, rules] = [drawBasket(dice), drawBenefits(dice), drawRules(dice)]
    const paid = dice.maybe(0.3, () => dice.between(0, basket.totals.net))
    const paidTotal = paid === null ? {} : { paidTotal: paid }
    const { calculation, returned, sent } = laddersOf(basket, { benefits, rules, ...paidTotal })
    const { earning, outcome } = priceWith(basket, { benefits, rules }, { venue, ...paidTotal })
    t.same({ ...calculation, earning }, { ...priceWith(basket, { benefits, rules }, { venue, ...paidTotal }) })
    const counts = countsOf(earning)
    const isApplied = outcome.status === 'applied'
    const net = isApplied ? outcome.basket.totals.net : basket.totals.net
    for (const { ruleId } of rules) {
      const [asSent, asReturned] = counts[ruleId] ?? [0, 0]
      counted += Math.sign(asReturned)
      t.equal(countOn(sent, ruleId) ?? 0, asSent, `basket ${basketNumber}, sent, ${ruleId}`)
      t.equal(countOn(returned, ruleId) ?? 0, asReturned, `basket ${basketNumber}, returned, ${ruleId}`)
    }
    const sumOf = ({ lines }: Ladder) => lines.reduce((sum, line) => sum + line.paid, 0)
    t.equal(sumOf(returned), Math.min(paid ?? net, net))
    t.equal(sumOf(sent), Math.min(paid ?? basket.totals.net, basket.totals.net))
    if (!isApplied) continue
    // Another build may answer differently: then the answer itself is read.
    const { sent: read } = laddersOf(sentBack(basket, outcome.basket), { benefits, rules, ...paidTotal })
    t.same(
      read.lines.map(({ lineId, paid: paidFor }) => [lineId, paidFor]),
      returned.lines.map(({ lineId, paid: paidFor }) => [lineId, paidFor]),
    )
  }
  t.ok(counted > basketCount, `${counted} counts`)
})

t.test('a ladder has the lines that were charged, with split and added ones', async (t) => {
  const limits = [{ limitId: 'one', scope: 'member', period: 'ever', counts: 'units', maximum: 1 }] as const
  const cheaper = aBenefit('cheaper', { kind: 'price_override', unitPrice: 4000 }, { limits })
  const gift = aBenefit('gift', { kind: 'free_product', productId: 'gift', quantity: 2 })
  const basket = aBasket([{ price: 5000, quantity: 3 }, { price: 100 }])
  const { calculation, returned } = laddersOf(basket, { benefits: [cheaper, gift], rules: [aRule()] })
  const { lines } = applied(calculation)
  t.same(
    returned.lines.map(({ lineId, quantity, paid }) => [lineId, quantity, paid]),
    lines.map(({ lineId, quantity, totals }) => [lineId, quantity, totals.net]),
  )
  t.same(
    returned.lines.map(({ quantity, paid }) => [quantity, paid]),
    [
      [2_000, 10_000],
      [1_000, 4_000],
      [1_000, 100],
      [2_000, 0],
    ],
  )
  t.same(returned.rules[0]?.lines, [0, 1, 2], 'what we added earns nothing')
})

t.test('units given for nothing stand with their line', async (t) => {
  const third = aBenefit('third', {
    kind: 'buy_get',
    buy: { quantity: 2 },
    get: { quantity: 1, percentage: percent(100) },
  })
  const capped = aBenefit('capped', { kind: 'line_percentage', percentage: percent(100), maximumAmount: 5000 })
  const basket = aBasket([{ price: 5000, quantity: 3 }])
  const [line] = laddersOf(basket, { benefits: [third], rules: [aRule()] }).returned.lines
  t.match(line, {
    paid: 10_000,
    hold: 15_000,
    kinds: [
      { units: 2, taken: 0, benefitId: '', free: false },
      { units: 1, taken: 5_000, benefitId: 'third', free: true },
    ],
  })
  t.same(laddersOf(basket, { benefits: [capped], rules: [aRule()] }).returned.lines[0]?.kinds, undefined)
})

t.test('units are returned in the order of their weight, then of benefitId', async (t) => {
  const once = (benefitId: string, percentage: number) =>
    aBenefit(
      benefitId,
      { kind: 'line_percentage', percentage: percent(percentage) },
      { limits: [{ limitId: benefitId, scope: 'member', period: 'ever', counts: 'units', maximum: 1 }] },
    )
  const basket = aBasket([{ price: 1000, quantity: 5 }])
  const { returned } = laddersOf(basket, { benefits: [once('b', 40), once('a', 40), once('c', 100), once('d', 10)] })
  t.same(
    returned.lines[0]?.kinds?.map(({ units, taken, benefitId }) => [units, taken, benefitId]),
    [
      [1, 0, ''],
      [1, 100, 'd'],
      [1, 400, 'a'],
      [1, 400, 'b'],
      [1, 1_000, 'c'],
    ],
  )
})

t.test('units at full price are returned first, and then count no more', async (t) => {
  const third = aBenefit('third', {
    kind: 'buy_get',
    buy: { quantity: 2 },
    get: { quantity: 1, percentage: percent(40) },
  })
  const select = { fullPrice: true }
  const rules = [
    ...[aRule({ ruleId: 'units', select }), aRule({ ruleId: 'money', per: perKrone, select })],
    aRule({ ruleId: 'spend', per: perVisit, minimumSpend: { amount: 1000, select } }),
  ]
  const basket = aBasket([{ price: 1000, quantity: 3 }])
  const { returned } = laddersOf(basket, { benefits: [third], rules })
  const kept = [0, 1, 2, 3].map((back) => returned.rules.map((rule) => countKept(rule, returned, [back * 1000])))
  t.same(kept, [
    [2, 2000, 1],
    [1, 1000, 1],
    [0, 0, 0],
    [0, 0, 0],
  ])
})

t.test('a rule whose conditions fail is not in the ladder', async (t) => {
  const basket = aBasket([{ price: 5000 }, { price: 3000, noDiscount: true }])
  const rules = [
    aRule({ ruleId: 'met', per: perKrone, minimumSpend: { amount: 8000, select: { includeNoDiscount: true } } }),
    aRule({ ruleId: 'failed', per: perKrone, minimumSpend: { amount: 8000 } }),
    aRule({ ruleId: 'nobody', per: perVisit, audience: { tiers: ['platinum'] } }),
  ]
  const { sent } = laddersOf(basket, { rules })
  t.match(sent.rules, [{ ruleId: 'met', lines: [0], spending: [0, 1], minimumSpend: 8_000 }])
  t.equal(sent.rules.length, 1)
})
