import t from 'tap'
import { aBasket, price } from '../engine/core/builders.js'
import { peerCases } from './peer-cases.js'

for (const { peer, tests, lines, benefits, off } of peerCases) {
  t.test(`gives what ${peer} expects: ${tests}`, async (t) => {
    const basket = aBasket(lines)
    const { outcome, optimal } = price(basket, benefits)
    const after = outcome.status === 'applied' ? outcome.basket.lines : basket.lines
    t.same(
      after.map(({ totals }) => totals.gross - totals.net),
      off,
    )
    t.equal(optimal, true)
  })
}

t.test('six peers are received, with thirty cases or more', async (t) => {
  t.ok(peerCases.length >= 30)
  t.equal(new Set(peerCases.map(({ peer }) => peer)).size, 6)
})
