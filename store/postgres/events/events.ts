import type { Command, Rows } from '../../ledger/calls.js'
import {
  type AdminEvents,
  type AdminWebhooks,
  type Delivery,
  type DeliveryState,
  type DueDelivery,
  type NewWebhook,
  type RedeliveryReply,
  redeliveryMax,
  type StoredEvent,
  type WebhookAddedReply,
  type WebhookLag,
  type WebhookReply,
  type WebhookState,
  webhooksMax,
} from '../../ledger/events.js'
import { change } from '../connection/changes.js'
import {
  adminChanges,
  adminReads,
  findRow,
  join,
  readRow,
  type Sql,
  type Statement,
  sql,
  storable,
  type Terms,
} from '../connection/sql.js'

const deliveryTerms: Terms = { effect: 'writes', withinMs: 5_000 }

export function createAdminWebhooks(database: Sql): AdminWebhooks {
  return {
    add: (command, webhook) => add(database, command, webhook),
    async list() {
      return await database.run<WebhookState>(
        sql`
          select w.webhook_id as "webhookId", w.url, to_json(w.types) as types, milliseconds(w.created_at) as "createdAt",
            (select count(*) from delivery d where d.webhook_id = w.webhook_id and d.state in ('waiting', 'due')) as pending,
            (select count(*) from delivery d where d.webhook_id = w.webhook_id and d.state = 'failed') as failed,
            milliseconds(w.failing_since) as "failingSince", milliseconds(w.disabled_at) as "disabledAt"
          from webhook w order by w.created_at, w.webhook_id`,
        adminReads,
      )
    },
    async remove(command, webhookId) {
      return await change<WebhookReply>(database, command, 'change_webhook_deletion', [webhookId])
    },
    async redeliver(command, webhookId, events) {
      const named = events === null ? null : JSON.stringify(events.map(({ eventId, atUs }) => [eventId, atUs]))
      return await change<RedeliveryReply>(database, command, 'change_redelivery', [webhookId, named, redeliveryMax])
    },
    listDeliveries: (webhookId, state, rows) => listDeliveries(database, { webhookId, state }, rows),
    ...createDelivering(database),
  }
}

function createDelivering(database: Sql): Pick<AdminWebhooks, 'take' | 'finish' | 'lag'> {
  return {
    async take({ max, busy, claimMs }) {
      return await database.run<DueDelivery>(
        sql`
          select t.webhook_id as "webhookId", t.url, t.secret, t.place, t.attempt, t.event_id as "eventId",
            microseconds(t.at) as "atUs", t.type, t.member_id as "memberId", t.body
          from take_deliveries(
            ${max}::integer, ${JSON.stringify(busy)}::text::json, ${claimMs}::integer * interval '1 millisecond'
          ) t`,
        deliveryTerms,
      )
    },
    async finish({ webhookId, place, attempt }, { ending, outcome, retryMs, pauseMs, patienceMs }) {
      const row = await readRow<{ state: 'delivered' | 'failed' | 'due' | null }>(
        database,
        sql`
          select finish_delivery(
            ${webhookId}::uuid, ${place}::bigint, ${attempt}::integer, ${ending}, ${outcome},
            ${retryMs}::integer * interval '1 millisecond', ${pauseMs}::integer * interval '1 millisecond',
            ${patienceMs}::integer * interval '1 millisecond'
          ) as state`,
        deliveryTerms,
      )
      return row.state
    },
    async lag(patienceMs) {
      return await readRow<WebhookLag>(
        database,
        sql`
          select count(*) as pending,
            coalesce(extract(epoch from clock_timestamp() - min(d.since)), 0)::float8 as "oldestS",
            (
              select count(*) from webhook f
              where f.failing_since <= clock_timestamp() - ${patienceMs}::integer * interval '1 millisecond' or f.disabled_at is not null
            ) as failing
          from webhook w join delivery d on d.webhook_id = w.webhook_id and d.state in ('waiting', 'due')`,
        adminReads,
      )
    },
  }
}

