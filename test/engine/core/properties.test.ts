import t from 'tap'
import type { Basket } from '../../../engine/core/base/basket.js'
import { fc } from '../../support/seeded.js'
import { basket, type Kind, programme, rewards } from './arbitraries.js'
import { applied, aVenue, basketOf, price, sentBack } from './builders.js'

const kinds = Object.keys(rewards) as Kind[]
const asked = { venue: aVenue([{ productId: 'gift', unitPrice: 77 }]), stepsMax: 20_000 }
const runs = { numRuns: 1000 }

t.test('every answer adds up, and nobody pays more', async (t) => {
  fc.assert(
    fc.property(basket(), programme(kinds), (basket, benefits) => {
      const result = price(basket, benefits, asked)
      return result.value >= 0 && result.gap >= 0 && (result.optimal ? result.gap === 0 : true)
    }),
    runs,
  )
  t.pass()
})

t.test('the same input gives the same bytes', async (t) => {
  fc.assert(
    fc.property(basket(), programme(kinds), (basket, benefits) => {
      const [first, second] = [price(basket, benefits, asked), price(basket, benefits.toReversed(), asked)]
      return JSON.stringify(first) === JSON.stringify(second)
    }),
    { numRuns: 300 },
  )
  t.pass()
})

t.test('any order of lines gives the same value', async (t) => {
  fc.assert(
    fc.property(basket(), programme(kinds), (basket, benefits) => {
      const [first, second] = [price(basket, benefits, asked), price(reversed(basket), benefits, asked)]
      return !first.optimal || !second.optimal || first.value === second.value
    }),
    runs,
  )
  t.pass()
})

t.test('lines that take no discount come back as they were', async (t) => {
  fc.assert(
    fc.property(basket(), programme(kinds), (basket, benefits) => {
      const { outcome } = price(basket, benefits, asked)
      if (outcome.status === 'unchanged') return true
      return outcome.basket.lines.every((line) => {
        if (line.source === -1 || !basket.lines[line.source]!.noDiscount) return true
        return line.discounts.every(({ kind }) => kind === 'kept') && line.overrideUnitPrice === null
      })
    }),
    runs,
  )
  t.pass()
})

t.test('an answer sent again is the outcome already', async (t) => {
  fc.assert(
    fc.property(basket(), programme(kinds.filter((kind) => kind !== 'price_override')), (basket, benefits) => {
      const first = price(basket, benefits, asked)
      if (first.outcome.status === 'unchanged') return true
      // What was removed from a discount of the POS never returns.
      const free =
        benefits.every(({ existingDiscounts }) => existingDiscounts === 'add') && basket.orderDiscounts.length === 0
      const again = price(sentBack(basket, applied(first)), benefits, asked)
      return !free || (again.outcome.status === 'unchanged' && again.value === first.value)
    }),
    runs,
  )
  t.pass()
})

// Order discounts keep their order, and each line its parent.
function reversed(basket: Basket): Basket {
  const last = basket.lines.length - 1
  const lines = basket.lines
    .toReversed()
    .map((line) => ({ ...line, parent: line.parent === -1 ? -1 : last - line.parent }))
  return basketOf(lines, { orderDiscounts: basket.orderDiscounts })
}
