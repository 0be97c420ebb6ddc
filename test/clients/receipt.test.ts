import t from 'tap'
import { createPaint, receiptLines } from '../../clients/demo/receipt.js'
import { amountText } from '../../clients/lps/words.js'
import type { PosBasket, PosLine } from '../../clients/pos-js/basket.js'
import { venue } from './fake-service.js'

function aLine(fields: Partial<PosLine>): PosLine {
  const totals = { gross: 4500, lineDiscount: 0, orderDiscount: 0, net: 4500 }
  return {
    lineId: 'line-1',
    productId: 'bun',
    name: 'Bun',
    quantity: 1,
    unitPrice: 4500,
    noDiscount: false,
    totals,
    ...fields,
  }
}

function receiptOf(
  lines: readonly PosLine[],
  fields: Partial<PosBasket> = {},
  insteadOf: number | null = null,
): string[] {
  const basket: PosBasket = {
    calculationId: '',
    currency: 'NOK',
    requestedAt: '',
    context: { venueId: 'v-1', baxId: '100', cashRegisterId: '1', channel: 'pos' },
    lines,
    totals: { gross: 4500, lineDiscount: 0, orderDiscount: 0, net: 4000 },
    ...fields,
  }
  return receiptLines({ basket, venue, insteadOf }, createPaint(false))
}

t.test('discounts follow their line, order discounts come last, and all lines are equally wide', (t) => {
  const lines = receiptOf(
    [
      aLine({ discounts: [{ type: 'amount', amount: 300, text: 'Member price' }] }),
      aLine({ lineId: 'line-2', name: 'A name that is much too long for the column it has', quantity: 0.355 }),
    ],
    { orderDiscounts: [{ orderDiscountId: 'o', type: 'amount', amount: 200, text: 'From 250 kr' }] },
    4500,
  )
  t.match(lines[1], /^ +1 +Bun +45\.00 +45\.00$/)
  t.match(lines[2], /^ +Member price +-3\.00$/)
  t.match(lines[3], /0\.355 +A name that is much too l.*… +45\.00/)
  t.match(lines.slice(-3), [/^From 250 kr +-2\.00$/, /^Total +NOK 40\.00$/, /^Saved +5\.00$/])
  t.same([...new Set(lines.map((line) => [...line].length))], [62])
  t.end()
})

t.test('lines that the service added or repriced are marked', (t) => {
  const lines = receiptOf(
    [aLine({ overrideUnitPrice: 3900 }), aLine({ lineId: 'loyalty-1', productId: 'cheese', addedByLoyalty: true })].map(
      ({ name: _, ...line }) => line,
    ),
  )
  t.match(lines[1], /Bun \(member price\) +39\.00/)
  t.match(lines[2], /Cheese, per kg \(from us\)/)
  t.notMatch(lines.join('\n'), /Saved/)
  t.end()
})

t.test('amounts are written in the decimals of their currency, exactly', (t) => {
  t.equal(amountText(5, 'EUR'), '0.05')
  t.equal(amountText(4500, 'JPY'), '4500')
  t.equal(amountText(1234567, 'KWD'), '1234.567')
  for (const code of ['HUF', 'ALL', 'IDR', 'COP']) t.equal(amountText(4500, code), '45.00', code)
  t.equal(amountText(9007199254740991, 'NOK'), '90071992547409.91')
  t.end()
})
