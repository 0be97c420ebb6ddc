import type { IncomingHttpHeaders } from 'node:http'
import type { PosBasket } from '../pos-js/basket.js'
import type { Json } from './cases.js'
import type { Step } from './steps.js'

/** What a POS can do wrong: each by one name, in the result and in JUnit. */
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
  | 'step'

export interface Problem {
  readonly rule: Rule
  readonly text: string
}

/** One request of the POS. */
export interface Seen {
  readonly kind: 'basket' | 'sale'
  /** `performance.now()` when its body was here. */
  readonly atMs: number
  /** Wall clock, milliseconds since the epoch. */
  readonly receivedAt: number
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer
  /** null: no JSON object. */
  readonly value: Json | null
  /** Whether another request came over its connection before. */
  readonly isReused: boolean
  /** For people: what was answered. */
  answered: string
  /** How long the POS has waited for an answer, in milliseconds: until it was here, or until either side ended the connection. */
  waitedMs: () => number
}

/** One calculation of a step: its id, what was sent, and the basket that was returned. */
export interface Calculation {
  readonly id: string
  readonly baskets: Seen[]
  readonly sales: Seen[]
  /** null: no basket came, or one that could not be read. */
  sent: PosBasket | null
  /** null: the answer has none. */
  returned: PosBasket | null
}

/** What has come of one step. */
export interface Run {
  readonly step: Step
  readonly calculations: Calculation[]
  /** `performance.now()`. */
  readonly startedMs: number
  endedMs: number
  /** Of this step alone: such as a basket with one line. */
  readonly problems: Problem[]
}

export function createRun(step: Step): Run {
  const now = performance.now()
  return { step, calculations: [], startedMs: now, endedMs: now, problems: [] }
}

/** Requests of a run, in the order in which they came. */
export function requestsOf({ calculations }: Run): readonly Seen[] {
  return calculations
    .flatMap(({ baskets, sales }) => [...baskets, ...sales])
    .sort((left, right) => left.atMs - right.atMs)
}
