import t from 'tap'
import type { Basket, Line } from '../../../engine/core/base/basket.js'
import { searchStepsMax } from '../../../engine/core/base/input.js'
import { moneyMax } from '../../../engine/core/base/money.js'
import type { Benefit } from '../../../engine/core/base/programme.js'
import { fc } from '../../support/seeded.js'
import { basket, type Kind, programme, rewards } from './arbitraries.js'
import { aBasket, aBenefit, aLine, applied, aVenue, basketOf, percent, price } from './builders.js'

const kinds = Object.keys(rewards) as Kind[]
const asked = { venue: aVenue([{ productId: 'gift', unitPrice: 77 }]), stepsMax: 20_000 }
const runs = { numRuns: 600 }

/** Steps that the work in progress may still take at the end of the budget. */
const passedByMax = 500

t.test('any order of lines gives the same value', async (t) => {
  const order = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 4, maxLength: 4 })
  fc.assert(
    fc.property(basket(), programme(kinds), order, (basket, benefits, order) => {
      const [first, second] = [price(basket, benefits, asked), price(reordered(basket, order), benefits, asked)]
      return !first.optimal || !second.optimal || first.value === second.value
    }),
    runs,
  )
  t.pass()
})

t.test(
  'splitting a line, or merging two alike, changes the value by less than a minor unit a line and benefit',
  async (t) => {
    // An amount for each line grows with each line, and limits of units or times are independent of rounding.
    const even = programme(kinds, 3).map((benefits) => benefits.filter(isIndifferentToLines))
    fc.assert(
      fc.property(basket(3), even, fc.nat(), (sent, benefits, which) => {
        const bare = basketOf(sent.lines.map((line) => aPlain(line)))
        const split = withOneLineSplit(bare, which)
        const [first, second] = [price(bare, benefits, asked), price(split, benefits, asked)]
        if (!first.optimal || !second.optimal) return true
        const change = Math.abs(first.value - second.value)
        return change === 0 || change < split.lines.length * benefits.length
      }),
      runs,
    )
    t.pass()
  },
)

t.test('a basket never costs more than it was sent with, and no line less than nothing', async (t) => {
  fc.assert(
    fc.property(basket(), programme(kinds), (basket, benefits) => {
      const result = price(basket, benefits, { ...asked, stepsMax: 100 })
      return result.netAfter <= price(basket, []).netAfter && result.netAfter >= 0
    }),
    runs,
  )
  t.pass()
})

t.test('one benefit more never lowers the value', async (t) => {
  fc.assert(
    fc.property(basket(), programme(kinds), (basket, benefits) => {
      const [all, fewer] = [price(basket, benefits, asked), price(basket, benefits.slice(1), asked)]
      return !all.optimal || all.value >= fewer.value
    }),
    runs,
  )
  t.pass()
})

t.test('100 % off leaves 0 on every line that may be discounted', async (t) => {
  const kind = fc.constantFrom('line_percentage' as const, 'order_percentage' as const)
  fc.assert(
    fc.property(basket(), kind, (basket, kind) => {
      const all = aBenefit('all', { kind, percentage: percent(100) })
      const { outcome } = price(basket, [all], asked)
      const nets = outcome.status === 'applied' ? outcome.basket.lines : basket.lines
      return nets.every(({ totals }, at) => {
        const { noDiscount, noPercentageDiscount } = basket.lines[at]!
        return noDiscount || noPercentageDiscount || totals.net === 0
      })
    }),
    runs,
  )
  t.pass()
})

t.test('a line that costs nothing gets nothing', async (t) => {
  fc.assert(
    fc.property(basket(), programme(kinds), (basket, benefits) => {
      const { outcome } = price(basket, benefits, asked)
      if (outcome.status === 'unchanged') return true
      return outcome.basket.lines.every(({ source, discounts, totals, overrideUnitPrice }) => {
        if (source === -1 || totals.gross > 0 || overrideUnitPrice !== null) return true
        return discounts.every(({ kind }) => kind === 'kept') && totals.orderDiscount === 0
      })
    }),
    runs,
  )
  t.pass()
})

const anyQuantity = fc.constantFrom(1, 7, 100, 4_321, 99_999, 100_000)
const unitPrice = fc.integer({ min: 0, max: 2000 })

t.test('of one benefit on one line the best outcome is proven, whatever the quantity', async (t) => {
  fc.assert(
    fc.property(anyQuantity, unitPrice, programme(kinds, 1), (quantity, unitPrice, benefits) => {
      const line = aBasket([{ product: 'p0', group: 'g0', quantity, price: unitPrice }])
      return price(line, benefits, { ...asked, stepsMax: searchStepsMax }).optimal
    }),
    runs,
  )
  t.pass()
})

t.test('the budget ends the search of one line, whatever its quantity', async (t) => {
  const stepsMax = 2000
  fc.assert(
    fc.property(anyQuantity, unitPrice, programme(kinds, 5), (quantity, unitPrice, benefits) => {
      const line = aBasket([{ product: 'p0', group: 'g0', quantity, price: unitPrice }])
      return price(line, benefits, { ...asked, stepsMax }).steps <= stepsMax + passedByMax
    }),
    runs,
  )
  t.pass()
})

t.test('the largest amounts stay exact', async (t) => {
  const most = aBasket([{ price: moneyMax }])
  const third = aBenefit('third', { kind: 'line_percentage', percentage: 333_333 })
  const result = price(most, [third])
  t.equal(result.value, Number((333_333n * BigInt(moneyMax) + 500_000n) / 1_000_000n))
  t.equal(applied(result).totals.net, moneyMax - result.value)
})

function reordered(basket: Basket, order: readonly number[]): Basket {
  const places = basket.lines
    .map((_, at) => at)
    .sort((a, b) => order[a % order.length]! - order[b % order.length]! || a - b)
  const lines = places.map((at) => {
    const line = basket.lines[at]!
    return { ...line, parent: line.parent === -1 ? -1 : places.indexOf(line.parent) }
  })
  return basketOf(lines, { orderDiscounts: basket.orderDiscounts })
}

function isIndifferentToLines({ reward, limits }: Benefit): boolean {
  return !(reward.kind === 'line_amount' && reward.per === 'line') && limits.length === 0
}

/** The line without discounts of the POS, which belong to a line and not to its units. */
function aPlain({
  lineId,
  productId,
  productGroupId,
  quantity,
  unitPrice,
  noDiscount,
  noPercentageDiscount,
}: Line): Line {
  const group = productGroupId === null ? {} : { group: productGroupId }
  const flags = { noDiscount, noPercentageDiscount }
  return aLine({ id: lineId, product: productId, ...group, quantity: quantity / 1000, price: unitPrice, ...flags })
}

function withOneLineSplit({ lines }: Basket, which: number): Basket {
  const at = which % lines.length
  const line = lines[at]!
  const units = Math.floor(line.quantity / 2000)
  if (units === 0 || line.quantity % 1000 !== 0) return basketOf(lines)
  const parts = [line.quantity - units * 1000, units * 1000].map((quantity, part) =>
    aPlain({ ...line, lineId: `${line.lineId}/${part}`, quantity }),
  )
  return basketOf(lines.toSpliced(at, 1, ...parts))
}
