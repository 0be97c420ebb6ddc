import { createHash } from 'node:crypto'
import t from 'tap'
import { readBasket } from '../../../engine/wire/read-basket.js'
import { type BasketBody, basketBody, bytesOf, calculationId, type LineBody, lineBody } from './basket-body.js'
import { fullBody, holderOf, type Path, pathText, without, withValue } from './full-body.js'

const linesMax = 200

function read(body: unknown) {
  return readBasket(bytesOf(body), calculationId, linesMax)
}

function accepted(body: unknown) {
  const reading = read(body)
  if (reading.kind === 'refused') throw new Error(JSON.stringify(reading.refusal))
  return reading
}

function refusalOf(body: unknown) {
  const reading = read(body)
  return reading.kind === 'refused' ? reading.refusal : null
}

const line = ['lines', 1] as const
const discount = [...line, 'discounts', 0] as const
const allocation = [...line, 'orderDiscountAllocations', 0] as const
const orderDiscount = ['orderDiscounts', 0] as const
const totals = ['gross', 'lineDiscount', 'orderDiscount', 'net']
const discountStrings = ['lineDiscountCode', 'text', 'campaign']

const required: Path[] = [
  ...['calculationId', 'currency', 'requestedAt', 'context', 'lines', 'totals'].map((name) => [name]),
  ...['venueId', 'baxId', 'cashRegisterId', 'channel'].map((name) => ['context', name]),
  ...['lineId', 'productId', 'quantity', 'unitPrice', 'noDiscount', 'totals'].map((name) => [...line, name]),
  ...[...totals].map((name) => [...line, 'totals', name]),
  ...totals.map((name) => ['totals', name]),
  ...['type', 'amount'].flatMap((name) => [
    [...discount, name],
    [...orderDiscount, name],
  ]),
  [...allocation, 'orderDiscountId'],
  [...allocation, 'amount'],
  [...orderDiscount, 'orderDiscountId'],
]

const strings: Path[] = [
  ...['calculationId', 'supersedesCalculationId', 'loyaltyId', 'currency', 'requestedAt'].map((name) => [name]),
  ...['venueId', 'baxId', 'cashRegisterId', 'terminalId', 'channel'].map((name) => ['context', name]),
  ...['lineId', 'parentLineId', 'productId', 'productGroupId', 'productMasterId', 'ean', 'splitFromLineId'].map(
    (name) => [...line, name],
  ),
  ...['type', ...discountStrings].flatMap((name) => [
    [...discount, name],
    [...orderDiscount, name],
  ]),
  [...allocation, 'orderDiscountId'],
  [...orderDiscount, 'orderDiscountId'],
]
const numbers: Path[] = [
  ['context', 'clerkNumber'],
  ...['quantity', 'unitPrice', 'overrideUnitPrice'].map((name) => [...line, name]),
  ...totals.flatMap((name) => [
    [...line, 'totals', name],
    ['totals', name],
  ]),
  ...['percentage', 'amount'].flatMap((name) => [
    [...discount, name],
    [...orderDiscount, name],
  ]),
  [...allocation, 'amount'],
]
const flags: Path[] = ['noDiscount', 'noPercentageDiscount', 'weighed', 'addedByLoyalty'].map((name) => [...line, name])
const arrays: Path[] = [['lines'], ['orderDiscounts'], [...line, 'discounts'], [...line, 'orderDiscountAllocations']]
const objects: Path[] = [['context'], ['totals'], [...line, 'totals'], line, discount, allocation, orderDiscount]

t.test('takes a basket with every field, and one with none but the required', async (t) => {
  t.equal(refusalOf(fullBody()), null)
  t.equal(refusalOf(basketBody()), null)
  t.equal(accepted(fullBody()).arithmetic, null)
})

t.test('names each required field that is missing', async (t) => {
  for (const path of required) {
    const refusal = refusalOf(without(path))
    t.match(
      refusal,
      { code: 'invalid_request', details: { field: pathText(path), received: 'nothing' } },
      pathText(path),
    )
  }
})

t.test('names each required field that is null, and takes null for every optional one', async (t) => {
  const isRequired = new Set(required.map(pathText))
  for (const path of [...strings, ...numbers, ...flags, ...arrays]) {
    const name = pathText(path)
    const details = refusalOf(withValue(path, null))?.details ?? null
    if (isRequired.has(name)) t.match(details, { field: name, received: 'null' }, name)
    // A percentage discount needs its percentage, and a total its terms; neither depends on null.
    else if (path.at(-1) !== 'percentage') t.equal(details, null, name)
  }
})

