import t from 'tap'
import type { OutcomeLine } from '../../../engine/core/base/outcome.js'
import { aProduct, applied, loyaltyDiscount, outcomeAsSent, summed, unchanged } from './a-calculation.js'
import { type BasketBody, basketBody, calculationId } from './basket-body.js'
import { answerText, basketObject, basketText, changeLine, discounted, read } from './written-basket.js'

t.test('writes unchanged with its reason, and member_not_found with nothing', async (t) => {
  const request = read(basketBody())
  t.equal(
    answerText(request, unchanged('limit_exhausted')),
    `{"calculationId":"${calculationId}","status":"unchanged","reason":"limit_exhausted"}`,
  )
  t.equal(answerText(request, null), `{"calculationId":"${calculationId}","status":"member_not_found"}`)
})

t.test('leaves a basket in which nothing changes byte for byte', async (t) => {
  const text = JSON.stringify(basketBody(3), null, 3)
  const request = read(text)
  t.equal(basketText(request, outcomeAsSent(request.basket)), text)
})

t.test('adds a discount where the line had no list of them', async (t) => {
  const request = read(basketBody())
  const outcome = outcomeAsSent(request.basket)
  const expected = basketBody()
  Object.assign(expected.lines[0]!, {
    discounts: [
      {
        type: 'percentage',
        percentage: 12.5,
        amount: 13,
        lineDiscountCode: 'THIRD_PARTY_LOYALTY',
        text: 'Für Mitglieder 😀',
      },
    ],
    totals: { gross: 100, lineDiscount: 13, orderDiscount: 0, net: 87 },
  })
  expected.totals = { gross: 300, lineDiscount: 13, orderDiscount: 0, net: 287 }
  const line = discounted(outcome.lines[0]!, 13, { type: 'percentage', percentage: 125_000 })
  t.strictSame(basketObject(request, changeLine(outcome, 0, line)), expected)
})

t.test('preserves the digits and the foreign fields of what it edits', async (t) => {
  const text = JSON.stringify(basketBody(1))
    .replace('"gross":100,"lineDiscount":0', '"gross":100.00,"posSum":1.10,"lineDiscount":0e1')
    .replace(
      '"quantity":1',
      '"discounts" : [ {"type":"amount","amount":10.0,"pos":{"__proto__":12345678901234567890}} ], "quantity":1.000',
    )
    .replace('"lineDiscount":0e1,"orderDiscount":0,"net":100', '"lineDiscount":10,"orderDiscount":0,"net":90')
    .replace('"lineDiscount":0,"orderDiscount":0,"net":100', '"lineDiscount":10,"orderDiscount":0,"net":90')
  const request = read(text)
  const outcome = outcomeAsSent(request.basket)
  const edited = basketText(request, changeLine(outcome, 0, discounted(outcome.lines[0]!, 5)))
  t.match(edited, '"gross":100.00,"posSum":1.10,"lineDiscount":15')
  t.match(
    edited,
    '[ {"type":"amount","amount":10.0,"pos":{"__proto__":12345678901234567890}},{"type":"amount","amount":5,',
  )
  t.match(edited, '"quantity":1.000')
})

const posDiscounts = [
  { type: 'amount', amount: 10, pos: 1 },
  { type: 'amount', amount: 20, pos: 2 },
  { type: 'amount', amount: 30, pos: 3 },
]

t.test('removes any of the discounts that were sent and preserves the others', async (t) => {
  for (const mask of [0, 1, 2, 3, 4, 5, 6, 7]) {
    for (const amount of [0, 7]) {
      const body = basketBody(1)
      Object.assign(body.lines[0]!, {
        discounts: posDiscounts,
        totals: { gross: 100, lineDiscount: 60, orderDiscount: 0, net: 40 },
      })
      body.totals = { ...body.lines[0]!.totals }
      const request = read(JSON.stringify(body, null, mask % 2 === 0 ? 1 : undefined))
      const kept = [0, 1, 2].filter((position) => (mask & (1 << position)) !== 0)
      const sum = kept.reduce((total, position) => total + posDiscounts[position]!.amount, 0)
      const line = {
        ...outcomeAsSent(request.basket).lines[0]!,
        discounts: kept.map((position) => ({ kind: 'kept', position }) as const),
        amounts: kept.map((position) => posDiscounts[position]!.amount),
      }
      const bare = { ...line, totals: { gross: 100, lineDiscount: sum, orderDiscount: 0, net: 100 - sum } }
      const outcome = changeLine(outcomeAsSent(request.basket), 0, amount === 0 ? bare : discounted(bare, amount))
      const written = basketObject(request, outcome).lines[0]!['discounts'] as object[]
      t.strictSame(
        written.slice(0, kept.length),
        kept.map((position) => posDiscounts[position]),
        `mask ${mask}, ${amount} added`,
      )
      t.equal(written.length, kept.length + (amount === 0 ? 0 : 1))
    }
  }
})

