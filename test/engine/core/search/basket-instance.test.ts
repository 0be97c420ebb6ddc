import t from 'tap'
import { heldBy, planLine } from '../../../../engine/core/lines/plan.js'
import { settleLines } from '../../../../engine/core/lines/settle-lines.js'
import { lineTask } from '../../../../engine/core/search/basket-instance.js'
import { aBasket, aBenefit, percent } from '../builders.js'
import { offersOf } from '../offers-of.js'
import { withoutOrders } from './without-orders.js'

const basket = aBasket([{ price: 333, quantity: 3 }, { price: 101, quantity: 7 }, { price: 55 }])
const pair = aBenefit('pair', { kind: 'bundle_price', components: [{ quantity: 2 }], price: 300, maximumTimes: 2 })
const few = aBenefit(
  'few',
  { kind: 'line_percentage', percentage: percent(33) },
  { limits: [{ limitId: 'few', scope: 'member', period: 'day', counts: 'units', maximum: 2 }] },
)
const most = aBenefit('most', { kind: 'line_percentage', percentage: percent(50), maximumAmount: 40 })
const first = aBenefit('first', { kind: 'line_percentage', percentage: percent(7) }, { combination: 'stackable' })
const second = aBenefit('second', { kind: 'line_amount', amount: 3, per: 'unit' }, { combination: 'stackable' })

// Every allocation of up to two units of each line to up to two of the benefits.
const { basis, offers } = offersOf(basket, [pair, few, most, first, second])
const { partition, lineInstance, instance, components } = withoutOrders(basis, offers)
const [component] = components
const shares = [0, 1, 2].flatMap((one) => [0, 1].map((other) => [one, other] as const))

t.test('plans of a component are judged to gain what they come to when they are worked out', async (t) => {
  t.equal(component!.lines.length, basis.lines.length)
  t.equal(partition.tying.length, 3, 'a bundle, a limit and a maximum amount tie the lines')
  for (const weights of [null, [1, 0.5, 0.25]]) {
    const { judge } = lineTask(instance, component!, { weights, stepsMax: 100 })
    for (const one of partition.tying) {
      for (const other of partition.tying.filter((each) => each !== one)) {
        for (const [taken, beside] of shares) {
          const plans = basis.lines.map((line, at) => {
            const given = [
              { offer: one, pieces: taken, bought: 0 },
              { offer: other, pieces: beside, bought: 0 },
            ]
            const serves = given.filter(({ pieces }) => pieces > 0 && line.pieces > 1)
            return serves.length === 0 ? lineInstance.alone[at]! : planLine(line, partition.lineOffers[at]!, serves)
          })
          const settled = settleLines(basis.lines, plans)!
          const gains = settled.lines.map(
            ({ rest }, at) => (heldBy(basis.lines[at]!) - rest) * (weights === null ? 1 : weights[at]!),
          )
          const gain = gains.reduce((sum, each) => sum + each, 0)
          t.equal(judge(plans), gain, `${one.benefit.benefitId} ${taken}, ${other.benefit.benefitId} ${beside}`)
        }
      }
    }
  }
})
