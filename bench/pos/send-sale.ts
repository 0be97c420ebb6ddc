import { setTimeout as sleep } from 'node:timers/promises'
import type { PosSale } from './build-sale.js'
import { objectFromJson } from './calculate.js'
import { type Exchange, postSigned, type Service } from './call.js'

/** How often and how patiently a sale event is sent (contract 4.1; a real POS goes on for up to 24 hours). */
export interface SaleRetries {
  readonly attemptsMax: number
  /** Before the second attempt, in milliseconds; doubles from there. */
  readonly pauseMs: number
  /** For one attempt, in milliseconds. */
  readonly timeoutMs: number
}

export const demoRetries: SaleRetries = { attemptsMax: 5, pauseMs: 250, timeoutMs: 5_000 }

export interface Sent {
  readonly exchange: Exchange
  readonly attempts: number
  /** What the service made of it; null where it was refused, or never reached. */
  readonly result: 'recorded' | 'duplicate' | 'unknown_calculation' | null
}

/** Sends a sale event until it is taken: again on 429, 5xx and network errors, never after any other 4xx. */
export async function sendSale(service: Service, sale: PosSale, retries: SaleRetries = demoRetries): Promise<Sent> {
  const body = JSON.stringify(sale)
  for (let attempts = 1; ; attempts++) {
    const post = { path: '/v1/pos/sale', idempotencyKey: sale.calculationId, body, timeoutMs: retries.timeoutMs }
    const exchange = await postSigned(service, post)
    if (!isWorthRetrying(exchange) || attempts >= retries.attemptsMax) {
      return { exchange, attempts, result: resultIn(exchange, sale.calculationId) }
    }
    const askedMs = exchange.kind === 'answered' ? (exchange.retryAfterS ?? 0) * 1000 : 0
    await sleep(Math.max(askedMs, retries.pauseMs * 2 ** (attempts - 1)))
  }
}

function isWorthRetrying(exchange: Exchange): boolean {
  return exchange.kind === 'broken' || exchange.status === 429 || exchange.status >= 500
}

function resultIn(exchange: Exchange, calculationId: string): Sent['result'] {
  if (exchange.kind === 'broken' || exchange.status !== 200) return null
  const answer = objectFromJson(exchange.body)
  const result = (['recorded', 'duplicate', 'unknown_calculation'] as const).find((word) => word === answer?.['result'])
  return answer?.['calculationId'] === calculationId ? (result ?? null) : null
}
