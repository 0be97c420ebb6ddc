import t from 'tap'
import type { Line } from '../../../../engine/core/base/basket.js'
import type { Benefit } from '../../../../engine/core/base/programme.js'
import { calculate, compileProgramme } from '../../../../engine/core/index.js'
import { aBenefit, aCase, aLine } from '../../../oracle/a-case.js'

/** Too many to bound all of them closely, or to compute all. */
const normals = 600
const free = Array.from({ length: 198 }, (_, at) => aLine(`free-${at}`, 1, 0))
const add = { existingDiscounts: 'add' } as const

/** The same lines and benefits among many free lines and many order benefits. */
function amongMany(lines: readonly Line[], benefits: readonly Benefit[], many: (benefitId: string) => Benefit) {
  const all = Array.from({ length: normals }, (_, at) => many(`many-${String(at).padStart(3, '0')}`))
  return aCase([...lines, ...free], [...benefits, ...all])
}

function including(...productIds: string[]) {
  return { productIds: [...productIds, ...free.map(({ productId }) => productId)] }
}

t.test('the bound of very many order benefits holds for lines that cost more than they could', (t) => {
  const { benefits, input } = amongMany(
    [aLine('a', 1, 1), aLine('b', 1, 3)],
    [
      aBenefit('line', { kind: 'member_price', select: { productIds: ['a'] }, unitPrice: 0 }, add),
      aBenefit(
        'off',
        { kind: 'order_amount', select: including('a'), amount: 2 },
        { ...add, combination: 'stackable' },
      ),
    ],
    (benefitId) => aBenefit(benefitId, { kind: 'order_percentage', percentage: 150_000 }, add),
  )
  const { value, gap } = calculate(compileProgramme(benefits), input)
  // 15 % of 4 takes 1 off b, because a has the smaller remainder; the amount then takes a.
  t.ok(value + gap >= 2, `${value} + ${gap}`)
  t.end()
})

t.test('where not all order benefits are worked out, no plans are proven by what those do that are', (t) => {
  const select = including('a')
  const both = { select: { productIds: ['a', 'b'] } }
  const order = (percentage: number) => ({ kind: 'order_percentage', select, percentage }) as const
  const { benefits, input } = amongMany(
    [aLine('a', 2, 20), aLine('b', 1, 10)],
    [
      aBenefit(
        'group',
        { kind: 'buy_get', buy: { ...both, quantity: 2 }, get: { ...both, quantity: 1, percentage: 1_000_000 } },
        add,
      ),
      aBenefit('on-top', order(750_000), { ...add, combination: 'stackable' }),
      aBenefit('the-best', order(990_000), add),
    ],
    (benefitId) => aBenefit(benefitId, order(300_000), add),
  )
  const { value, gap } = calculate(compileProgramme(benefits), { ...input, stepsMax: 1_000_000 })
  // b for nothing, 99 % of the two a take 40.
  t.ok(value + gap >= 50, `${value} + ${gap}`)
  t.end()
})
