import t from 'tap'
import * as basketWords from '../../../../engine/core/base/basket.js'
import { compareCodePoints } from '../../../../engine/core/base/code-points.js'
import {
  aloneStepsInAllMax,
  aloneStepsMax,
  closeCellsMax,
  improvedCellsMax,
  limitedSplitsMax,
  nanos,
  nanosIn,
  pricedCellsMax,
  searches,
  searchStepsMax,
  shares,
  sharesPlacedMax,
  statesMax,
  stepsOf,
  weighedCellsMax,
} from '../../../../engine/core/base/costs.js'
import { floorProduct, moneyMax, quantityTimes, roundProduct, wholeUnits } from '../../../../engine/core/base/money.js'
import * as programmeWords from '../../../../engine/core/base/programme.js'
import { spread } from '../../../../engine/core/base/spread.js'
import { leastMore } from '../../../../engine/core/base/tolerance.js'
import { fc } from '../../../support/seeded.js'

interface Spreading {
  readonly amount: number
  readonly room: readonly number[]
}

/** Rooms whose sum is an amount, and an amount to spread over them, from a few minor units up to the maximum. */
const spreading: fc.Arbitrary<Spreading> = fc.oneof(
  spreadingUpTo(12),
  spreadingUpTo(5_000_000),
  spreadingUpTo(moneyMax),
)

function spreadingUpTo(most: number): fc.Arbitrary<Spreading> {
  return fc.array(fc.integer({ min: 0, max: Math.floor(most / 8) }), { minLength: 1, maxLength: 8 }).chain((room) => {
    const total = room.reduce((sum, each) => sum + each, 0)
    return fc.integer({ min: 0, max: total }).map((amount) => ({ amount, room }))
  })
}

t.test('shares sum to the amount and lie less than one minor unit from the exact proportion', async (t) => {
  fc.assert(
    fc.property(spreading, ({ amount, room }) => {
      const shares = spread(amount, room)
      const total = sum(room)
      if (shares.length !== room.length || sum(shares) !== BigInt(amount)) return false
      return shares.every((share, at) => {
        const off = remainder({ amount, room }, share, at)
        return Number.isSafeInteger(share) && share <= room[at]! && off > -total - 1n && off < total + 1n
      })
    }),
    { numRuns: 3000 },
  )
  t.pass()
})

t.test('what is over goes to the largest remainders, on a tie to the earlier line', async (t) => {
  fc.assert(
    fc.property(spreading, ({ amount, room }) => {
      const total = sum(room)
      const shares = spread(amount, room)
      const floors = room.map((each) => (total === 0n ? 0n : (BigInt(amount) * BigInt(each)) / total))
      const order = room.map((_, at) => at).filter((at) => room[at]! > 0)
      return order.every((up) =>
        order.every((down) => {
          if (BigInt(shares[up]!) === floors[up] || BigInt(shares[down]!) !== floors[down]) return true
          const [given, passed] = [up, down].map((at) => remainder({ amount, room }, Number(floors[at]!), at))
          return given! > passed! || (given === passed && up < down)
        }),
      )
    }),
    { numRuns: 3000 },
  )
  t.pass()
})

t.test('equal remainders are served from the first line on, larger ones before them', async (t) => {
  t.same(spread(2, [1, 1, 1, 1]), [1, 1, 0, 0])
  t.same(spread(1, [1, 2, 1]), [0, 1, 0])
  t.same(spread(3, [5, 1, 5, 1, 5]), [1, 0, 1, 0, 1])
  t.same(spread(5, [3, 3, 1, 2]), [2, 2, 0, 1])
  t.same(spread(4, [1, 2, 4, 2]), [0, 1, 2, 1])
  t.same(spread(2, [1, 5, 0, 3]), [0, 1, 0, 1])
})

t.test('the largest possible remainder goes first, and the next amount is spread as before', async (t) => {
  for (const lineCount of [2, 3, 5, 40]) {
    const nothing = Array.from({ length: lineCount - 2 }, () => 0)
    const most = Math.floor(moneyMax / lineCount) - 1
    t.same(spread(1, [...nothing, 1, most]), [...nothing, 0, 1])
    t.same(spread(1, [most, 1, ...nothing]), [1, 0, ...nothing])
    t.same(spread(2, [1, 1, 1, 1]), [1, 1, 0, 0])
  }
})

