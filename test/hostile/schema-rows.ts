import type { BasketBody } from '../e2e/basket.js'
import { fullBody, holderOf, type Path, pathText } from '../engine/wire/full-body.js'
import { type BodyRow, basketRow, saleRow } from './body-row.js'

/** Required fields of every object (wire decisions 1). */
const required = new Set([
  ...['calculationId', 'currency', 'requestedAt', 'context', 'lines', 'totals', 'venueId', 'baxId', 'cashRegisterId'],
  ...[
    'channel',
    'lineId',
    'productId',
    'quantity',
    'unitPrice',
    'noDiscount',
    'gross',
    'lineDiscount',
    'orderDiscount',
  ],
  ...['net', 'type', 'amount', 'orderDiscountId'],
])

const wrongValues: readonly unknown[] = ['x', 7, true, [], {}]

/** Every field missing, and of every wrong type; and each rule of the schema at its limits. */
export function schemaRows(): BodyRow[] {
  const paths = pathsOf(fullBody()).filter((path) => !path.some((step) => String(step).startsWith('pos')))
  const body = (change: (copy: BasketBody) => void) => () => {
    const copy = fullBody() as unknown as BasketBody
    change(copy)
    return copy
  }
  const missing = paths
    .filter((path) => required.has(String(path.at(-1))))
    .map((path) => {
      const change = (copy: BasketBody) => void delete holderOf(copy, path)[path.at(-1)!]
      return keyed(basketRow(`without ${pathText(path)}`, body(change), 400, { field: pathText(path) }))
    })
  const mistyped = paths.flatMap((path) =>
    wrongValues
      .filter((value) => kindOf(value) !== kindOf(holderOf(fullBody(), path)[path.at(-1)!]))
      .map((value) => {
        const change = (copy: BasketBody) => {
          holderOf(copy, path)[path.at(-1)!] = value
        }
        const name = `${pathText(path)} is ${JSON.stringify(value)}`
        return keyed(basketRow(name, body(change), 400, { field: pathText(path) }))
      }),
  )
  return [...missing, ...mistyped, ...edgeRows(), ...saleRows()]
}

/** Gives the full body a key of its own. */
function keyed(row: BodyRow): BodyRow {
  return { ...row, key: (fullBody() as unknown as BasketBody)['calculationId'] }
}

function pathsOf(value: unknown, path: Path = []): Path[] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, inner]) => {
    const here = [...path, Array.isArray(value) ? Number(name) : name]
    return Array.isArray(value) ? pathsOf(inner, here) : [here, ...pathsOf(inner, here)]
  })
}

function kindOf(value: unknown): string {
  return Array.isArray(value) ? 'array' : typeof value
}

type Change = (body: BasketBody) => unknown

const row = (name: string, change: Change, status: number, field?: string) => {
  const changed = (body: BasketBody) => {
    change(body)
    return undefined
  }
  return basketRow(name, changed, status, field === undefined ? {} : { field })
}
const inLine = (name: string, value: unknown, status = 400) =>
  row(
    `${name} ${JSON.stringify(value)?.slice(0, 40)}`,
    (body) => Object.assign(body['lines'][0], { [name]: value }),
    status,
    status === 400 ? `lines[0].${name}` : undefined,
  )
const atTop = (name: string, value: unknown, status = 400) =>
  row(
    `${name} ${JSON.stringify(value)?.slice(0, 40)}`,
    (body) => Object.assign(body, { [name]: value }),
    status,
    status === 400 ? name : undefined,
  )
const discount = (more: object, status = 400) =>
  row(
    `discount ${JSON.stringify(more)}`,
    (body) => Object.assign(body['lines'][0], { discounts: [{ type: 'amount', amount: 0, ...more }] }),
    status,
  )

function edgeRows(): BodyRow[] {
  const rows = [...treeRows(), ...valueRows(), ...topRows()]
  return rows.map((one) => (one.status === 422 ? { ...one, code: 'too_many_lines' } : one))
}