async function add(database: Sql, command: Command, { url, types, secret }: NewWebhook): Promise<WebhookAddedReply> {
  const reply = await change<Exclude<WebhookAddedReply, { readonly kind: 'done' }> | Added>(
    database,
    command,
    'change_webhook',
    [url, types, secret, webhooksMax],
  )
  if (reply.kind !== 'done') return reply
  const { webhookId } = reply
  // Written, so not to be read from a standby that may lag.
  const stored = await findRow<{ secret: Uint8Array }>(
    database,
    sql`select w.secret from webhook w where w.webhook_id = ${webhookId}::uuid`,
    adminChanges,
  )
  return stored === null ? { kind: 'unknown_webhook' } : { kind: 'done', webhookId, secret: stored.secret }
}

interface Added {
  readonly kind: 'done'
  readonly webhookId: string
}

type DeliveryRow = StoredEvent & Omit<Delivery, 'event' | 'state'> & { readonly state: DeliveryState }

async function listDeliveries(
  database: Sql,
  { webhookId, state }: { readonly webhookId: string; readonly state: DeliveryState | null },
  { after, limit }: Rows<readonly [place: number]>,
): Promise<readonly Delivery[] | null> {
  const known = await findRow(
    database,
    sql`select 1 as one from webhook w where w.webhook_id = ${webhookId}::uuid`,
    adminReads,
  )
  if (known === null) return null
  const states = {
    pending: sql`d.state in ('waiting', 'due')`,
    failed: sql`d.state = 'failed'`,
    delivered: sql`d.state = 'delivered'`,
  }
  const conditions = [
    sql`d.webhook_id = ${webhookId}::uuid`,
    sql`d.place < ${after?.[0] ?? Number.MAX_SAFE_INTEGER}::bigint`,
    ...(state === null ? [] : [states[state]]),
  ]
  const pieces = [
    sql`
      select case when d.state in ('waiting', 'due') then 'pending' else d.state::text end as state, d.attempts, d.outcome,
        case when d.state <> 'waiting' then milliseconds(d.due_at) end as "dueAt",`,
    eventColumns,
    sql`from delivery d join event e on e.place is not null and e.place = d.place where`,
    join(conditions, ' and '),
    sql`order by d.place desc limit ${limit}::integer`,
  ]
  const rows = await database.run<DeliveryRow>(join(pieces, ' '), adminReads)
  return rows.map(({ state, attempts, outcome, dueAt, ...event }) => ({ event, state, attempts, outcome, dueAt }))
}

const eventColumns: Statement = sql`
  e.event_id as "eventId", microseconds(e.at) as "atUs", e.place, e.type, e.member_id as "memberId", e.body`

export function createAdminEvents(database: Sql): AdminEvents {
  return {
    async place(max) {
      const row = await readRow<{ placed: number }>(database, sql`select place_events(${max}::integer) as placed`, {
        ...adminReads,
        effect: 'writes',
      })
      return row.placed
    },
    async readFeed(after, limit) {
      const behind = sql`from event e where e.place is not null and e.place > ${after}::bigint`
      const ordered = sql`order by e.place limit ${limit}::integer`
      return await database.run<StoredEvent>(join([sql`select`, eventColumns, behind, ordered], ' '), adminReads)
    },
    async feedEnds() {
      return await readRow<{ first: number; last: number }>(
        database,
        sql`
          select coalesce((select e.place from event e where e.place is not null order by e.place limit 1), 0) as first,
            last_event_place() as last`,
        adminReads,
      )
    },
    async list({ memberId, type }, { after, limit }) {
      if (storable(memberId) === null || storable(type) === null) return []
      const conditions = [
        sql`e.event_id < ${after?.[0] ?? Number.MAX_SAFE_INTEGER}::bigint`,
        ...(memberId === '' ? [] : [sql`e.member_id = ${memberId}`]),
        ...(type === '' ? [] : [sql`e.type = ${type}`]),
      ]
      const pieces = [
        sql`select`,
        eventColumns,
        sql`from event e where`,
        join(conditions, ' and '),
        sql`order by e.event_id desc limit ${limit}::integer`,
      ]
      return await database.run<StoredEvent>(join(pieces, ' '), adminReads)
    },
  }
}
