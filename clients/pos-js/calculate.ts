import type { ChargedBasket, PosBasket } from './basket.js'
import { type Exchange, type FailureReason, postSigned, type Service } from './call.js'
import { type PriceList, problemsOf } from './check-basket.js'

export interface CallTimes {
  readonly attemptMs: number
  readonly capMs: number
}

export const contractTimes: CallTimes = { attemptMs: 500, capMs: 3_000 }

const attemptsMax = 2

export type Calculated<Basket extends PosBasket = PosBasket> = {
  readonly charged: ChargedBasket<Basket>
  readonly exchange: Exchange
} & (
  | { readonly status: 'applied' }
  | { readonly status: 'unchanged'; readonly reason: string }
  | { readonly status: 'member_not_found' }
  | { readonly status: 'failed'; readonly failureReason: FailureReason; readonly detail: string }
)

export interface Asked {
  readonly basket: PosBasket
  /** The venue's list, for the prices of lines that the service adds; null: they are not compared. */
  readonly prices: PriceList | null
  readonly times?: CallTimes
}

/** Asks the service for the member's benefits, and falls back to the original basket on anything but a good answer. */
export async function calculateBasket(
  service: Service,
  { basket, prices, times = contractTimes }: Asked,
): Promise<Calculated> {
  const exchange = await callWithRetry(service, basket, times)
  const keep = { charged: basket, exchange }
  if (exchange.kind === 'broken') {
    return { ...keep, status: 'failed', failureReason: exchange.reason, detail: exchange.detail }
  }
  if (exchange.status !== 200) {
    return {
      ...keep,
      status: 'failed',
      failureReason: 'http_error',
      detail: `${exchange.status} ${errorIn(exchange.body)}`,
    }
  }
  return judge(keep, prices, objectFromJson(exchange.body))
}

async function callWithRetry(service: Service, basket: PosBasket, times: CallTimes): Promise<Exchange> {
  const startedAt = performance.now()
  const body = JSON.stringify(basket)
  for (let attempt = 1; ; attempt++) {
    const leftMs = times.capMs - (performance.now() - startedAt)
    const timeoutMs = Math.max(1, Math.floor(Math.min(times.attemptMs, leftMs)))
    const post = { path: '/v1/pos/basket', idempotencyKey: basket.calculationId, body, timeoutMs }
    const exchange = await postSigned(service, post)
    const retries = exchange.kind === 'broken' && exchange.unsent && attempt < attemptsMax
    if (!retries || performance.now() - startedAt >= times.capMs) return exchange
  }
}

function judge(
  keep: Pick<Calculated, 'charged' | 'exchange'>,
  prices: PriceList | null,
  answer: Readonly<Record<string, unknown>> | null,
): Calculated {
  const invalid = (detail: string): Calculated => ({
    ...keep,
    status: 'failed',
    failureReason: 'invalid_response',
    detail,
  })
  if (answer === null) return invalid('the answer is no JSON object')
  if (answer['calculationId'] !== keep.charged.calculationId) return invalid('the answer is for another calculation')
  switch (answer['status']) {
    case 'member_not_found':
      return { ...keep, status: 'member_not_found' }
    case 'unchanged':
      if (typeof answer['reason'] !== 'string') return invalid('unchanged without a reason')
      return { ...keep, status: 'unchanged', reason: answer['reason'] }
    case 'applied': {
      const [problem] = problemsOf(answer['basket'], keep.charged, prices)
      if (problem !== undefined) return invalid(problem)
      return { ...keep, status: 'applied', charged: answer['basket'] as PosBasket }
    }
    default:
      return invalid('a status the contract does not know')
  }
}

function errorIn(body: string): string {
  const error = objectFromJson(body)?.['error'] as { readonly code?: unknown; readonly message?: unknown } | undefined
  return error?.code === undefined ? body.slice(0, 80) : `${error.code}: ${error.message}`
}

export function objectFromJson(text: string): Readonly<Record<string, unknown>> | null {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : null
  } catch {
    return null
  }
}