/** Rows on the number and tree of lines. */
function treeRows(): BodyRow[] {
  return [
    atTop('lines', []),
    row('201 lines', (body) => lines(body, 201), 422),
    row(
      '201 lines, one of them malformed',
      (body) => {
        lines(body, 201)
        body['lines'][150].quantity = 'two'
      },
      400,
      'lines[150].quantity',
    ),
    row('200 lines', (body) => lines(body, 200), 200),
    row(
      '199 children of one parent',
      (body) => {
        lines(body, 200)
        for (const line of body['lines'].slice(1)) line.parentLineId = body['lines'][0].lineId
      },
      200,
    ),
    row(
      'a chain of 200 parents',
      (body) => {
        lines(body, 200)
        for (const [at, line] of body['lines'].entries()) if (at > 0) line.parentLineId = `line-${at}`
      },
      200,
    ),
    row(
      'a cycle of 200 parents',
      (body) => {
        lines(body, 200)
        for (const [at, line] of body['lines'].entries()) line.parentLineId = `line-${((at + 199) % 200) + 1}`
      },
      400,
    ),
    row(
      'two lines with one id',
      (body) => {
        lines(body, 2)
        body['lines'][1].lineId = body['lines'][0].lineId
      },
      400,
    ),
    row(
      'lineIds that the service would make',
      (body) => {
        lines(body, 200)
        for (const [at, line] of body['lines'].entries()) line.lineId = `loyalty-${at + 1}`
      },
      200,
    ),
    inLine('parentLineId', 'line-1'),
    inLine('parentLineId', 'nowhere'),
    inLine('parentLineId', 5),
    inLine('parentLineId', null, 200),
  ]
}

/** Rows on values of a line and its discounts. */
function valueRows(): BodyRow[] {
  return [
    ...['', 'x'.repeat(65), 7, 'a\u0000b', 'a\nb', '\ud800', null].map((value) => inLine('lineId', value)),
    inLine('lineId', '\ud83d\ude00'.repeat(64), 200),
    ...['productId', 'productGroupId', 'productMasterId', 'ean'].flatMap((name) => [
      inLine(name, ''),
      inLine(name, 'y'.repeat(65)),
    ]),
    ...['noDiscount', 'noPercentageDiscount', 'weighed'].flatMap((name) => [inLine(name, 'false'), inLine(name, 0)]),
    ...['addedByLoyalty', 'splitFromLineId'].map((name) => inLine(name, 3)),
    ...[0, -1, 100.0001, 12.34567, '10'].map((percentage) => discount({ type: 'percentage', percentage })),
    discount({ type: 'percentage' }),
    discount({ type: 'percentage', percentage: 100 }, 200),
    discount({ type: 'percentage', percentage: 0.0001 }, 200),
    discount({ type: 'Amount' }),
    discount({ type: 'free' }),
    discount({ lineDiscountCode: 'c'.repeat(65) }),
    discount({ text: 't'.repeat(129) }),
    discount({ text: `\u0000\u001b\u202e\u200b${'\ud83d\ude00'.repeat(120)}` }, 200),
    row(
      'an order discount without an id',
      (body) => Object.assign(body, { orderDiscounts: [{ type: 'amount', amount: 0 }] }),
      400,
      'orderDiscounts[0].orderDiscountId',
    ),
    row(
      'two order discounts with one id',
      (body) => {
        const orderDiscount = { orderDiscountId: 'o', type: 'amount', amount: 0 }
        body['orderDiscounts'] = [orderDiscount, orderDiscount]
      },
      400,
    ),
  ]
}