/** A basket of two lines with two order discounts of the POS, 30 and 12. */
function withOrderDiscounts(): BasketBody {
  const body = basketBody(2)
  const [first, second] = body.lines
  Object.assign(first!, {
    orderDiscountAllocations: [
      { orderDiscountId: 'a', amount: 10, pos: 'a1' },
      { orderDiscountId: 'b', amount: 12, pos: 'b1' },
    ],
    totals: { gross: 100, lineDiscount: 0, orderDiscount: 22, net: 78 },
  })
  Object.assign(second!, {
    orderDiscountAllocations: [{ orderDiscountId: 'a', amount: 20, pos: 'a2' }],
    totals: { gross: 200, lineDiscount: 0, orderDiscount: 20, net: 180 },
  })
  Object.assign(body, {
    orderDiscounts: [
      { type: 'amount', orderDiscountId: 'a', amount: 30, pos: 'A' },
      { orderDiscountId: 'b', type: 'amount', amount: 12, pos: 'B' },
    ],
  })
  body.totals = { gross: 300, lineDiscount: 0, orderDiscount: 42, net: 258 }
  return body
}

t.test('changes, drops and adds order discounts and their allocations', async (t) => {
  const request = read(withOrderDiscounts())
  const sent = outcomeAsSent(request.basket)
  const ours = { orderDiscountId: 'loyalty-1', ...loyaltyDiscount(50, { type: 'percentage', percentage: 200_000 }) }
  const outcome = summed({
    ...sent,
    orderDiscounts: [
      { kind: 'kept', position: 0, amount: 25 },
      { kind: 'added', discount: ours },
    ],
    lines: [
      {
        ...sent.lines[0]!,
        orderDiscountAllocations: [{ orderDiscountId: 'a', amount: 5 }],
        totals: { gross: 100, lineDiscount: 0, orderDiscount: 5, net: 95 },
      },
      {
        ...sent.lines[1]!,
        orderDiscountAllocations: [
          { orderDiscountId: 'a', amount: 20 },
          { orderDiscountId: 'loyalty-1', amount: 50 },
        ],
        totals: { gross: 200, lineDiscount: 0, orderDiscount: 70, net: 130 },
      },
    ],
  })
  const written = basketObject(request, outcome)
  t.strictSame(written['orderDiscounts'], [
    { type: 'amount', orderDiscountId: 'a', amount: 25, pos: 'A' },
    {
      orderDiscountId: 'loyalty-1',
      type: 'percentage',
      percentage: 20,
      amount: 50,
      lineDiscountCode: 'THIRD_PARTY_LOYALTY',
      text: 'Für Mitglieder 😀',
    },
  ])
  t.strictSame(written.lines[0]!['orderDiscountAllocations'], [{ orderDiscountId: 'a', amount: 5, pos: 'a1' }])
  t.strictSame(written.lines[1]!['orderDiscountAllocations'], [
    { orderDiscountId: 'a', amount: 20, pos: 'a2' },
    { orderDiscountId: 'loyalty-1', amount: 50 },
  ])
})

t.test('puts order discounts where the basket had none, or null', async (t) => {
  for (const none of [undefined, null, []]) {
    const body = basketBody(1)
    Object.assign(body, { orderDiscounts: none })
    body.lines[0]!['orderDiscountAllocations'] = none
    const request = read(body)
    const sent = outcomeAsSent(request.basket)
    const outcome = summed({
      ...changeLine(sent, 0, {
        orderDiscountAllocations: [{ orderDiscountId: 'l', amount: 1 }],
        totals: { gross: 100, lineDiscount: 0, orderDiscount: 1, net: 99 },
      }),
      orderDiscounts: [{ kind: 'added', discount: { orderDiscountId: 'l', ...loyaltyDiscount(1) } }],
    })
    const written = basketObject(request, outcome)
    t.match(written, { orderDiscounts: [{ orderDiscountId: 'l', amount: 1 }], posOrder: 'order 7' })
    t.equal(Object.keys(written).filter((name) => name === 'orderDiscounts').length, 1)
  }
})