t.test('names each field of a wrong type', async (t) => {
  const wrong = (right: string) =>
    Object.entries({ string: 'x', number: 12, boolean: true, array: [], object: {} }).filter(([type]) => type !== right)
  const kinds: [string, Path[]][] = [
    ['string', strings],
    ['number', numbers],
    ['boolean', flags],
    ['array', arrays],
    ['object', objects],
  ]
  for (const [right, paths] of kinds) {
    for (const path of paths) {
      for (const [type, value] of wrong(right)) {
        t.match(refusalOf(withValue(path, value)), { details: { field: pathText(path) } }, `${pathText(path)}: ${type}`)
      }
    }
  }
})

const refused: readonly [Path, unknown, RegExp][] = [
  [['lines'], [], /at least 1/],
  [[...line, 'lineId'], '', /1 to 64 characters/],
  [[...line, 'lineId'], 'x'.repeat(65), /1 to 64 characters/],
  [[...line, 'lineId'], '😀'.repeat(65), /1 to 64 characters/],
  [[...line, 'lineId'], 'a\u0000', /control characters/],
  [[...line, 'lineId'], 'a\u007f', /control characters/],
  [[...line, 'lineId'], 'a\u0085', /control characters/],
  [[...line, 'lineId'], 'a\ud800', /control characters/],
  [[...line, 'lineId'], 'line 1', /unique/],
  [[...line, 'parentLineId'], 'line 2', /cycle/],
  [[...line, 'parentLineId'], 'line 3', /lineId of a line/],
  [[...discount, 'lineDiscountCode'], 'a\nb', /control characters/],
  [[...discount, 'lineDiscountCode'], '', /1 to 64 characters/],
  [[...discount, 'text'], 'x'.repeat(129), /at most 128 characters/],
  [[...orderDiscount, 'campaign'], '😀'.repeat(129), /at most 128 characters/],
  [['context', 'channel'], 'POS', /one of pos, mpos/],
  [['context', 'channel'], 'web', /one of pos, mpos/],
  [['context', 'channel'], '', /one of pos, mpos/],
  [['context', 'clerkNumber'], -1, /integer from 0/],
  [['context', 'venueId'], 'x'.repeat(65), /1 to 64/],
  [['currency'], 'eur', /three capital letters/],
  [['currency'], 'EURO', /three capital letters/],
  [['currency'], 'EUR\n', /three capital letters/],
  [['loyaltyId'], '', /1 to 64 characters/],
  [['loyaltyId'], 'x'.repeat(65), /1 to 64 characters/],
  [['requestedAt'], '2026-02-30T00:00:00Z', /RFC 3339/],
  [['requestedAt'], '2026-02-20T00:00:00', /RFC 3339/],
  [['supersedesCalculationId'], calculationId, /another UUID/],
  [['supersedesCalculationId'], 'none', /UUID/],
  [['supersedesCalculationId'], '0A1B2C3D-4E5F-6789-ABCD-EF0123456789', /lower case/],
  [['calculationId'], '1a1b2c3d-4e5f-6789-abcd-ef0123456789', /Idempotency-Key/],
  [['calculationId'], '{0a1b2c3d-4e5f-6789-abcd-ef0123456789}', /UUID/],
  [[...discount, 'type'], 'Amount', /one of amount, percentage/],
  [[...discount, 'type'], 'free', /one of amount, percentage/],
]

t.test('refuses values beyond their rules, with the rule', async (t) => {
  for (const [path, value, expected] of refused) {
    const refusal = refusalOf(withValue(path, value))
    t.match(
      refusal,
      { code: 'invalid_request', details: { field: pathText(path), expected } },
      `${pathText(path)} ${JSON.stringify(value).slice(0, 40)}`,
    )
    t.ok([...(refusal?.details.received ?? '')].length <= 64, 'repeats at most 64 characters')
    t.notOk(refusal?.message.includes('xxxx'), 'the message repeats none')
  }
})

/** The full body with a number in this spelling. */
function withNumber(path: Path, written: string): string {
  return JSON.stringify(withValue(path, '#')).replace('"#"', written)
}

