import t from 'tap'
import { keptBasket, returnedOfSent, type SentBasket } from '../../../gateway/use-cases/basket-after-return.js'

type Line = SentBasket['lines'][number]

function aLine(line: Partial<Line> & Pick<Line, 'lineId' | 'quantity' | 'unitPrice'>): Line {
  const gross = Math.round(line.quantity * (line.overrideUnitPrice ?? line.unitPrice))
  const sum = (amounts: readonly { readonly amount: number }[]) => amounts.reduce((all, { amount }) => all + amount, 0)
  const [lineDiscount, orderDiscount] = [sum(line.discounts ?? []), sum(line.orderDiscountAllocations ?? [])]
  return { totals: { gross, lineDiscount, orderDiscount, net: gross - lineDiscount - orderDiscount }, ...line }
}

function aBasket(lines: readonly Line[], more: Partial<SentBasket> = {}): SentBasket {
  return { lines, totals: { gross: 0, lineDiscount: 0, orderDiscount: 0, net: 0 }, ...more }
}

t.test('what is kept has the shares of its discounts, and adds up', async (t) => {
  const sent = aBasket(
    [
      aLine({
        ...{ lineId: 'a', quantity: 3, unitPrice: 1_000, discounts: [{ amount: 100 }] },
        orderDiscountAllocations: [{ orderDiscountId: 'o', amount: 50 }],
      }),
      aLine({ lineId: 'b', quantity: 1.337, unitPrice: 999, overrideUnitPrice: 500, parentLineId: 'c' }),
      aLine({
        lineId: 'c',
        quantity: 1,
        unitPrice: 70,
        orderDiscountAllocations: [{ orderDiscountId: 'o', amount: 7 }],
      }),
    ],
    { orderDiscounts: [{ orderDiscountId: 'o', amount: 57 }] },
  )
  const kept = keptBasket(
    sent,
    new Map([
      ['a', 1_000],
      ['b', 337],
      ['c', 1_000],
    ]),
  )
  t.match(kept, {
    lines: [
      { lineId: 'a', quantity: 2, totals: { gross: 2_000, lineDiscount: 66, orderDiscount: 33, net: 1_901 } },
      { lineId: 'b', quantity: 1, parentLineId: null, totals: { gross: 500, net: 500 } },
    ],
    orderDiscounts: [{ orderDiscountId: 'o', amount: 33 }],
    totals: { gross: 2_500, lineDiscount: 66, orderDiscount: 33, net: 2_401 },
  })
  t.equal(kept.lines.length, 2)
  t.match(keptBasket(aBasket([aLine({ lineId: 'a', quantity: 1, unitPrice: 5 })]), new Map()), {
    lines: [{ quantity: 1 }],
    totals: { net: 5 },
  })
})

t.test('parts of a split line are returned of the line that was sent, added lines of none', async (t) => {
  const a = aLine({ lineId: 'a', quantity: 3, unitPrice: 10 })
  const charged = aBasket([
    a,
    aLine({ lineId: 'a2', quantity: 1, unitPrice: 10, splitFromLineId: 'a' }),
    aLine({ lineId: 'gift', quantity: 1, unitPrice: 10 }),
  ])
  const returned = returnedOfSent(aBasket([a]), charged, [1_000, 1_000, 1_000])
  t.same(
    [...returned],
    [
      ['a', 2_000],
      ['gift', 1_000],
    ],
  )
  const own = aLine({ lineId: 'b', quantity: 1, unitPrice: 10, splitFromLineId: 'a' })
  t.same(
    [...returnedOfSent(aBasket([a, own]), aBasket([a, own]), [0, 1_000])],
    [
      ['a', 0],
      ['b', 1_000],
    ],
  )
})
