import { randomUUID } from 'node:crypto'
import { aBasket, aSale } from '../e2e/basket.js'
import type { Evidence } from './evidence.js'
import type { Call, SeenAnswer } from './history.js'
import type { CalculationRow, ReservationRow, SaleRow, ValueRows } from './ledger-rows.js'
import { maxima, unitPrice } from './programmes.js'

/** The evidence of a short run in which everything was as promised, for planting faults in. */
export type Draft = { -readonly [Name in keyof Evidence]: Evidence[Name] } & {
  history: Call[]
  rows: {
    calculations: CalculationRow[]
    counters: Evidence['rows']['counters'][number][]
    reservations: ReservationRow[]
    sales: SaleRow[]
    value: { -readonly [Name in keyof ValueRows]: ValueRows[Name][number][] }
  }
}

/** Units of the limit with a maximum of 10 that each of the two baskets of the run took. */
const unitsEach = 5
const counterId = 1
/** The cost of the tea. */
const stamps = 10
const usage = { base: { descriptors: 60, memoryMb: 90 }, now: { descriptors: 70, memoryMb: 140 } }

/**
 * Two baskets of five units each, all there are: one sold, one still open; a third that found nothing left, answered 503 first; a free
 * tea for all ten stamps of a member, sold; and a sale of an unknown calculation.
 */
export function soundEvidence(): Draft {
  const sold = grantedBasket(100)
  const open = grantedBasket(200)
  const late = basketCall(300, { productId: 'last', quantity: unitsEach }, unchanged)
  late.attempts.unshift({ gateway: 1, sentAt: 290, endedAt: 295, answer: unavailable() })
  const sale = saleCall(sold.key, 400, 'recorded')
  const unknown = saleCall(randomUUID(), 500, 'unknown_calculation')
  const tea = freeTea(510)
  const teaSale = saleCall(tea.key, 530, 'recorded')
  return {
    history: [sold, open, late, sale, unknown, tea, teaSale],
    rows: {
      calculations: [rowOf(sold, 'finalised'), rowOf(open, 'open'), rowOf(late, 'open'), rowOf(tea, 'finalised')],
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
        saleRow(teaSale, { result: 'recorded', discrepancies: [] }),
      ],
      value: {
        holds: [{ calculationId: tea.key, currencyId: 'stamps', amount: stamps, state: 'used' }],
        used: [{ calculationId: tea.key, currencyId: 'stamps', amount: stamps }],
        counted: [{ calculationId: sold.key, ruleId: 'each-visit', memberId: 'member-1', counted: 1, given: 1 }],
        accounts: [
          { memberId: 'member-1', currencyId: 'stamps', debt: 0, added: stamps },
          { memberId: 'member-1', currencyId: 'visits', debt: 0, added: 1 },
        ],
      },
    },
    maxima,
    expiryMs: 5_000,
    sightings: [],
    recount: [],
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

/** A basket that was granted five units of the limit, asked for and answered at that moment. */
export function grantedBasket(sentAt: number): Call {
  return discountedBasket(sentAt, { productId: 'last', quantity: unitsEach }, unitsEach * 30)
}

/** A tea that costs all the stamps of its member. */
export function freeTea(sentAt: number): Call {
  return discountedBasket(sentAt, { productId: 'tea', quantity: 1 }, unitPrice)
}

function discountedBasket(sentAt: number, bought: Bought, amount: number): Call {
  return basketCall(sentAt, bought, (basket) => {
    const [line] = basket['lines']
    const totals = { ...line.totals, lineDiscount: amount, net: line.totals.net - amount }
    const lines = [{ ...line, discounts: [{ type: 'amount', amount }], totals }]
    return { calculationId: basket['calculationId'], status: 'applied', basket: { ...basket, lines, totals } }
  })
}

interface Bought {
  readonly productId: string
  readonly quantity: number
}

type Body = Record<string, ReturnType<typeof JSON.parse>>

function unchanged(basket: Body): Body {
  return { calculationId: basket['calculationId'], status: 'unchanged', reason: 'limit_exhausted' }
}

function basketCall(sentAt: number, bought: Bought, answer: (basket: Body) => Body): Call {
  const basket = aBasket('card-1')
    .line({ ...bought, unitPrice })
    .body()
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
