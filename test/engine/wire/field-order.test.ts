import t from 'tap'
import type { OutcomeLine } from '../../../engine/core/base/outcome.js'
import type { ReadBasket } from '../../../engine/wire/read-basket.js'
import { loyaltyDiscount, outcomeAsSent, summed } from './a-calculation.js'
import type { BasketBody } from './basket-body.js'
import { fullBody } from './full-body.js'
import { basketObject, discounted, read } from './written-basket.js'

/** The same value with the members of some objects in the reverse order. */
function turned(value: unknown, isTurned: () => boolean): unknown {
  if (Array.isArray(value)) return value.map((each) => turned(each, isTurned))
  if (value === null || typeof value !== 'object') return value
  const members = Object.entries(value).map(([name, each]) => [name, turned(each, isTurned)] as const)
  return Object.fromEntries(isTurned() ? members.reverse() : members)
}

/** Two of three units of the second line, which loses its price and its discount; the third is split off. */
function changedLines([first, second]: readonly OutcomeLine[]): OutcomeLine[] {
  const gross = (sum: number, orderDiscount: number, lineDiscount: number) => {
    return { gross: sum, lineDiscount, orderDiscount, net: sum - lineDiscount - orderDiscount }
  }
  const old: OutcomeLine = {
    ...second!,
    quantity: 2000,
    overrideUnitPrice: null,
    splitFromLineId: null,
    discounts: [],
    amounts: [],
    orderDiscountAllocations: [{ orderDiscountId: 'loyalty-1', amount: 50 }],
    totals: gross(400, 50, 0),
  }
  const split: OutcomeLine = {
    ...discounted(second!, 7),
    kind: 'split',
    lineId: 'loyalty-2',
    quantity: 1000,
    orderDiscountAllocations: [{ orderDiscountId: 'o', amount: 9 }],
    totals: gross(200, 9, 27),
  }
  return [discounted(first!, 3), old, split]
}

function writtenOf(request: ReadBasket): BasketBody {
  const sent = outcomeAsSent(request.basket)
  return basketObject(
    request,
    summed({
      ...sent,
      lines: changedLines(sent.lines),
      orderDiscounts: [
        { kind: 'kept', position: 0, amount: 9 },
        { kind: 'added', discount: { orderDiscountId: 'loyalty-1', ...loyaltyDiscount(50) } },
      ],
    }),
  )
}

t.test('writes the same values in whatever order the fields of each object come', async (t) => {
  const body = fullBody()
  Object.assign(body.lines[1]!, {
    quantity: 3,
    totals: { gross: 600, lineDiscount: 20, orderDiscount: 30, net: 550 },
  })
  body.totals = { gross: 700, lineDiscount: 20, orderDiscount: 30, net: 650 }
  const written = writtenOf(read(body))
  t.match(written.lines[2], { lineId: 'loyalty-2', quantity: 1, splitFromLineId: 'line 1', overrideUnitPrice: 200 })
  let objects = 0
  for (const every of [1, 2, 3]) {
    const isTurned = () => objects++ % every === 0
    t.same(writtenOf(read(turned(body, isTurned))), written, `of every ${every}`)
  }
})

t.test('appends absent fields in one order, whatever the order in the line before', async (t) => {
  const body = fullBody()
  const [first, second] = body.lines
  const bare = { orderDiscountAllocations: undefined, splitFromLineId: undefined, discounts: undefined }
  const lines = [turned(second, () => true), { ...first, ...bare, totals: first!.totals }]
  const request = read({ ...body, lines })
  const sent = outcomeAsSent(request.basket)
  const line = discounted(sent.lines[1]!, 3)
  const marked = { ...line, overrideUnitPrice: 100, splitFromLineId: 'line 1' }
  const written = basketObject(request, summed({ ...sent, lines: [sent.lines[0]!, marked] })).lines[1]!
  t.same(Object.keys(written).slice(-3), ['overrideUnitPrice', 'splitFromLineId', 'discounts'])
})