t.test('sets, changes and removes the price that counts', async (t) => {
  const priceOf = (overrideUnitPrice: unknown, wanted: number | null, place: 'first' | 'middle' | 'last') => {
    const body = basketBody(1)
    const { lineId, ...rest } = body.lines[0]!
    const field = overrideUnitPrice === undefined ? {} : { overrideUnitPrice }
    const gross = typeof overrideUnitPrice === 'number' ? overrideUnitPrice : 100
    const sums = { gross, lineDiscount: 0, orderDiscount: 0, net: gross }
    const order = {
      first: { ...field, lineId, ...rest },
      middle: { lineId, ...field, ...rest },
      last: { lineId, ...rest, ...field },
    }[place]
    Object.assign(body, { lines: [{ ...order, totals: sums }], totals: sums })
    const request = read(JSON.stringify(body, null, 1))
    const after = wanted ?? 100
    const totals = { gross: after, lineDiscount: 0, orderDiscount: 0, net: after }
    return basketObject(request, changeLine(outcomeAsSent(request.basket), 0, { overrideUnitPrice: wanted, totals }))
      .lines[0]!
  }
  for (const place of ['first', 'middle', 'last'] as const) {
    t.equal(priceOf(undefined, 80, place)['overrideUnitPrice'], 80)
    t.equal(priceOf(null, 80, place)['overrideUnitPrice'], 80)
    t.equal(priceOf(90, 80, place)['overrideUnitPrice'], 80)
    t.notOk('overrideUnitPrice' in priceOf(90, null, place), `taken away from the ${place} place`)
    t.equal(priceOf(null, null, place)['overrideUnitPrice'], null)
  }
})

t.test('splits a line behind the old one, with the fields of the old one', async (t) => {
  const body = basketBody(2)
  const sums = (gross: number) => ({ gross, lineDiscount: 0, orderDiscount: 0, net: gross })
  Object.assign(body.lines[0]!, { quantity: 3, discounts: [], totals: { ...sums(300), posSum: 1 } })
  body.totals = sums(500)
  const request = read(body)
  const sent = outcomeAsSent(request.basket)
  const old: OutcomeLine = { ...sent.lines[0]!, quantity: 2000, totals: sums(200) }
  const split: OutcomeLine = {
    ...old,
    kind: 'split',
    lineId: 'loyalty-1',
    quantity: 1000,
    overrideUnitPrice: 60,
    splitFromLineId: 'line 1',
    totals: sums(60),
  }
  const written = basketObject(request, summed({ ...sent, lines: [old, split, sent.lines[1]!] }))
  t.strictSame(
    written.lines.map(({ lineId }) => lineId),
    ['line 1', 'loyalty-1', 'line 2'],
  )
  t.strictSame(written.lines[0], { ...body.lines[0], quantity: 2, totals: { ...sums(200), posSum: 1 } })
  t.strictSame(written.lines[1], {
    ...body.lines[0],
    lineId: 'loyalty-1',
    quantity: 1,
    overrideUnitPrice: 60,
    splitFromLineId: 'line 1',
    totals: { ...sums(60), posSum: 1 },
  })
})

t.test('splits off a line that writes its id in escapes, and one that was split before', async (t) => {
  const text = JSON.stringify(basketBody(1))
    .replace('"line 1"', '"l\\u0069ne 1","splitFromLineId":"before"')
    .replace('"quantity":1', '"quantity":2')
    .replaceAll('100', '200')
    .replace('"unitPrice":200', '"unitPrice":100')
  const request = read(text)
  const sent = outcomeAsSent(request.basket)
  const half = { gross: 100, lineDiscount: 0, orderDiscount: 0, net: 100 }
  const old: OutcomeLine = { ...sent.lines[0]!, quantity: 1000, totals: half }
  const split: OutcomeLine = {
    ...old,
    kind: 'split',
    lineId: 'loyalty-1',
    overrideUnitPrice: 100,
    splitFromLineId: 'line 1',
  }
  const written = basketObject(request, summed({ ...sent, lines: [old, split] }))
  t.match(written.lines, [
    { lineId: 'line 1', splitFromLineId: 'before' },
    { lineId: 'loyalty-1', splitFromLineId: 'line 1' },
  ])
})

