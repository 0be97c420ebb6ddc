import t from 'tap'
import { counterKey } from '../../engine/core/base/outcome.js'
import { calculate, compileProgramme } from '../../engine/core/index.js'
import { aBenefit } from '../engine/core/builders.js'
import { firstSeed, sized } from '../support/sized.js'
import { aCase, aLine, anOrderDiscount, carrying, limitedTo, staff } from './a-case.js'
import { costsCase } from './costs-case.js'
import { untrueGains, untrueReports } from './explanation-faults.js'
import { moneyCase } from './money-case.js'
import { counterOf } from './open-benefits.js'
import { padCase } from './pad-case.js'
import type { PricingCase } from './pricing-case.js'
import { readSentBasket } from './sent-basket.js'
import { tightCase } from './tight-case.js'

const cases = sized(200, 8_000)
const short = [0, 20, 60, 200]
const adding = { existingDiscounts: 'add' } as const
const some = { quantity: 1 }

/** A basket in which most limits are short. */
function shortCase(seed: number): PricingCase {
  const question = tightCase(seed)
  const { benefits, input } = question
  const limits = benefits.flatMap((benefit) => benefit.limits)
  const available = Object.fromEntries(
    limits.map((limit, at) => [counterKey(counterOf(limit, input)), (seed + at) % 3]),
  )
  return { benefits, input: { ...input, available } }
}

function explain({ benefits, input }: PricingCase, stepsMax: number) {
  return calculate(compileProgramme(benefits), { ...input, stepsMax })
}

t.test(`explanations of ${cases} baskets with short limits are true, from seed ${firstSeed}`, async (t) => {
  for (let seed = firstSeed; seed < firstSeed + cases; seed += 1) {
    const question = shortCase(seed)
    const said = explain(question, 12_000)
    const isAgain = readSentBasket(question.input).stripped
    const faults = isAgain ? [] : [...untrueReports(question, said), ...untrueGains(question, said)]
    if (faults.length > 0) t.fail(`seed ${seed}: ${faults.join('; ')}`)
  }
  t.pass('no fault')
})

t.test(`explanations of ${cases} baskets with costs are true, from seed ${firstSeed}`, async (t) => {
  const seen = new Set<string>()
  for (let seed = firstSeed; seed < firstSeed + cases; seed += 1) {
    const question = costsCase(seed)
    const said = explain(question, 12_000)
    for (const { dropped, spent } of said.benefits)
      seen.add(dropped?.stage ?? (spent === undefined ? 'applied' : 'paid'))
    const isAgain = readSentBasket(question.input).stripped
    const faults = isAgain ? [] : [...untrueReports(question, said), ...untrueGains(question, said)]
    if (faults.length > 0) t.fail(`seed ${seed}: ${faults.join('; ')}`)
  }
  for (const stage of ['paid', 'conditions_not_met', 'value_held', 'existing_discount_kept', 'beaten'])
    t.ok(seen.has(stage), stage)
})

t.test(`explanations of ${cases} baskets with limits of money are true, from seed ${firstSeed}`, async (t) => {
  for (let seed = firstSeed; seed < firstSeed + cases; seed += 1) {
    const question = moneyCase(seed, [tightCase])
    const said = explain(question, 12_000)
    const isAgain = readSentBasket(question.input).stripped
    const faults = isAgain ? [] : [...untrueReports(question, said), ...untrueGains(question, said)]
    if (faults.length > 0) t.fail(`seed ${seed}: ${faults.join('; ')}`)
  }
  t.pass('no fault')
})

t.test('an explanation with a short budget says less, and nothing untrue of limits and victors', async (t) => {
  for (let seed = firstSeed; seed < firstSeed + cases; seed += 1) {
    const question = shortCase(seed)
    const faults = untrueReports(question, explain(padCase(question), short[seed % short.length]!))
    if (faults.length > 0) t.fail(`seed ${seed}: ${faults.join('; ')}`)
  }
  t.pass('no fault')
})

