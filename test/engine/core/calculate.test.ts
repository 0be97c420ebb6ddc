import t from 'tap'
import type { Basket, Line } from '../../../engine/core/base/basket.js'
import { searchStepsMax } from '../../../engine/core/base/input.js'
import { moneyMax } from '../../../engine/core/base/money.js'
import type { Benefit, Selector } from '../../../engine/core/base/programme.js'
import { fc } from '../../support/seeded.js'
import { basket, type Kind, programme, rewards } from './arbitraries.js'
import { aBasket, aBenefit, aLine, applied, aVenue, basketOf, percent, price, sentBack } from './builders.js'

const kinds = Object.keys(rewards) as Kind[]
const asked = { venue: aVenue([{ productId: 'gift', unitPrice: 77 }]), stepsMax: 20_000 }
const runs = { numRuns: 1000 }

/** Steps that the work in progress may still take at the end of the budget. */
const passedByMax = 500

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

t.test('of benefits that the basket does not touch, a hundred are listed', async (t) => {
  const others = Array.from({ length: 150 }, (_, at): Benefit => {
    return aBenefit(`x${1000 + at}`, { kind: 'member_price', select: { productIds: ['x'] }, unitPrice: 1 })
  })
  const ten = aBenefit('ten', { kind: 'line_percentage', percentage: percent(10) })
  const { benefits } = price(aBasket([{}]), [ten, ...others])
  t.equal(benefits.length, 101)
  t.equal(benefits.at(-1)!.benefitId, 'x1099')
})

t.test(
  'a benefit that the basket does not touch is listed with what it lacks, with conditions or without',
  async (t) => {
    const selects: Selector[] = [
      { productIds: ['x'] },
      { productGroupIds: ['x'], not: { productIds: ['product-0'] } },
      { productIds: ['x'], eans: ['y'], productMasterIds: ['z'] },
    ]
    const rewards = selects.flatMap((select): Benefit['reward'][] => [
      { kind: 'line_percentage', select, percentage: percent(10) },
      { kind: 'line_amount', select, amount: 5, per: 'unit' },
      { kind: 'member_price', select, unitPrice: 1 },
      { kind: 'price_override', select, unitPrice: 1 },
      { kind: 'order_percentage', select, percentage: percent(10) },
      { kind: 'order_amount', select, amount: 5 },
    ])
    const isMet = { minimumSpend: { amount: 1, select: {} }, requires: [] }
    for (const reward of rewards) {
      const [plain, asked] = [null, isMet].map((conditions) =>
        price(aBasket([{}, {}]), [aBenefit('x', reward, { conditions, existingDiscounts: 'keep' })]),
      )
      const dropped = { stage: 'conditions_not_met', missing: [{ kind: 'units', units: 1 }] }
      t.same(plain!.benefits, [{ benefitId: 'x', dropped, value: 0, lines: [] }], reward.kind)
      t.same(plain!.outcome, { status: 'unchanged', reason: 'conditions_not_met' })
      t.same(plain!.benefits, asked!.benefits, reward.kind)
    }
  },
)

const anyQuantity = fc.constantFrom(1, 7, 100, 4_321, 99_999, 100_000)
const unitPrice = fc.integer({ min: 0, max: 2000 })

/** Share of the value that may stay open: of a part of one more time, where a bundle takes thousands of units of one line. */
const gapShareMax = 0.001

t.test('of one benefit on one line the best outcome is proven, or nearly, whatever the quantity', async (t) => {
  let proven = 0
  fc.assert(
    fc.property(anyQuantity, unitPrice, programme(kinds, 1), (quantity, unitPrice, benefits) => {
      const line = aBasket([{ product: 'p0', group: 'g0', quantity, price: unitPrice }])
      const { value, gap } = price(line, benefits, { ...asked, stepsMax: searchStepsMax })
      if (gap === 0) proven++
      return gap <= value * gapShareMax
    }),
    runs,
  )
  t.ok(proven >= runs.numRuns * 0.999, `${proven} of ${runs.numRuns}`)
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
