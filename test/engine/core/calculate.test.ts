import t from 'tap'
import type { Basket, Line } from '../../../engine/core/base/basket.js'
import { searchStepsMax } from '../../../engine/core/base/costs.js'
import type { CalculationInput } from '../../../engine/core/base/input.js'
import { moneyMax } from '../../../engine/core/base/money.js'
import type { Calculation } from '../../../engine/core/base/outcome.js'
import type { Benefit, Selector } from '../../../engine/core/base/programme.js'
import { assertHolds } from '../../oracle/assert-holds.js'
import type { PricingCase } from '../../oracle/pricing-case.js'
import type { Dice } from '../../support/dice.js'
import { sized } from '../../support/sized.js'
import { aBasket, aBenefit, applied, percent, price, sentBack } from './builders.js'

const cases = sized(200, 10_000)

/** Steps that the work in progress may still take at the end of the budget. */
const passedByMax = 500

function priced({ benefits, input }: PricingCase, changes: Partial<CalculationInput> = {}): Calculation {
  const { basket, ...asked } = { ...input, stepsMax: 20_000, ...changes }
  return price(basket, benefits, asked)
}

t.test('the order of the benefits changes nothing, to the byte', async (t) => {
  assertHolds(t, cases, ({ benefits, input }) => {
    const [first, second] = [priced({ benefits, input }), priced({ benefits: benefits.toReversed(), input })]
    return JSON.stringify(first) === JSON.stringify(second)
  })
})

t.test('an answer sent again is the outcome already', async (t) => {
  assertHolds(t, cases, ({ benefits, input }) => {
    // Amounts removed from a discount of the POS never return.
    const adding = benefits
      .filter(({ reward }) => reward.kind !== 'price_override')
      .map((benefit): Benefit => ({ ...benefit, existingDiscounts: 'add' }))
    const first = priced({ benefits: adding, input })
    if (first.outcome.status === 'unchanged' || input.basket.orderDiscounts.length > 0) return true
    const again = priced({ benefits: adding, input }, { basket: sentBack(input.basket, applied(first)) })
    return again.outcome.status === 'unchanged' && again.value === first.value
  })
})

t.test('a basket never costs more than it was sent with, nor less than nothing, whatever the budget', async (t) => {
  assertHolds(t, cases, ({ benefits, input }, dice) => {
    const { value, gap, netAfter } = priced({ benefits, input }, { stepsMax: dice.pick([0, 100, 20_000]) })
    return value >= 0 && gap >= 0 && netAfter >= 0 && netAfter <= priced({ benefits: [], input }).netAfter
  })
})

t.test('counters that bound nothing change nothing, to the byte', async (t) => {
  const seen = { bounded: 0, unbounded: 0 }
  assertHolds(t, cases, ({ benefits, input }, dice) => {
    const exhausted = Object.keys(input.available).filter(() => dice.chance(0.5))
    const available = Object.fromEntries(exhausted.map((key) => [key, 0]))
    const known = priced({ benefits, input }, { available })
    if (exhausted.length > 0) seen[known.bounded ? 'bounded' : 'unbounded'] += 1
    return known.bounded || JSON.stringify(known) === JSON.stringify(priced({ benefits, input }, { available: {} }))
  })
  t.ok(seen.bounded > 10 && seen.unbounded > 10, JSON.stringify(seen))
})

t.test('one benefit more never lowers the value', async (t) => {
  assertHolds(t, cases, ({ benefits, input }) => {
    const [all, fewer] = [priced({ benefits, input }), priced({ benefits: benefits.slice(1), input })]
    return !all.optimal || all.value >= fewer.value
  })
})

t.test('100 % off leaves 0 on every line that may be discounted', async (t) => {
  assertHolds(t, cases, ({ input }, dice) => {
    const kind = dice.pick(['line_percentage', 'order_percentage'] as const)
    const all = aBenefit('all', { kind, percentage: percent(100) }, { existingDiscounts: 'add' })
    const { outcome } = priced({ benefits: [all], input })
    const sent = input.basket.lines
    const ended =
      outcome.status === 'applied' ? outcome.basket.lines : sent.map((line, source) => ({ ...line, source }))
    return ended.every(({ totals, source }) => {
      const { noDiscount, noPercentageDiscount } = sent[source]!
      return noDiscount || noPercentageDiscount || totals.net === 0
    })
  })
})

t.test('a line that costs nothing gets nothing', async (t) => {
  assertHolds(t, cases, (question) => {
    const { outcome } = priced(question)
    if (outcome.status === 'unchanged') return true
    return outcome.basket.lines.every(({ source, discounts, totals, overrideUnitPrice }) => {
      if (source === -1 || totals.gross > 0 || overrideUnitPrice !== null) return true
      return discounts.every(({ kind }) => kind === 'kept') && totals.orderDiscount === 0
    })
  })
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

/** One line with a quantity of any size, of a product of the basket. */
function oneLine({ lines }: Basket, dice: Dice): Basket {
  const { productId: product, productGroupId, productMasterId, ean } = lines[0]!
  const quantity = dice.pick([1, 7, 100, 4_321, 99_999, 100_000])
  const named = namesOf({ productGroupId, productMasterId, ean })
  return aBasket([{ product, ...named, quantity, price: dice.between(0, 2000) }])
}

t.test('of one benefit on one line all is proven, whatever the quantity', async (t) => {
  assertHolds(t, cases, ({ benefits, input }, dice) => {
    const basket = oneLine(input.basket, dice)
    return priced({ benefits: benefits.slice(0, 1), input }, { basket, stepsMax: searchStepsMax }).optimal
  })
})

t.test('the budget ends the search of one line, whatever its quantity', async (t) => {
  const stepsMax = 2000
  assertHolds(t, cases, ({ benefits, input }, dice) => {
    return (
      priced({ benefits, input }, { basket: oneLine(input.basket, dice), stepsMax }).steps <= stepsMax + passedByMax
    )
  })
})

t.test('the largest amounts stay exact', async (t) => {
  const most = aBasket([{ price: moneyMax }])
  const third = aBenefit('third', { kind: 'line_percentage', percentage: 333_333 })
  const result = price(most, [third])
  t.equal(result.value, Number((333_333n * BigInt(moneyMax) + 500_000n) / 1_000_000n))
  t.equal(applied(result).totals.net, moneyMax - result.value)
})

function namesOf(line: Pick<Line, 'productGroupId' | 'productMasterId' | 'ean'>) {
  const { productGroupId: group, productMasterId: master, ean } = line
  return { ...(group && { group }), ...(master && { master }), ...(ean && { ean }) }
}