/** Rows on values of the basket and its context. */
function topRows(): BodyRow[] {
  return [
    row(
      'it supersedes itself',
      (body) => Object.assign(body, { supersedesCalculationId: body['calculationId'] }),
      400,
      'supersedesCalculationId',
    ),
    atTop('supersedesCalculationId', 'x'),
    atTop('supersedesCalculationId', '00000000-0000-4000-8000-00000000000a', 200),
    ...[
      '2026-02-30T10:00:00Z',
      '2026-11-21',
      '2026-11-21T10:00:00',
      '2026-11-21T24:01:00Z',
      '10:00',
      'now',
      '0123456789',
    ].map((value) => atTop('requestedAt', value)),
    ...[
      '2026-11-21t10:00:00z',
      '2026-11-21T10:00:00.123456789Z',
      '2026-11-21T10:00:00-00:00',
      '2026-11-21T10:00:00+14:00',
    ].map((value) => atTop('requestedAt', value, 200)),
    ...['POS', 'web', ''].map((channel) =>
      row(
        `channel ${JSON.stringify(channel)}`,
        (body) => Object.assign(body, { context: { ...body['context'], channel } }),
        400,
        'context.channel',
      ),
    ),
    ...['venueId', 'baxId', 'cashRegisterId'].flatMap((name) =>
      ['', 'z'.repeat(65), 'a\u0007', 12].map((value) =>
        row(
          `context.${name} ${JSON.stringify(value).slice(0, 20)}`,
          (body) => Object.assign(body, { context: { ...body['context'], [name]: value } }),
          400,
          `context.${name}`,
        ),
      ),
    ),
    ...[-1, 1.5, '7', 2 ** 53].map((clerkNumber) =>
      row(
        `clerkNumber ${JSON.stringify(clerkNumber)}`,
        (body) => Object.assign(body, { context: { ...body['context'], clerkNumber } }),
        400,
        'context.clerkNumber',
      ),
    ),
  ]
}

/** This many lines of one coffee, with totals that add up. */
function lines(body: BasketBody, count: number): void {
  const [first] = body['lines']
  body['lines'] = Array.from({ length: count }, (_, at) => ({ ...first, lineId: `line-${at + 1}` }))
  const gross = first.totals.gross * count
  body['totals'] = { gross, lineDiscount: 0, orderDiscount: 0, net: gross }
}

function saleRows(): BodyRow[] {
  const row = (members: Record<string, unknown>, status = 400, field?: string) =>
    saleRow(
      `sale ${JSON.stringify(members).slice(0, 60)}`,
      (body) => ({ ...body, ...members }),
      status,
      field === undefined ? {} : { field },
    )
  return [
    ...['calculationId', 'status', 'currency', 'occurredAt', 'context', 'transactionId'].map((name) =>
      row({ [name]: undefined }, name === 'paidTotal' ? 400 : 400),
    ),
    row({ status: 'failed' }, 400, 'failureReason'),
    row({ failureReason: 'timeout' }, 400, 'failureReason'),
    row({ status: 'failed', failureReason: 'bored' }, 400, 'failureReason'),
    row({ status: 'Applied' }, 400, 'status'),
    ...[-1, 1.5, '7', 2 ** 53].map((receiptNumber) => row({ receiptNumber }, 400, 'receiptNumber')),
    row({ status: 'cancelled' }),
    row({ status: 'cancelled', transactionId: undefined, paidTotal: undefined, failureReason: 'timeout' }),
    row({ status: 'unchanged', loyaltyDiscountTotal: 1 }, 400, 'loyaltyDiscountTotal'),
    row({ paidTotal: 1.5 }, 400, 'paidTotal'),
    row({ loyaltyId: '' }, 400, 'loyaltyId'),
    row({ currency: 'eur' }, 400, 'currency'),
    row({ occurredAt: 'yesterday' }, 400, 'occurredAt'),
    row({ status: 'cancelled', transactionId: undefined, paidTotal: undefined }, 200),
    row({ status: 'failed', failureReason: 'timeout' }, 200),
    row({ extra: { deep: [1, '\u0000', '\ud800'] } }, 200),
    row({ currency: 'X'.repeat(3) }, 200),
  ]
}