t.test('marks a whole line with our price, and takes the mark off as null', async (t) => {
  const request = read(basketBody(1))
  const sent = outcomeAsSent(request.basket)
  const sums = { gross: 60, lineDiscount: 0, orderDiscount: 0, net: 60 }
  const ours = { overrideUnitPrice: 60, splitFromLineId: 'line 1', totals: sums }
  const text = basketText(request, changeLine(sent, 0, ours))
  t.match(JSON.parse(text).lines, [{ lineId: 'line 1', overrideUnitPrice: 60, splitFromLineId: 'line 1' }])
  const again = read(text)
  const back = { overrideUnitPrice: null, splitFromLineId: null, totals: sent.lines[0]!.totals }
  const [line] = basketObject(again, changeLine(outcomeAsSent(again.basket), 0, back)).lines
  t.strictSame([line?.['overrideUnitPrice'], line?.['splitFromLineId']], [undefined, null])
})

t.test('adds a line from the price list behind the last', async (t) => {
  const request = read(basketBody(1))
  const sent = outcomeAsSent(request.basket)
  const added = (product = aProduct()): OutcomeLine => ({
    kind: 'added',
    source: -1,
    lineId: 'loyalty-1',
    quantity: 2000,
    overrideUnitPrice: null,
    splitFromLineId: null,
    discounts: [{ kind: 'added', ...loyaltyDiscount(600, { campaign: 'spring' }) }],
    amounts: [600],
    orderDiscountAllocations: [],
    totals: { gross: 600, lineDiscount: 600, orderDiscount: 0, net: 0 },
    product,
  })
  const discount = {
    type: 'amount',
    amount: 600,
    lineDiscountCode: 'THIRD_PARTY_LOYALTY',
    text: 'Für Mitglieder 😀',
    campaign: 'spring',
  }
  const line = {
    lineId: 'loyalty-1',
    productId: 'gift',
    quantity: 2,
    unitPrice: 300,
    noDiscount: false,
    discounts: [discount],
    orderDiscountAllocations: [],
    addedByLoyalty: true,
    totals: { gross: 600, lineDiscount: 600, orderDiscount: 0, net: 0 },
  }
  t.strictSame(basketObject(request, summed({ ...sent, lines: [...sent.lines, added()] })).lines[1], line)
  const whole = aProduct({ productGroupId: 'g', productMasterId: 'm "1"', ean: '4', noPercentageDiscount: true })
  const written = basketObject(request, summed({ ...sent, lines: [...sent.lines, added(whole)] })).lines[1]
  t.strictSame(written, {
    ...line,
    productGroupId: 'g',
    productMasterId: 'm "1"',
    ean: '4',
    noPercentageDiscount: true,
  })
})

t.test('removes lines that an earlier answer added, wherever they are', async (t) => {
  for (const mask of [1, 2, 4, 3, 5, 6]) {
    const request = read(JSON.stringify(basketBody(3), null, mask % 2))
    const sent = outcomeAsSent(request.basket)
    const lines = sent.lines.filter((_, index) => (mask & (1 << index)) !== 0)
    const written = basketObject(request, summed({ ...sent, lines }))
    t.strictSame(
      written.lines.map(({ lineId }) => lineId),
      lines.map(({ lineId }) => lineId),
      `mask ${mask}`,
    )
  }
})

t.test('a child whose parent is removed stands alone', async (t) => {
  const body = basketBody(3)
  Object.assign(body.lines[1]!, { parentLineId: 'line 1' })
  Object.assign(body.lines[2]!, { parentLineId: 'line 2' })
  const request = read(body)
  const sent = outcomeAsSent(request.basket)
  const written = basketObject(request, summed({ ...sent, lines: sent.lines.slice(1) }))
  t.match(written.lines, [
    { lineId: 'line 2', parentLineId: null },
    { lineId: 'line 3', parentLineId: 'line 2' },
  ])
})

t.test('does not write an impossible outcome', async (t) => {
  const request = read(basketBody())
  const sent = outcomeAsSent(request.basket)
  const added: OutcomeLine = { ...sent.lines[0]!, kind: 'added', source: -1, lineId: 'loyalty-1' }
  const split: OutcomeLine = { ...sent.lines[0]!, kind: 'split', lineId: 'loyalty-1' }
  t.throws(() => answerText(request, applied({ ...sent, lines: [added] })), /without its product/)
  t.throws(
    () => answerText(request, applied({ ...sent, lines: [sent.lines[1]!, sent.lines[0]!].concat(split) })),
    /out of order/,
  )
})
