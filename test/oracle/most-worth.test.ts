import t from 'tap'
import { calculate, compileProgramme } from '../../engine/core/index.js'
import { mostWorth } from '../../engine/core/search/most-worth.js'
import { aBenefit } from '../engine/core/builders.js'
import { offersOf } from '../engine/core/offers-of.js'
import { firstSeed, sized } from '../support/sized.js'
import { aCase, aLine, anOrderDiscount, carrying } from './a-case.js'
import { search } from './best-outcome.js'
import { isOrderLevel, playerOf } from './later-stages.js'
import { padCase } from './pad-case.js'
import { readSentBasket } from './sent-basket.js'
import { tightCases } from './tight-cases.js'

const cases = sized(80, 4_000)

for (const [named, caseOf] of Object.entries(tightCases)) {
  t.test(`no benefit of ${cases} baskets of ${named} is worth more alone than without a search`, async (t) => {
    let [judged, orders] = [0, 0]
    for (let seed = firstSeed; seed < firstSeed + cases; seed += 1) {
      const { benefits: drawn, input } = caseOf(seed)
      const benefits = drawn.map((benefit) => ({ ...benefit, costs: null }))
      const { basis, offers } = offersOf(input.basket, benefits, input.venue)
      for (const offer of offers) {
        const { benefit } = offer
        const player = playerOf(benefit, { ...input, available: {} })
        const { value } = search({ basket: readSentBasket(input), input, players: [player], purse: new Map() })
        const most = mostWorth(basis, offer)
        const message = `seed ${seed}, ${benefit.benefitId}: ${most}, not ${value}`
        judged += 1
        if (most < value) t.fail(message)
        if (!isOrderLevel(player)) continue
        orders += 1
        if (most !== value) t.fail(`${message} on the order`)
      }
    }
    t.ok(judged > 0, `${judged} benefits, of which ${orders} on the order`)
  })
}

t.test('the greatest worth of an exclusive benefit bounds what its search leaves open', async (t) => {
  const everything = { kind: 'line_amount', amount: 100, per: 'unit' } as const
  const lines = [aLine('a', 1, 1), aLine('b', 3, 100, carrying('o', 1))]
  const orderDiscounts = [anOrderDiscount('o', 1)]
  const { benefits, input } = padCase(
    aCase(lines, [aBenefit('x', everything, { combination: 'exclusive' })], { orderDiscounts }),
  )
  t.match(calculate(compileProgramme(benefits), input), { value: 300, gap: 0, optimal: true })
})

t.test('free lines are worth nothing, however many roundings there are', async (t) => {
  const quarter = { kind: 'buy_get', buy: { quantity: 1 }, get: { quantity: 2, percentage: 250_000 } } as const
  const lines = ['a', 'b', 'c', 'd'].map((product) => aLine(product, 2, 0))
  const { benefits, input } = aCase(lines, [aBenefit('x', quarter, { combination: 'exclusive' })])
  for (const stepsMax of [0, 100])
    t.match(calculate(compileProgramme(benefits), { ...input, stepsMax }), { value: 0, gap: 0, optimal: true })
})