const writtenNumbers: readonly [Path, readonly string[], readonly string[]][] = [
  [
    [...line, 'unitPrice'],
    ['200', '200.0', '2e2', '0.2e3', '200000e-3', '-0', '9007199254740991', '9007199254740991.000'],
    ['-1', '1.5', '"100"', '9007199254740992', '9007199254740993', '1e16', '1e400', '4500.0000000000000001', '1e-1'],
  ],
  [
    [...line, 'quantity'],
    ['1', '0.001', '1e-3', '1.005', '99999.999', '2.000', '1.0000000'],
    ['0', '-1', '0.0', '100000.001', '100001', '1.2345', '1e-4', '"1"', '1.0000000000000000000001'],
  ],
  [
    [...discount, 'percentage'],
    ['100', '0.0001', '12.3456', '1e-4', '1e2', '33.3333000'],
    ['0', '-1', '100.0001', '12.34567', '0.00001', '1e-5', '100.00000000000000000001'],
  ],
]

t.test('takes numbers by their exact value', async (t) => {
  for (const [path, taken, not] of writtenNumbers) {
    for (const written of taken) {
      // The identities check the resulting price, also against the maximum.
      const field = refusalOf(withNumber(path, written))?.details.field
      t.ok(field === undefined || field !== pathText(path), `${pathText(path)} ${written}`)
    }
    for (const written of not) {
      t.match(
        refusalOf(withNumber(path, written)),
        { details: { field: pathText(path), received: written } },
        `${pathText(path)} ${written}`,
      )
    }
  }
})

t.test('rounds half up exactly, and finds what is off by one', async (t) => {
  const cases: [quantity: number, unitPrice: number, gross: number][] = [
    [0.5, 1, 1],
    [1.005, 100, 101],
    [8.345, 100, 835],
    [0.001, 499, 0],
    [0.001, 500, 1],
  ]
  for (const [quantity, unitPrice, gross] of cases) {
    for (const off of [0, 1]) {
      const sums = { gross: gross + off, lineDiscount: 0, orderDiscount: 0, net: gross + off }
      const body = { ...basketBody(1), lines: [{ ...lineBody('a', unitPrice), quantity, totals: sums }], totals: sums }
      t.equal(
        accepted(body).arithmetic?.code,
        off === 0 ? undefined : 'arithmetic_mismatch',
        `${quantity} x ${unitPrice} + ${off}`,
      )
    }
  }
})

t.test('refuses a result above the largest amount as malformed', async (t) => {
  const body = basketBody(1)
  Object.assign(body.lines[0]!, { quantity: 2, unitPrice: 9007199254740991 })
  t.match(refusalOf(body), { code: 'invalid_request', details: { field: /lines\[0\]/ } })
})

t.test('hands on a net below zero and totals that do not add up as arithmetic', async (t) => {
  const body = fullBody()
  body.totals['net'] = 251
  t.match(accepted(body).arithmetic, {
    code: 'arithmetic_mismatch',
    message: 'totals.net: expected 250 (the sum over the lines)',
    details: { field: 'totals.net', expected: '250', received: '251' },
  })
  const below = basketBody(1)
  below.lines[0]!['discounts'] = [{ type: 'amount', amount: 101 }]
  below.lines[0]!.totals = { gross: 100, lineDiscount: 101, orderDiscount: 0, net: 0 }
  t.match(accepted(below).arithmetic, {
    code: 'arithmetic_mismatch',
    message: 'lines[0].totals.net: expected at least 0 (the discounts are larger than the gross)',
    details: { field: 'lines[0].totals.net' },
  })
})

t.test('hands on too many lines, but refuses a malformed line among them', async (t) => {
  t.equal(accepted(basketBody(200)).tooManyLines, null)
  t.match(accepted(basketBody(201)).tooManyLines, {
    code: 'too_many_lines',
    details: { field: 'lines', received: '201 lines' },
  })
  const body = basketBody(201)
  delete body.lines[200]!['noDiscount']
  t.match(refusalOf(body), { code: 'invalid_request', details: { field: 'lines[200].noDiscount' } })
})

t.test('asks a percentage of a percentage discount only', async (t) => {
  t.match(refusalOf(without([...discount, 'percentage'])), {
    details: { field: 'lines[1].discounts[0].percentage', received: 'nothing' },
  })
  t.match(refusalOf(withValue([...orderDiscount, 'percentage'], null)), {
    details: { field: 'orderDiscounts[0].percentage' },
  })
  const body = without([...discount, 'percentage'])
  holderOf(body, [...discount, 'type'])['type'] = 'amount'
  t.equal(refusalOf(body), null)
})