t.test('a benefit that gains only on some of its lines is not reported as gaining nothing', async (t) => {
  const staying = aLine('b', 1, 2, carrying('o', 2))
  const question = aCase(
    [aLine('a', 5, 1, staff(2)), staying],
    [
      aBenefit('a', { kind: 'line_percentage', percentage: 1_000_000, maximumAmount: 3 }, { combination: 'stackable' }),
      aBenefit('b', { kind: 'line_percentage', percentage: 1_000_000 }, adding),
    ],
    { orderDiscounts: [anOrderDiscount('o', 2)] },
  )
  const said = explain(question, 12_000)
  t.strictSame(untrueGains(question, said), [])
  t.equal(said.benefits[0]!.dropped?.stage, 'beaten')
})

t.test('a limit is not blamed, at any budget, where the POS has left nothing or would take more off', async (t) => {
  const { limits } = limitedTo(0)
  const onBaskets = limits.map((limit) => ({ ...limit, limitId: 'order', counts: 'baskets' as const }))
  const nothingLeft = aCase(
    [aLine('a', 1, 1, carrying('o', 1)), aLine('b', 1, 3, { ...carrying('p', 1), noDiscount: true })],
    [
      aBenefit('amount', { kind: 'line_amount', amount: 2, per: 'line' }, { ...adding, limits: onBaskets }),
      aBenefit('price', { kind: 'member_price', unitPrice: 0 }, { ...adding, limits }),
    ],
    { orderDiscounts: [anOrderDiscount('o', 0), anOrderDiscount('p', 0)] },
  )
  const takingMore = aCase(
    [aLine('a', 1, 10, carrying('o', 4))],
    [aBenefit('order', { kind: 'order_amount', amount: 4 }, { limits: onBaskets })],
    { orderDiscounts: [anOrderDiscount('o', 0)] },
  )
  const allOff = aCase(
    [aLine('a', 2, 1, staff(2)), aLine('b', 3, 100, staff(300))],
    ['c', 'd'].map((id) =>
      aBenefit(id, { kind: 'buy_get', buy: some, get: { quantity: 2, percentage: 500_000 } }, { ...adding, limits }),
    ),
  )
  for (const question of [nothingLeft, takingMore, allOff])
    for (const stepsMax of [0, 12, 12_000])
      t.match(explain(question, stepsMax).outcome, { reason: 'existing_discount_kept' }, `${stepsMax} steps`)
})

const found: readonly { readonly title: string; readonly question: PricingCase }[] = [
  {
    title: 'a limit was short that had enough',
    question: aCase(
      [aLine('b', 3, 100, carrying('o', 300)), aLine('c', 1, 1)],
      [
        aBenefit('b1', { kind: 'bundle_price', components: [{ quantity: 2 }, some], price: 698 }, adding),
        aBenefit(
          'b2',
          { kind: 'bundle_price', components: [{ ...some, select: { productIds: ['b'] } }], price: 98 },
          { ...adding, ...limitedTo(1) },
        ),
      ],
      { orderDiscounts: [anOrderDiscount('o', 0)] },
    ),
  },
  {
    title: 'a benefit was beaten by nobody',
    question: aCase(
      [aLine('a', 1, 1, carrying('o', 1)), aLine('c', 2, 1, carrying('o', 2)), aLine('e', 1, 1)],
      [
        aBenefit('b0', { kind: 'line_amount', select: { productIds: ['a', 'd'] }, amount: 1, per: 'unit' }, adding),
        aBenefit('c1', { kind: 'order_percentage', percentage: 500_000 }),
      ],
      { orderDiscounts: [anOrderDiscount('o', 0)] },
    ),
  },
]

for (const { title, question } of found) {
  t.test(`where the budget was short ${title}`, async (t) => {
    for (const stepsMax of [0, 20, 40, 60, 80])
      t.strictSame(untrueReports(question, explain(padCase(question), stepsMax)), [])
  })
}
