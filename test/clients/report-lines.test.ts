import t from 'tap'
import { reportLines } from '../../clients/lps/report-lines.js'
import { accountKey } from '../../engine/core/base/outcome.js'
import type { Benefit } from '../../engine/core/base/programme.js'
import { BenefitReportSchema } from '../../gateway/gen/loyalty/v1/explanation_pb.js'
import { messageFromReport } from '../../gateway/internal/messages/explanation-message.js'
import { messageFrom } from '../../gateway/internal/messages/message.js'
import {
  type Asked,
  aBasket,
  aBenefit,
  aMember,
  aVenue,
  type LineSketch,
  percent,
  price,
} from '../engine/core/builders.js'

const bought = [
  { product: 'coffee', own: [50] },
  { product: 'bag', price: 0 },
] as const

/** The text of `lps explain` for a single benefit. */
function textOf(
  benefit: Benefit,
  product: Parameters<typeof aVenue>[0] = [],
  { sketches = bought, ...asked }: Asked & { readonly sketches?: readonly LineSketch[] } = {},
): string {
  const sent = aBasket(sketches)
  const { benefits } = price(sent, [benefit], { venue: aVenue(product), ...asked })
  const lines = sent.lines.map((line) => ({ ...line, quantity: line.quantity / 1000, discounts: [] }))
  const messages = benefits.map((report) => messageFrom(BenefitReportSchema, messageFromReport(report, lines)))
  return reportLines(messages, { lines, names: new Map(), currency: 'NOK' }).join('\n').trim()
}

t.test('discounts that a benefit retains are not described as equally large', async (t) => {
  const keeping = aBenefit('b', { kind: 'line_percentage', percentage: percent(20) }, { existingDiscounts: 'keep' })
  t.equal(
    textOf(keeping),
    'b  not applied: nothing to gain on coffee (line 1), bag (line 2), or it keeps the discounts there',
  )
})

t.test('a free product that is not granted is named where it has no line', async (t) => {
  const free = aBenefit('b', { kind: 'free_product', productId: 'gift', quantity: 1 })
  t.equal(textOf(free, [{ unitPrice: 0 }]), 'b  not applied: the product that it adds costs nothing')
  t.equal(textOf(free, [{ noDiscount: true }]), 'b  not applied: the product that it adds may not be discounted')
})

t.test('what is left and wanted of a limit is money where it counts an amount', async (t) => {
  const limited = (counts: 'units' | 'amount', unitPrice: number) =>
    aBenefit(
      'b',
      { kind: 'member_price', unitPrice },
      { limits: [{ limitId: 'l', scope: 'everyone', period: 'ever', counts, maximum: 120 }] },
    )
  t.equal(textOf(limited('amount', 800)), 'b  not applied: the limit l has 1.20 NOK left, 2.00 NOK wanted')
  const exhausted = {
    ...limited('units', 800),
    limits: limited('units', 800).limits.map((each) => ({ ...each, maximum: 0 })),
  }
  t.equal(textOf(exhausted), 'b  not applied: the limit l has 0 left, 1 wanted')
})

t.test('what a benefit costs is named, whether it is paid, lacking or held', async (t) => {
  const costs = { currencyId: 'stamps', amount: 10, per: 'unit', worth: 1 } as const
  const paid = aBenefit('b', { kind: 'member_price', unitPrice: 900 }, { costs })
  const having = (stamps: number): Asked => ({ member: { ...aMember, balances: { stamps } } })
  t.equal(textOf(paid, [], having(10)), 'b  gives 1.00 NOK on 1 x coffee (line 1) for 10 stamps')
  t.equal(textOf(paid, [], having(7)), 'b  not applied: the member lacks 3 stamps to pay for it')
  const dear = aBenefit('b', paid.reward, { costs, conditions: { minimumSpend: { amount: 1050 } } })
  t.match(textOf(dear, [], having(7)), /^b {2}not applied: the basket lacks .* of spend and 3 stamps to pay for it$/)
  t.equal(
    textOf(paid, [], { ...having(10), available: { [accountKey('stamps')]: 4 } }),
    'b  not applied: other open calculations hold what it costs: 4 stamps free, 10 wanted',
  )
})

t.test('a line that is weighed, has no discount on it or follows another is described so', async (t) => {
  const latte: LineSketch = { product: 'latte', group: 'coffee', price: 5000 }
  const oat: LineSketch = { product: 'oat', price: 700, parent: 0 }
  const select = { productGroupIds: ['coffee'], children: true }
  const tenth = aBenefit('b', { kind: 'line_percentage', percentage: percent(10), select })
  t.equal(
    textOf(tenth, [], { sketches: [latte, oat, { ...latte, product: 'beans', quantity: 1.5 }] }),
    'b  gives 13.20 NOK on 1 x latte (line 1), oat (line 2, follows latte on line 1), beans (line 3, weighed)',
  )
  const second = aBenefit('b', {
    kind: 'buy_get',
    buy: { select: { productIds: ['card'], includeNoDiscount: true }, quantity: 1 },
    get: { select: { productIds: ['latte'] }, quantity: 1, percentage: percent(50) },
  })
  t.equal(
    textOf(second, [], { sketches: [{ product: 'card', noDiscount: true }, latte] }),
    'b  gives 25.00 NOK on 1 x card (line 1, no discount on it), 1 x latte (line 2)',
  )
})
