import type { IncomingHttpHeaders } from 'node:http'
import type { PosBasket } from '../pos-js/basket.js'
import type { Json } from './cases.js'
import type { Step } from './steps.js'

export type Rule =
  | 'signature'
  | 'content-type'
  | 'idempotency-key'
  | 'request-id'
  | 'form'
  | 'new-calculation'
  | 'applies-basket'
  | 'keeps-basket'
  | 'in-time'
  | 'basket-once'
  | 'sale-status'
  | 'failure-reason'
  | 'one-event'
  | 'event-again'
  | 'event-stop'
  | 'backoff'
  | 'retry-after'
  | 'abandoned'
  | 'supersedes'
  | 'return'
  | 'return-again'
  | 'step'

export interface Problem {
  readonly rule: Rule
  readonly text: string
}

export interface Seen {
  readonly kind: 'basket' | 'sale' | 'return'
  readonly atMs: number
  readonly receivedAt: number
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer
  readonly value: Json | null
  /** True when its connection had a request before. */
  readonly isReused: boolean
  answered: string
  /** Time that the POS has waited for an answer, in milliseconds: until it arrived, or until either side ended the connection. */
  waitedMs: () => number
}

export interface Calculation {
  readonly id: string
  readonly baskets: Seen[]
  readonly sales: Seen[]
  readonly returns: Seen[]
  sent: PosBasket | null
  returned: PosBasket | null
}

export interface Run {
  readonly step: Step
  readonly calculations: Calculation[]
  readonly startedMs: number
  endedMs: number
  readonly problems: Problem[]
}

export function createRun(step: Step): Run {
  const now = performance.now()
  return { step, calculations: [], startedMs: now, endedMs: now, problems: [] }
}

export function requestsOf({ calculations }: Run): readonly Seen[] {
  return calculations
    .flatMap(({ baskets, sales, returns }) => [...baskets, ...sales, ...returns])
    .sort((left, right) => left.atMs - right.atMs)
}
