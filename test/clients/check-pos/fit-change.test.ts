import t from 'tap'
import { createCatalogue } from '../../../bench/load/catalogue.js'
import { drawBasket } from '../../../bench/load/draw-baskets.js'
import { readCases } from '../../../clients/check-pos/cases.js'
import { unfitness } from '../../../clients/check-pos/fit-change.js'
import { answerToBasket } from '../../../clients/check-pos/play-service.js'
import { problemsOf } from '../../../clients/pos-js/check-basket.js'
import { Dice } from '../../support/dice.js'

const cases = readCases()
const changing = cases.baskets.filter(({ answer }) => answer?.change !== undefined)
/** The content of the basket is wrong, not its form. */
const wrongNames = new Set(
  changing
    .filter(
      ({ answer, expect }) =>
        expect.status === 'failed' && !('delayMs' in answer! || 'half' in answer! || 'status' in answer!),
    )
    .map(({ name }) => name),
)
/** Baskets with discounts of the POS, of one line and of many. */
const mix = { lines: 'drawn', memberShare: 1, couponShare: 0, discountShare: 0.5, orderDiscountShare: 0.5 } as const

t.test('whatever basket a POS sends, good answers add up and wrong ones do not', async (t) => {
  const dice = new Dice(11)
  const catalogue = createCatalogue({ kind: 'retail', seed: 3, benefits: 20, members: 5 })
  let fitting = 0
  for (let count = 0; count < 300; count++) {
    const { basket, venue } = drawBasket(dice, catalogue, mix)
    if (unfitness(basket) !== null) continue
    fitting += 1
    const product = venue.products[0]!
    const parts = { cases, discountCode: 'OURS', product }
    for (const { name, answer } of changing) {
      const problems = problemsOf(answerToBasket(answer!, basket, parts).basket, basket, venue)
      if (problems.length > 0 !== wrongNames.has(name)) t.fail(`${name}, basket ${count}: ${problems.join()}`)
    }
  }
  t.ok(fitting > 200, `${fitting} baskets fit`)
})
