import type { PosContext } from './basket.js'
import { objectFromJson } from './calculate.js'
import { type Exchange, postSigned, type Service, type SignedPost } from './call.js'

export type SaleResult = 'recorded' | 'duplicate' | 'unknown_calculation'

export type Sent = SentFor<{ readonly result: SaleResult }>

/** The result of one attempt; `taken` with what was read of the answer. */
export type SentFor<Read extends object> = { readonly exchange: Exchange } & (
  | ({ readonly kind: 'taken' } & Read)
  /** Another 4xx than 429, or JSON that is not of the contract's form: for a person to look at, never sent again. */
  | { readonly kind: 'refused' }
  /** 429, 5xx or no answer of the service's (a redirect, a proxy's page): sent again, after this many milliseconds at the earliest. */
  | { readonly kind: 'later'; readonly askedMs: number }
)

export function sendSale(
  service: Service,
  event: { readonly calculationId: string; readonly body: string; readonly timeoutMs: number },
): Promise<Sent> {
  const { calculationId, body, timeoutMs } = event
  const post = { path: '/v1/pos/sale', idempotencyKey: calculationId, body, timeoutMs }
  return sendOnce(service, post, (answer) => {
    const result = (['recorded', 'duplicate', 'unknown_calculation'] as const).find((word) => word === answer['result'])
    return answer['calculationId'] === calculationId && result !== undefined ? { result } : null
  })
}

/** @param read  of a 200; null: not of the contract's form */
async function sendOnce<Read extends object>(
  service: Service,
  post: SignedPost,
  read: (answer: Readonly<Record<string, unknown>>) => Read | null,
): Promise<SentFor<Read>> {
  const exchange = await postSigned(service, post)
  if (exchange.kind === 'broken') return { exchange, kind: 'later', askedMs: 0 }
  if (exchange.status === 429 || exchange.status >= 500) {
    return { exchange, kind: 'later', askedMs: (exchange.retryAfterS ?? 0) * 1000 }
  }
  const answer = objectFromJson(exchange.body)
  if (exchange.status < 400 && answer === null) return { exchange, kind: 'later', askedMs: 0 }
  const taken = exchange.status === 200 && answer !== null ? read(answer) : null
  return taken === null ? { exchange, kind: 'refused' } : { exchange, kind: 'taken', ...taken }
}

/** A return (an addition beyond the draft contract): of the sale of `calculationId`, or of `transactionId` at this venue. */
export interface PosReturn {
  readonly returnId: string
  readonly calculationId?: string | null
  readonly transactionId?: string | null
  /** Lines of the charged basket. */
  readonly lines: readonly { readonly lineId: string; readonly quantity: number }[]
  readonly occurredAt: string
  readonly context: PosContext
  /** Only asks what the return would be. */
  readonly dryRun?: boolean | null
}

export type ReturnAnswer =
  | {
      readonly result: 'recorded' | 'duplicate' | 'quoted'
      /** Minor units, in all and of each line. */
      readonly refund: number
      readonly lines: readonly { readonly lineId: string; readonly refund: number }[]
      /** Value of the member, for logs. */
      readonly takenBack: number
      readonly givenBack: number
    }
  | { readonly result: 'unknown_calculation' }

/** `refused`: for a person, nothing was stored. `later`: send the same return again. */
export type Returned = SentFor<{ readonly answer: ReturnAnswer }>

const refunding: readonly unknown[] = ['recorded', 'duplicate', 'quoted']

export function recordReturn(service: Service, returned: PosReturn, timeoutMs: number): Promise<Returned> {
  const { returnId } = returned
  const post = { path: '/v1/pos/return', idempotencyKey: returnId, body: JSON.stringify(returned), timeoutMs }
  return sendOnce(service, post, (answer) => {
    const { returnId: id, result, refund } = answer
    const isRefund = refunding.includes(result) && Number.isSafeInteger(refund) && (refund as number) >= 0
    return id === returnId && (isRefund || result === 'unknown_calculation')
      ? { answer: answer as unknown as ReturnAnswer }
      : null
  })
}
