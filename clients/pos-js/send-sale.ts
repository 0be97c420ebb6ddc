import { objectFromJson } from './calculate.js'
import { type Exchange, postSigned, type Service } from './call.js'

export type SaleResult = 'recorded' | 'duplicate' | 'unknown_calculation'

/** The result of one attempt to send a sale event (contract 4.1). */
export type Sent = { readonly exchange: Exchange } & (
  | { readonly kind: 'taken'; readonly result: SaleResult }
  /** Another 4xx than 429, or JSON that is not of the contract's form: for a person to look at, never sent again. */
  | { readonly kind: 'refused' }
  /** 429, 5xx or no answer of the service's (a redirect, a proxy's page): sent again, after this many milliseconds at the earliest. */
  | { readonly kind: 'later'; readonly askedMs: number }
)

/** Sends a sale event once. */
export async function sendSale(
  service: Service,
  event: { readonly calculationId: string; readonly body: string; readonly timeoutMs: number },
): Promise<Sent> {
  const { calculationId, body, timeoutMs } = event
  const exchange = await postSigned(service, { path: '/v1/pos/sale', idempotencyKey: calculationId, body, timeoutMs })
  if (exchange.kind === 'broken') return { exchange, kind: 'later', askedMs: 0 }
  if (exchange.status === 429 || exchange.status >= 500) {
    return { exchange, kind: 'later', askedMs: (exchange.retryAfterS ?? 0) * 1000 }
  }
  if (exchange.status < 400 && objectFromJson(exchange.body) === null) return { exchange, kind: 'later', askedMs: 0 }
  const result = exchange.status === 200 ? resultIn(exchange.body, calculationId) : null
  return result === null ? { exchange, kind: 'refused' } : { exchange, kind: 'taken', result }
}

function resultIn(body: string, calculationId: string): SaleResult | null {
  const answer = objectFromJson(body)
  const result = (['recorded', 'duplicate', 'unknown_calculation'] as const).find((word) => word === answer?.['result'])
  return answer?.['calculationId'] === calculationId ? (result ?? null) : null
}
