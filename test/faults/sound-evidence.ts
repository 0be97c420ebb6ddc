import { randomUUID } from 'node:crypto'
import { aBasket, aSale } from '../e2e/basket.js'
import type { Evidence } from './evidence.js'
import type { Call, SeenAnswer } from './history.js'
import type { CalculationRow, ReservationRow, SaleRow } from './ledger-rows.js'
import { maxima, unitPrice } from './programme-limits.js'

/** The evidence of a sound short run, to plant faults in. */
export type Draft = { -readonly [Name in keyof Evidence]: Evidence[Name] } & {
  history: Call[]
  rows: {
    calculations: CalculationRow[]
    counters: Evidence['rows']['counters'][number][]
    reservations: ReservationRow[]
    sales: SaleRow[]
  }
}

/** Units of the limit with a maximum of 10 that each of the two baskets took. */
export const unitsEach = 5
const counterId = 1
const usage = { base: { descriptors: 60, memoryMb: 90 }, now: { descriptors: 70, memoryMb: 140 } }

/**
 * Two baskets of five units each exhaust the limit: one is sold, one still open. A third found nothing left, after a 503. One sale has
 * an unknown calculation.
 */
export function soundEvidence(): Draft {
  const sold = grantedBasket(100)
  const open = grantedBasket(200)
  const late = basketCall(300, unchanged)
  late.attempts.unshift({ gateway: 1, sentAt: 290, endedAt: 295, answer: unavailable() })
  const sale = saleCall(sold.key, 400, 'recorded')
  const unknown = saleCall(randomUUID(), 500, 'unknown_calculation')
  return {
    history: [sold, open, late, sale, unknown],
    rows: {
      calculations: [rowOf(sold, 'finalised'), rowOf(open, 'open'), rowOf(late, 'open')],
      counters: [
        {
          counterId,
          limitId: 'last-everyone',
          subject: '',
          period: '',
          used: unitsEach,
          open: unitsEach,
          late: 0,
          expired: 0,
        },
      ],
      reservations: [
        { calculationId: sold.key, counterId, units: unitsEach, state: 'used' },
        { calculationId: open.key, counterId, units: unitsEach, state: 'open' },
      ],
      sales: [
        saleRow(sale, { result: 'recorded', discrepancies: [] }),
        saleRow(unknown, { result: 'unknown_calculation', discrepancies: ['unknown_calculation'] }),
      ],
    },
    maxima,
    expiryMs: 5_000,
    sightings: [],
    probes: [{ counter: 'bun-everyone', gateway: 0, free: 100, granted: 100 }],
    aftermath: {
      complaints: [],
      journalled: 0,
      copies: 0,
      openTransactions: 0,
      connections: 16,
      connectionsMax: 16,
      usage: [usage],
    },
  }
}

/** A basket that was granted five units of the limit; asked for and answered at that moment. */
export function grantedBasket(sentAt: number): Call {
  return basketCall(sentAt, (basket) => {
    const [line] = basket['lines']
    const amount = unitsEach * 30
    const totals = { ...line.totals, lineDiscount: amount, net: line.totals.net - amount }
    const lines = [{ ...line, discounts: [{ type: 'amount', amount }], totals }]
    return { calculationId: basket['calculationId'], status: 'applied', basket: { ...basket, lines, totals } }
  })
}

type Body = Record<string, ReturnType<typeof JSON.parse>>

function unchanged(basket: Body): Body {
  return { calculationId: basket['calculationId'], status: 'unchanged', reason: 'limit_exhausted' }
}

function basketCall(sentAt: number, answer: (basket: Body) => Body): Call {
  const basket = aBasket('card-1').line({ productId: 'last', unitPrice, quantity: unitsEach }).body()
  const text = JSON.stringify(answer(basket))
  const attempts = [{ gateway: 0, sentAt, endedAt: sentAt + 10, answer: ok(text) }]
  return { endpoint: 'basket', key: basket['calculationId'], body: JSON.stringify(basket), supersedes: null, attempts }
}

function saleCall(calculationId: string, sentAt: number, result: string): Call {
  const sale = aSale({ ...aBasket('card-1').body(), calculationId })
  const attempts = [{ gateway: 0, sentAt, endedAt: sentAt + 10, answer: ok(JSON.stringify({ calculationId, result })) }]
  return { endpoint: 'sale', key: calculationId, body: JSON.stringify(sale), supersedes: null, attempts }
}

export function ok(text: string): SeenAnswer {
  return { status: 200, text, requestId: randomUUID(), retryAfter: null, replayed: false }
}

export function unavailable(): SeenAnswer {
  const requestId = randomUUID()
  const text = JSON.stringify({ error: { code: 'unavailable', message: 'later', requestId } })
  return { status: 503, text, requestId, retryAfter: '1', replayed: false }
}

function rowOf({ key, attempts }: Call, state: string): CalculationRow {
  return { calculationId: key, state, answer: attempts.at(-1)!.answer!.text }
}

function saleRow({ key, body }: Call, { result, discrepancies }: Pick<SaleRow, 'result' | 'discrepancies'>): SaleRow {
  return { calculationId: key, status: 'applied', result, discrepancies, body }
}
