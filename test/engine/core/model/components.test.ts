import t from 'tap'
import { moneyMax } from '../../../../engine/core/base/money.js'
import { calculate, compileProgramme } from '../../../../engine/core/index.js'
import { aCase, aLine } from '../../../oracle/a-case.js'
import { aBenefit, aProduct } from '../builders.js'

const products = [aProduct({ productId: 'cheap', unitPrice: 60 }), aProduct({ productId: 'dear', unitPrice: 70 })]

function calculated(room: number) {
  const benefits = products.map(({ productId }) =>
    aBenefit(productId, { kind: 'free_product', productId, quantity: 1 }),
  )
  const { input } = aCase([aLine('a', 1, moneyMax - room)], benefits)
  return calculate(compileProgramme(benefits), { ...input, venue: { ...input.venue, products } })
}

t.test('free products that do not all fit into an amount are never called the best choice', async (t) => {
  const { value, gap, optimal } = calculated(100)
  t.equal(value, 60)
  t.ok(value + gap >= 70, `${value} + ${gap}`)
  t.notOk(optimal)
})

t.test('free products that just fit are all there is', async (t) => {
  const { value, optimal } = calculated(130)
  t.equal(value, 130)
  t.ok(optimal)
})
