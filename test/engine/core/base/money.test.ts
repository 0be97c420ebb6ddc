import t from 'tap'
import { compareCodePoints } from '../../../../engine/core/base/code-points.js'
import { floorProduct, moneyMax, quantityTimes, roundProduct } from '../../../../engine/core/base/money.js'
import { wholeUnits } from '../../../../engine/core/base/quantity.js'
import { spread } from '../../../../engine/core/base/spread.js'
import { checkIdentities } from '../../../../engine/core/index.js'
import { shortage } from '../../../../engine/core/offers/shortage.js'
import { fc } from '../../../support/seeded.js'
import { aBasket } from '../builders.js'

const money = fc.oneof(fc.integer({ min: 0, max: 2000 }), fc.integer({ min: 0, max: moneyMax }))

t.test('products are rounded exactly, whatever their size', async (t) => {
  fc.assert(
    fc.property(money, money, fc.integer({ min: 1, max: 1_000_000 }), (a, b, divisor) => {
      const exact = BigInt(a) * BigInt(b)
      const floor = exact / BigInt(divisor)
      const round = (2n * exact + BigInt(divisor)) / (2n * BigInt(divisor))
      const agrees = (result: number, expected: bigint) =>
        expected > BigInt(moneyMax) ? result > moneyMax : BigInt(result) === expected
      return agrees(floorProduct(a, b, divisor), floor) && agrees(roundProduct(a, b, divisor), round)
    }),
    { numRuns: 3000 },
  )
  t.equal(quantityTimes(1255, 100), 126, 'a half goes up')
})

t.test('spreading is exact, in proportion, and keeps to the room', async (t) => {
  const rooms = fc.array(
    fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 500 }), fc.integer({ min: 0, max: 1e14 })),
    {
      minLength: 1,
      maxLength: 8,
    },
  )
  fc.assert(
    fc.property(rooms, fc.double({ min: 0, max: 1, noNaN: true }), (room, share) => {
      const total = room.reduce((sum, each) => sum + each, 0)
      const amount = Math.min(total, Math.floor(total * share))
      const shares = spread(amount, room)
      const sum = shares.reduce((left, each) => left + each, 0)
      return (
        sum === amount &&
        shares.every((each, at) => {
          const exact = total === 0 ? 0n : (BigInt(amount) * BigInt(room[at]!)) / BigInt(total)
          return each <= room[at]! && (BigInt(each) === exact || BigInt(each) === exact + 1n)
        })
      )
    }),
    { numRuns: 2000 },
  )
  t.same(spread(1, [5, 5]), [1, 0], 'of equal remainders the earlier line gets the unit')
  t.same(spread(2, [1, 5, 0, 3]), [0, 1, 0, 1])
  t.same(spread(0, [0, 0]), [0, 0])
})

t.test('a quantity is whole by its value', async (t) => {
  t.equal(wholeUnits(2000), 2)
  t.equal(wholeUnits(2001), 0)
})

t.test('ids are ordered by code points', async (t) => {
  t.same(['b', '\u{1F600}', '\uFF5E', 'B', 'bb', 'b'].sort(compareCodePoints), [
    'B',
    'b',
    'b',
    'bb',
    '\uFF5E',
    '\u{1F600}',
  ])
})

t.test('a shortage counts what is missing when a unit serves one want only', async (t) => {
  const units = [2, 1, 0]
  const on = (line: number) => units[line]!
  t.equal(shortage([{ lines: [0], quantity: 2 }], on), 0)
  t.equal(
    shortage(
      [
        { lines: [0, 1], quantity: 2 },
        { lines: [0], quantity: 2 },
      ],
      on,
    ),
    1,
  )
  t.equal(
    shortage(
      [
        { lines: [0, 1], quantity: 1 },
        { lines: [0], quantity: 2 },
      ],
      on,
    ),
    0,
    'the first want moves over',
  )
  t.equal(
    shortage(
      [
        { lines: [2], quantity: 3 },
        { lines: [], quantity: 1 },
      ],
      on,
    ),
    4,
  )
})

t.test('the first identity that does not hold is named with what was expected', async (t) => {
  const basket = aBasket([{}, { own: [100], allocations: { pos: 50 } }])
  const [first, second] = basket.lines
  const broken = (totals: object, line = first!) => ({
    ...basket,
    lines: basket.lines.map((each) => (each === line ? { ...each, totals: { ...each.totals, ...totals } } : each)),
  })
  t.equal(checkIdentities(basket), null)
  const cases: [Parameters<typeof checkIdentities>[0], string, string, string][] = [
    [broken({ gross: 999 }), 'lines[0].totals.gross', '1000', '999'],
    [broken({ lineDiscount: 1 }, second), 'lines[1].totals.lineDiscount', '100', '1'],
    [broken({ orderDiscount: 1 }, second), 'lines[1].totals.orderDiscount', '50', '1'],
    [broken({ net: 1 }), 'lines[0].totals.net', '1000', '1'],
    [
      { ...basket, orderDiscounts: [{ ...basket.orderDiscounts[0]!, amount: 51 }] },
      'orderDiscounts[0].amount',
      '50',
      '51',
    ],
    [{ ...basket, totals: { ...basket.totals, net: 0 } }, 'totals.net', '1850', '0'],
  ]
  for (const [wrong, field, expected, received] of cases) {
    t.same(checkIdentities(wrong), { kind: 'mismatch', field, expected, received })
  }
  const nameless = { ...basket, orderDiscounts: [] }
  t.match(checkIdentities(nameless), { field: 'lines[1].orderDiscountAllocations[0].orderDiscountId', received: 'pos' })
  const negative = aBasket([{ price: 10, own: [11] }])
  t.match(checkIdentities(negative), { kind: 'mismatch', field: 'lines[0].totals.net', received: '-1' })
})

t.test('a result above the maximum is distinguished from a mismatch', async (t) => {
  const line = aBasket([{ price: moneyMax }]).lines[0]!
  const doubled = { ...line, quantity: 2000 }
  t.match(checkIdentities({ ...aBasket([{}]), lines: [doubled] }), { kind: 'overflow', field: 'lines[0].totals.gross' })
  const both = aBasket([{ price: moneyMax }, { price: moneyMax }])
  t.match(checkIdentities(both), { kind: 'overflow', field: 'totals.gross' })
})
