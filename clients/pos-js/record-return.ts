import type { PosContext } from './basket.js'
import type { Service } from './call.js'
import { type SentFor, sendOnce } from './send-sale.js'

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
