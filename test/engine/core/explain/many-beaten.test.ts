import t from 'tap'
import { aBasket, aBenefit, percent, price } from '../builders.js'

/** Too many to compute what each is worth alone on this many lines. */
const many = 160
const lines = 200

t.test('very many benefits that are beaten alike get the same report', async (t) => {
  const basket = aBasket(Array.from({ length: lines }, () => ({ price: 100 })))
  const pair = { kind: 'bundle_price', components: [{ quantity: 2 }], price: 100, maximumTimes: 1 } as const
  const { value, benefits } = price(basket, [
    ...Array.from({ length: many }, (_, at) => aBenefit(`b${at}`, pair)),
    aBenefit('capped', { kind: 'line_percentage', percentage: percent(1), maximumAmount: 150 }),
    aBenefit('half', { kind: 'line_percentage', percentage: percent(50) }, { combination: 'exclusive' }),
  ])
  const worthAlone = (benefitId: string) => (benefitId === 'capped' ? 150 : 100)
  t.equal(value, 10_000)
  t.same(
    benefits.map(({ benefitId, dropped }) => ({ benefitId, dropped })),
    benefits.map(({ benefitId }) => ({
      benefitId,
      dropped: benefitId === 'half' ? null : { stage: 'beaten', by: ['half'], gap: value - worthAlone(benefitId) },
    })),
  )
})
