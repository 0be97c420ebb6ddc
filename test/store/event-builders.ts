import type { DueDelivery, StoredEvent } from '../../store/ledger/events.js'
import type { Ledger } from '../support/open-ledger.js'
import { aValueCommand } from './value-builders.js'

/** Every event of a member, oldest first, without fields that differ each time. */
export async function eventsOf(ledger: Ledger, memberId: string): Promise<readonly (readonly [string, unknown])[]> {
  const found = await ledger.events.list({ memberId, type: '' }, { after: null, limit: 500 })
  return [...found].reverse().map(({ type, body }) => [type, contentOf(body)])
}

function contentOf(body: string): unknown {
  const {
    movementId: _,
    cause: __,
    lotId: ___,
    expiresAt: ____,
    ...content
  } = JSON.parse(body) as Record<string, unknown>
  return content
}

/** The whole feed behind a place, a few at a time, as a watcher reads it. */
export async function readEvents(ledger: Ledger, after: number): Promise<readonly StoredEvent[]> {
  const seen: StoredEvent[] = []
  for (;;) {
    const placed = await ledger.events.place(7)
    const events = await ledger.events.readFeed(seen.at(-1)?.place ?? after, 5)
    seen.push(...events)
    if (placed === 0 && events.length === 0) return seen
  }
}

/** Adds a webhook for these types; resolves to its id. */
export async function aWebhook(ledger: Ledger, types: readonly string[] = []): Promise<string> {
  const added = await ledger.webhooks.add(aValueCommand(), {
    url: 'https://receiver.example/events',
    types,
    secret: Buffer.alloc(32, 7),
  })
  if (added.kind !== 'done') throw new Error(added.kind)
  return added.webhookId
}

export async function removeWebhooks(ledger: Ledger): Promise<void> {
  for (const { webhookId } of await ledger.webhooks.list()) await ledger.webhooks.remove(aValueCommand(), webhookId)
}

export async function takeDue(ledger: Ledger, webhookId: string, max = 100): Promise<readonly DueDelivery[]> {
  const due = await ledger.webhooks.take({ max, busy: {}, claimMs: 60_000 })
  return due.filter((each) => each.webhookId === webhookId)
}

/** Three days, in milliseconds. */
export const patienceMs = 3 * 86_400_000

export function finish(ledger: Ledger, delivery: DueDelivery, retryMs: number | null = null, pauseMs = 0) {
  const ending = retryMs === null ? 'delivered' : 'failed'
  const outcome = retryMs === null ? '200' : '500'
  return ledger.webhooks.finish(delivery, { ending, outcome, retryMs: retryMs ?? 0, pauseMs, patienceMs })
}