t.test('the whole room is given back as it is, in a list of its own', async (t) => {
  const room = [3, 0, 4]
  const shares = spread(7, room)
  t.same(shares, room)
  t.not(shares, room)
  t.same(spread(0, [0, 0]), [0, 0])
  t.same(spread(0, []), [])
})

t.test('nothing to spread is nothing for every line', async (t) => {
  t.same(spread(0, [5, 7]), [0, 0])
})

t.test('products beyond 2^53 are spread exactly', async (t) => {
  const third = Math.floor(moneyMax / 3)
  const share = (third * 2 + 1) / 3
  t.same(spread(third * 2 + 1, [third, third, third]), [share, share, share])
  t.same(spread(third * 2 + 2, [third, third, third]), [share + 1, share, share])
  t.same(spread(moneyMax - 3, [moneyMax - 2, 1, 1]), [moneyMax - 5, 1, 1])
})

function sum(amounts: readonly number[]): bigint {
  return amounts.reduce((total, amount) => total + BigInt(amount), 0n)
}

/** Shortfall of a share from its exact proportion, times the sum of the room. */
function remainder({ amount, room }: Spreading, share: number, at: number): bigint {
  return BigInt(amount) * BigInt(room[at]!) - BigInt(share) * sum(room)
}

const money = fc.oneof(fc.integer({ min: 0, max: 2000 }), fc.integer({ min: 0, max: moneyMax }))

/** Products next to the largest that a number holds exactly. */
const nearMaximum: [number, number, number][] = [1, 3, 7, 1000, 999_983].flatMap((divisor) => [
  [94_906_265, 94_906_266, divisor],
  [94_906_266, 94_906_266, divisor],
  [moneyMax - 1, 2, divisor],
  [moneyMax, 999, divisor],
])

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
    { numRuns: 3000, examples: nearMaximum },
  )
  t.equal(quantityTimes(1255, 100), 126, 'a half goes up')
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

t.test('the words of basket and programme are types alone', async (t) => {
  t.strictSame([Object.keys(basketWords), Object.keys(programmeWords)], [[], []])
})

t.test('a part with its own limit stays within its share of the budget', (t) => {
  const first = searchStepsMax * shares.first
  t.ok(stepsOf(limitedSplitsMax * nanos.made) <= searchStepsMax, 'splits among limited offers')
  t.ok(stepsOf(sharesPlacedMax * nanos.placed) <= first, 'shares of order discounts that are placed')
  t.ok(stepsOf(closeCellsMax * nanos.share) <= first, 'choices of order benefits that are bounded closely')
  t.ok(stepsOf(statesMax * nanos.state) <= first, 'states that a walk narrows')
  t.ok(statesMax <= nanosIn(searchStepsMax) / nanos.made, 'an automaton of so many states')
  t.ok(aloneStepsInAllMax <= first && aloneStepsMax <= aloneStepsInAllMax * shares.first, 'benefits alone')
  t.end()
})

t.test('the closely computed part is within the computed part', (t) => {
  t.ok(improvedCellsMax <= pricedCellsMax, 'improved prices')
  t.ok(weighedCellsMax <= closeCellsMax, 'weighings line by line')
  t.end()
})

t.test('every walk of a component is over more than the one before it, and the last one over all', (t) => {
  for (const [index, search] of searches.slice(1).entries())
    t.ok(search.statesKept > searches[index]!.statesKept, `walk ${index + 2}`)
  t.match(searches.at(-1), { near: 0, statesKept: Number.POSITIVE_INFINITY })
  t.end()
})

t.test('a tolerance is more than sums of doubles lose, and less than a minor unit up to 10 ** 13', (t) => {
  for (const most of [0, 1, 1e4, 1e7, 1e10, 1e13, moneyMax])
    t.ok(leastMore(most) > 20 * Number.EPSILON * most && (most > 1e13 || leastMore(most) < 1), `${most}`)
  t.end()
})
