import t from 'tap'
import { moneyMax } from '../../../../engine/core/base/money.js'
import { spread } from '../../../../engine/core/base/spread.js'
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
