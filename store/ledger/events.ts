import type { Command, CommandConflict, Rows } from './calls.js'

export const eventTypes = [
  'value.earned',
  'value.opened',
  'value.expiring',
  'value.expired',
  'value.spent',
  'value.returned',
  'value.issued',
  'value.claimed',
  'value.adjusted',
  'value.transferred',
  'value.imported',
  'value.merged',
  'value.forfeited',
  'reward.activated',
  'reward.cancelled',
  'reward.used',
  'tier.changed',
  'budget.reached',
  'proposal.waiting',
  'publication.failed',
  'service.failing',
] as const

export const webhooksMax = 32
export const redeliveryMax = 1_000

export interface AdminEvents {
  /** At most `max`; resolves to their number. Places become visible in their order and have no gaps. */
  place(max: number): Promise<number>
  readFeed(after: number, limit: number): Promise<readonly StoredEvent[]>
  /** The first and the last stored place; both 0: none. */
  feedEnds(): Promise<{ readonly first: number; readonly last: number }>
  list(filter: EventFilter, rows: Rows<readonly [eventId: number]>): Promise<readonly StoredEvent[]>
}

export interface AdminWebhooks {
  /** @param secret  32 bytes; a repeated command resolves to the secret of the first one */
  add(command: Command, webhook: NewWebhook): Promise<WebhookAddedReply>
  list(): Promise<readonly WebhookState[]>
  remove(command: Command, webhookId: string): Promise<WebhookReply>
  /** @param events  null: those that failed, the oldest `redeliveryMax` */
  redeliver(command: Command, webhookId: string, events: readonly EventName[] | null): Promise<RedeliveryReply>
  listDeliveries(
    webhookId: string,
    state: DeliveryState | null,
    rows: Rows<readonly [place: number]>,
  ): Promise<readonly Delivery[] | null>
  /** Claims due deliveries: no other gateway attempts them within `claimMs`. Never more than one per member is due. */
  take(terms: TakeTerms): Promise<readonly DueDelivery[]>
  /** Stores the end of an attempt; null: another attempt began since. */
  finish(attempt: AttemptName, ended: AttemptEnd): Promise<'delivered' | 'failed' | 'due' | null>
  lag(patienceMs: number): Promise<WebhookLag>
}

export interface StoredEvent {
  readonly eventId: number
  /** Microseconds since the epoch. With the id it names the event, also after a failover that reuses ids. */
  readonly atUs: number
  readonly place: number | null
  readonly type: string
  readonly memberId: string | null
  readonly body: string
}

export type EventName = Pick<StoredEvent, 'eventId' | 'atUs'>

export interface EventFilter {
  readonly memberId: string
  readonly type: string
}

export interface NewWebhook {
  readonly url: string
  readonly types: readonly string[]
  readonly secret: Uint8Array
}

export interface WebhookState {
  readonly webhookId: string
  readonly url: string
  readonly types: readonly string[]
  readonly createdAt: number
  readonly pending: number
  readonly failed: number
  /** The first failed attempt since the last delivery, milliseconds since the epoch; null: the last attempt did not fail. */
  readonly failingSince: number | null
  /** When it answered 410, after which nothing is sent to it; null: it has not. */
  readonly disabledAt: number | null
}

export type DeliveryState = 'pending' | 'delivered' | 'failed'

export interface Delivery {
  readonly event: StoredEvent
  readonly state: DeliveryState
  readonly attempts: number
  readonly outcome: string
  /** Pending: the next attempt, null while an earlier event of the member is pending; else the last one. Milliseconds since the epoch. */
  readonly dueAt: number | null
}

export interface TakeTerms {
  /** Maximum for each webhook, those in `busy` included. */
  readonly max: number
  readonly busy: Readonly<Record<string, number>>
  readonly claimMs: number
}

export interface AttemptName {
  readonly webhookId: string
  readonly place: number
  readonly attempt: number
}

export interface DueDelivery extends AttemptName, Omit<StoredEvent, 'place'> {
  readonly url: string
  readonly secret: Uint8Array
}

export interface AttemptEnd {
  /** `gone`: the webhook is disabled; `stopped`: the webhook is not at fault. */
  readonly ending: 'delivered' | 'failed' | 'gone' | 'stopped'
  readonly outcome: string
  /** Delay before the next attempt, if it failed or was stopped. */
  readonly retryMs: number
  /** Time in which nothing is sent to the webhook. */
  readonly pauseMs: number
  /** Attempts end this long after the first was due. */
  readonly patienceMs: number
}

export interface WebhookLag {
  readonly pending: number
  readonly oldestS: number
  /** Webhooks that have failed for `patienceMs` without a delivery, disabled ones included. */
  readonly failing: number
}

export type WebhookAddedReply =
  | { readonly kind: 'done'; readonly webhookId: string; readonly secret: Uint8Array }
  | { readonly kind: 'unknown_webhook' }
  | { readonly kind: 'too_many_webhooks' }
  | CommandConflict

export type WebhookReply = { readonly kind: 'done' } | { readonly kind: 'unknown_webhook' } | CommandConflict

export type RedeliveryReply =
  | { readonly kind: 'done'; readonly events: number }
  | { readonly kind: 'unknown_webhook' }
  | { readonly kind: 'disabled_webhook' }
  | { readonly kind: 'unknown_event'; readonly place: number }
  | CommandConflict
