import t from 'tap'
import { everyCounter } from '../../../engine/core/base/input.js'
import type { Priced } from '../../../engine/index.js'
import {
  type Attempt,
  type Available,
  priceWithinLimits,
  type Settled,
  type Start,
} from '../../../gateway/use-cases/price-within-limits.js'

/** Prices with these settlements one after the other, the last one again and again; notes every attempt. */
function aPricing(settlements: readonly Settled<string>[], start: Start = { available: {}, wasShort: false }) {
  const attempts: Omit<Attempt, 'priced'>[] = []
  const run = () =>
    priceWithinLimits({
      start,
      price: async () => ({}) as Priced,
      async settle({ available, wasShort }) {
        attempts.push({ available, wasShort })
        return settlements[Math.min(attempts.length, settlements.length) - 1]!
      },
    })
  return { attempts, run }
}

const done = { kind: 'done', value: 'answer' } as const
const short = (left: Available) => ({ kind: 'short', left }) as const

t.test('a basket is priced again with what limits have left, and keeps what earlier attempts reported', async (t) => {
  const { attempts, run } = aPricing([short({ a: 1 }), short({ b: 0 }), done])
  t.equal(await run(), 'answer')
  t.same(attempts, [
    { available: {}, wasShort: false },
    { available: { a: 1 }, wasShort: true },
    { available: { a: 1, b: 0 }, wasShort: true },
  ])
})

t.test('the eighth attempt goes without limited benefits', async (t) => {
  const { attempts, run } = aPricing([...Array.from({ length: 7 }, () => short({ a: 1 })), done])
  t.equal(await run(), 'answer')
  t.same(attempts.at(-1), { available: { [everyCounter]: 0 }, wasShort: true })
})

t.test('limits that cannot be asked for count as exhausted, and as none that was short', async (t) => {
  const { attempts, run } = aPricing([short({ a: 1 }), { kind: 'limits_unknown' }, done])
  t.equal(await run(), 'answer')
  t.same(attempts.at(-1), { available: { [everyCounter]: 0 }, wasShort: false })
})

t.test('the first attempt is as the start says', async (t) => {
  const start = { available: { a: 0 }, wasShort: true }
  const { attempts, run } = aPricing([done], start)
  await run()
  t.same(attempts, [start])
})

t.test('a basket that is short without limited benefits is a bug', async (t) => {
  await t.rejects(aPricing([short({ a: 0 })]).run(), { message: /without limited benefits/ })
})
