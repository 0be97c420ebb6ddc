import { randomUUID } from 'node:crypto'
import type { PosBasket } from '../pos-js/basket.js'
import { problemsOf } from '../pos-js/check-basket.js'
import {
  aLine,
  type Check,
  expect,
  expectEqual,
  expectError,
  expectField,
  expectGood,
  type Probe,
  totalsOf,
} from './probe.js'

export const basketChecks: readonly Check[] = [
  {
    name: 'TEST-20-PERCENT gets 20 % on every discountable line, and the basket adds up',
    section: 'wire decisions 8',
    async run(probe) {
      const sent = probe.basket('TEST-20-PERCENT')
      const answer = expectGood(await probe.postBasket(sent))
      expectEqual(answer['status'], 'applied', 'status')
      expectEqual(answer['calculationId'], sent.calculationId, 'calculationId')
      const charged = answer['basket'] as PosBasket
      expectEqual(problemsOf(charged, sent, null), [], 'schema and arithmetic identities')
      const [first, second] = charged.lines
      expectEqual(
        first!.discounts?.map(({ type, percentage, amount }) => [type, percentage, amount]),
        [['percentage', 20, 2_700]],
        'discounts of the first line',
      )
      expectEqual(first!.discounts?.[0]?.lineDiscountCode, probe.deployment.discountCode, 'lineDiscountCode')
      expectEqual(second!.discounts ?? [], [], 'discounts of the noDiscount line')
      expectEqual(charged.totals, { gross: 13_700, lineDiscount: 2_700, orderDiscount: 0, net: 11_000 }, 'totals')
    },
  },
  {
    name: 'a line with noPercentageDiscount gets no percentage, a weighed one does',
    section: 'wire decisions 8',
    async run(probe) {
      const lines = [
        { ...aLine('1', 4_500, 1), weighed: true },
        { ...aLine('2', 900, 1), noPercentageDiscount: true },
      ]
      const answer = expectGood(
        await probe.postBasket(probe.basket('TEST-20-PERCENT', { lines, totals: totalsOf(lines) })),
      )
      const charged = answer['basket'] as PosBasket
      expectEqual(
        charged.lines.map(({ totals }) => totals.net),
        [3_600, 900],
        'net of the lines',
      )
      expectEqual(charged.lines[0]!.weighed, true, 'weighed of the first line')
    },
  },
  {
    name: 'TEST-UNCHANGED is unchanged with a reason and no lines',
    section: 'contract 3.3',
    async run(probe) {
      const answer = expectGood(await probe.postBasket(probe.basket('TEST-UNCHANGED')))
      expectEqual(
        [answer['status'], answer['reason'], 'basket' in answer],
        ['unchanged', 'no_benefits', false],
        'answer',
      )
    },
  },
  {
    name: 'TEST-NOT-FOUND, an unknown card and no card are member_not_found',
    section: 'contract 4.2',
    async run(probe) {
      for (const loyaltyId of ['TEST-NOT-FOUND', `nobody-${randomUUID()}`, null]) {
        const answer = expectGood(await probe.postBasket(probe.basket(loyaltyId)))
        expectEqual(answer['status'], 'member_not_found', `status for ${loyaltyId}`)
      }
    },
  },
  {
    name: "the POS's own fields come back digit for digit",
    section: 'wire decisions 1',
    async run(probe) {
      const own = '"vatRate":1.10,"big":12345678901234567890,"exp":1e2,"__proto__":{"deep":[null,"\\u00e5"]}'
      const sent = JSON.stringify(probe.basket('TEST-20-PERCENT')).replace(/^\{/, `{${own},`)
      const answer = await probe.postBasket(sent)
      expectGood(answer)
      expect(answer.text.includes(own), `expected ${own} in the answer`)
    },
  },
  {
    name: 'a repeated key gets the same bytes, marked as replayed',
    section: 'wire decisions 4',
    async run(probe) {
      const sent = probe.basket('TEST-20-PERCENT')
      const first = await probe.postBasket(sent)
      expectGood(first)
      expectEqual(first.headers.get('idempotent-replayed'), null, 'Idempotent-Replayed of the first answer')
      const reordered = JSON.stringify(Object.fromEntries(Object.entries(sent).reverse()), null, 2)
      for (const body of [JSON.stringify(sent), reordered]) {
        const again = await probe.postBasket(body)
        expectEqual(again.headers.get('idempotent-replayed'), 'true', 'Idempotent-Replayed')
        expect(again.text === first.text, 'expected the same bytes')
      }
      const elsewhere = { ...sent, context: { ...sent.context, baxId: 'none' } }
      for (const other of [{ ...sent, requestedAt: '2026-01-01T00:00:00Z' }, elsewhere])
        expectError(await probe.postBasket(other), 409, 'idempotency_conflict')
    },
  },
  {
    name: 'eight calls at once with one key get one answer',
    section: 'wire decisions 4',
    async run(probe) {
      const sent = probe.basket('TEST-20-PERCENT')
      const answers = await Promise.all(Array.from({ length: 8 }, () => probe.postBasket(sent)))
      const good = answers.filter(({ status }) => status === 200)
      expect(good.length > 0 && answers.every(({ status }) => status === 200 || status === 503), 'expected 200, or 503')
      expectEqual(new Set(good.map(({ text }) => text)).size, 1, 'distinct answers')
    },
  },
  {
    name: 'a changed basket supersedes, with our discounts on it or without',
    section: 'contract 3.1',
    async run(probe) {
      const first = probe.basket('TEST-20-PERCENT')
      const before = expectGood(await probe.postBasket(first))['basket'] as PosBasket
      const lines = [...before.lines, aLine('3', 1_000, 1)]
      const changed = { lines, totals: totalsOf(lines), supersedesCalculationId: first.calculationId }
      const answer = expectGood(await probe.postBasket(probe.basket('TEST-20-PERCENT', changed)))
      expectEqual(
        (answer['basket'] as PosBasket).lines.map(({ totals }) => totals.net),
        [10_800, 200, 800],
        'net of the lines',
      )
    },
  },
  ...refusals(),
]

type Spoil = (basket: PosBasket) => object | string

function refusals(): Check[] {
  const rows: [name: string, status: number, code: string, field: string | null, spoil: Spoil][] = [
    ['malformed JSON', 400, 'invalid_request', null, (basket) => JSON.stringify(basket).slice(0, -1)],
    [
      'a duplicate member',
      400,
      'invalid_request',
      null,
      (basket) => JSON.stringify(basket).replace('{', '{"currency":"EUR",'),
    ],
    [
      'a line without noDiscount',
      400,
      'invalid_request',
      'lines[1].noDiscount',
      (basket) => withLine(basket, { noDiscount: undefined }),
    ],
    ['a price below 0', 400, 'invalid_request', 'lines[1].unitPrice', (basket) => withLine(basket, { unitPrice: -1 })],
    ['no lines', 400, 'invalid_request', 'lines', (basket) => ({ ...basket, lines: [] })],
    [
      'an unknown venue',
      422,
      'venue_not_configured',
      'context.venueId',
      (basket) => ({ ...basket, context: { ...basket.context, venueId: 'nowhere' } }),
    ],
    [
      'a baxId of another venue',
      422,
      'venue_not_configured',
      'context.baxId',
      (basket) => ({ ...basket, context: { ...basket.context, baxId: 'none' } }),
    ],
    ['a code that is no currency', 422, 'unknown_currency', 'currency', (basket) => ({ ...basket, currency: 'XTS' })],
    ['a sum that does not add up', 422, 'arithmetic_mismatch', 'totals.net', withWrongSum],
    [
      'an unknown venue with a wrong sum',
      422,
      'venue_not_configured',
      'context.venueId',
      (basket) => withWrongSum({ ...basket, context: { ...basket.context, venueId: 'nowhere' } }),
    ],
    [
      'no currency with a wrong sum',
      422,
      'unknown_currency',
      'currency',
      (basket) => withWrongSum({ ...basket, currency: 'XTS' }),
    ],
    [
      '201 lines',
      422,
      'too_many_lines',
      'lines',
      (basket) => ({ ...basket, lines: Array.from({ length: 201 }, (_, at) => aLine(String(at), 1, 1)) }),
    ],
  ]
  return rows.map(([name, status, code, field, spoil]) => ({
    name: `${name} is refused with ${status} ${code}; corrected, the basket is calculated`,
    section: 'wire decisions 3',
    async run(probe: Probe) {
      const basket = probe.basket('TEST-20-PERCENT')
      const answer = await probe.postBasket(spoil(basket), { key: basket.calculationId })
      expectError(answer, status, code)
      if (field !== null) expectField(answer, field)
      const corrected = await probe.postBasket(basket)
      expectGood(corrected)
      expectEqual(corrected.headers.get('idempotent-replayed'), null, 'Idempotent-Replayed of the corrected basket')
    },
  }))
}

function withWrongSum(basket: PosBasket): PosBasket {
  return { ...basket, totals: { ...basket.totals, net: basket.totals.net - 1 } }
}

function withLine(basket: PosBasket, change: object): object {
  return { ...basket, lines: basket.lines.map((line, at) => (at === 1 ? { ...line, ...change } : line)) }
}
