import t from 'tap'
import { floorProduct, moneyMax, quantityTimes, roundProduct } from '../../../../engine/core/base/money.js'
import { fc } from '../../../support/seeded.js'

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