t.test('refuses two order discounts with one id', async (t) => {
  const body = fullBody()
  const [only] = body['orderDiscounts'] as object[]
  Object.assign(body, { orderDiscounts: [only, only] })
  t.match(refusalOf(body), { details: { field: 'orderDiscounts[1].orderDiscountId', expected: /unique/ } })
})

t.test('takes any tree of lines, and refuses every cycle', async (t) => {
  const parents = (parentOf: (index: number) => string | null): BasketBody => {
    const body = basketBody(200)
    body.lines = body.lines.map((each: LineBody, index) => ({ ...each, parentLineId: parentOf(index) }))
    return body
  }
  const chain = accepted(parents((index) => (index === 0 ? null : `line ${index}`)))
  t.strictSame(
    chain.basket.lines.map(({ parent }) => parent),
    [-1, ...Array.from({ length: 199 }, (_, index) => index)],
  )
  t.equal(refusalOf(parents((index) => (index === 0 ? null : 'line 1'))), null)
  t.match(refusalOf(parents((index) => `line ${((index + 1) % 200) + 1}`)), { details: { expected: /cycle/ } })
  t.match(refusalOf(parents((index) => (index < 198 ? `line ${index + 2}` : `line ${397 - index + 1}`))), {
    details: { expected: /cycle/ },
  })
})

t.test('gives the facts of the request', async (t) => {
  const body = fullBody()
  const { facts, basket } = accepted(body)
  t.match(facts, {
    calculationId,
    supersedesCalculationId: '1a1b2c3d-4e5f-6789-abcd-ef0123456789',
    loyaltyId: 'member 1',
    currency: 'EUR',
    requestedAt: '2026-11-21T12:00:00+01:00',
    venueId: 'venue 1',
    baxId: 'bax 1',
    cashRegisterId: 'register 1',
    channel: 'pos',
    lineCount: 2,
    netBefore: 250,
  })
  t.equal(Buffer.from(facts.digest).toString('hex'), createHash('sha256').update(bytesOf(body)).digest('hex'))
  t.equal(basket.requestedAt, Date.parse('2026-11-21T11:00:00Z'))
  t.match(basket.lines[1], {
    parent: 0,
    quantity: 1000,
    productMasterId: 'm',
    discounts: [{ percentage: 100_000, amount: 20 }],
  })
})

t.test('takes a loyaltyId that is none as no member', async (t) => {
  const memberOf = (loyaltyId: unknown) => accepted({ ...basketBody(), loyaltyId }).facts.loyaltyId
  for (const none of [null, undefined, 'a\u0000', 'a\ud800', '\u001b[31m'])
    t.equal(memberOf(none), null, JSON.stringify(none))
  t.equal(memberOf('😀'.repeat(64)), '😀'.repeat(64))
  t.equal(memberOf('x'), 'x')
})

t.test('lets texts and foreign fields hold anything', async (t) => {
  const text = `\u0000\u001b\u202e\u200b\ud800${'😀'.repeat(100)}`
  t.equal(refusalOf(withValue([...discount, 'text'], text)), null)
  t.equal(refusalOf({ ...basketBody(), [text]: text, constructor: { prototype: {} }, toString: 1, valueOf: [] }), null)
  const polluting = JSON.stringify(basketBody()).replace('"posOrder"', '"__proto__":{"polluted":1},"posOrder"')
  t.equal(refusalOf(polluting), null)
  t.equal(({} as Record<string, unknown>)['polluted'], undefined)
})

t.test('takes every version of UUID', async (t) => {
  for (const id of [
    '00000000-0000-0000-0000-000000000000',
    'ffffffff-ffff-ffff-ffff-ffffffffffff',
    '0190163d-8694-739b-aea5-966c26f8ad91',
  ]) {
    t.equal(readBasket(bytesOf({ ...basketBody(), calculationId: id }), id, linesMax).kind, 'read', id)
  }
})

t.test('answers 250 KB of white space, digits and brackets at once', async (t) => {
  t.match(refusalOf(`{${' '.repeat(250_000)}}`), { details: { field: 'calculationId' } })
  const foreign = JSON.stringify(basketBody()).replace('"order 7"', '7'.repeat(200_000))
  t.equal(refusalOf(foreign), null)
  t.match(refusalOf(withNumber([...line, 'unitPrice'], '7'.repeat(200_000))), {
    details: { field: 'lines[1].unitPrice', received: '7'.repeat(64) },
  })
  t.match(refusalOf('[]'), { details: { field: 'body', expected: 'an object' } })
})
