import type { HandlerContext } from '@connectrpc/connect'
import {
  type DeliveryState,
  eventTypes,
  redeliveryMax,
  type StoredEvent,
  type WebhookState,
} from '../../../store/ledger/events.js'
import type { AdminLedger } from '../../../store/ledger.js'
import { eventFromId, idOfEvent } from '../../background/event-id.js'
import { type Reach, urlFault } from '../../background/webhook-address.js'
import { patienceMs } from '../../background/webhooks.js'
import {
  type CreateWebhookRequest,
  DeliveryStateSchema,
  EventService,
  type ListDeliveriesRequest,
  type RedeliverEventsRequest,
  type WatchEventsRequest,
  type WatchEventsResponseSchema,
} from '../../gen/loyalty/v1/event_service_pb.js'
import type { Commands } from '../../use-cases/commands.js'
import { refusal } from '../errors.js'
import { sendCommand } from '../messages/commands.js'
import { FieldChecks } from '../messages/fields.js'
import { type RecordOf, routeOf, wordFromEnum } from '../messages/message.js'
import { pageOf } from '../messages/page-token.js'
import { refusalFrom } from '../messages/refusals.js'
import { boundWatchers, watchFeed } from '../watching.js'

/** Events that get a place, or are read, in one step. */
const feedMax = 500
const typesMax = 32

export interface EventParts {
  readonly adminLedger: Pick<AdminLedger, 'clock' | 'events' | 'webhooks'>
  readonly commands: Commands
  readonly webhooks: Reach
}

/** Events as a feed, and webhooks (4-member-value, section 6). */
export function eventRoutes(parts: EventParts) {
  const { adminLedger } = parts
  const bounded = boundWatchers(watch)
  return routeOf(EventService, {
    watchEvents: (request, { signal }) => bounded(parts, request, signal),

    async listEvents(request) {
      const { memberId, type } = request
      new FieldChecks()
        .idOrEmpty('member_id', memberId)
        .expect('type', type === '' || isType(type), expectedType, type)
        .done()
      const { rows, nextPageToken } = await pageOf(request, {
        name: 'ListEvents',
        filters: [memberId, type],
        form: ['number'],
        read: (page) => adminLedger.events.list({ memberId, type }, page),
        cursorOf: ({ eventId }) => [eventId],
      })
      return { events: rows.map(messageFromEvent), nextPageToken }
    },

    createWebhook: (request, context) => create(parts, request, context),

    async listWebhooks() {
      const webhooks = await adminLedger.webhooks.list()
      return { webhooks: webhooks.map((webhook) => messageFromWebhook(webhook, adminLedger.clock())) }
    },

    async deleteWebhook(request, context) {
      const { requestId, webhookId } = request
      new FieldChecks().uuid('request_id', requestId).uuid('webhook_id', webhookId).done()
      await sendCommand(parts.commands.deleteWebhook, [webhookId], { request, context })
      return {}
    },

    listDeliveries: (request) => listDeliveries(parts, request),
    redeliverEvents: (request, context) => redeliver(parts, request, context),
  })
}

async function* watch(
  { adminLedger }: EventParts,
  { cursor, fromBeginning, types }: WatchEventsRequest,
  signal: AbortSignal,
): AsyncGenerator<RecordOf<typeof WatchEventsResponseSchema>> {
  checkTypes(new FieldChecks(), types).done()
  const feed = watchFeed({
    name: 'WatchEvents',
    ...{ cursor, filters: types, signal },
    placeMore: () => adminLedger.events.place(feedMax),
    async begin() {
      const { first, last } = await adminLedger.events.feedEnds()
      return fromBeginning ? Math.max(0, first - 1) : last
    },
    async read(after) {
      const events = await adminLedger.events.readFeed(after, feedMax)
      assertNoneGone(after, events[0])
      return events
    },
    placeOf: ({ place }) => place!,
    isMeant: ({ type }) => types.length === 0 || types.includes(type),
  })
  for await (const { row, cursor } of feed) yield { event: row && messageFromEvent(row), cursor }
}

/** Places have no gaps and the last event is never deleted: where the next one does not follow, those between are deleted. */
function assertNoneGone(place: number, next: StoredEvent | undefined): void {
  const gone = (next?.place ?? 0) - place - 1
  if (gone > 0) throw refusal('EVENTS_GONE', `${gone} events behind the cursor are kept no longer`)
}

async function create(
  { adminLedger, commands, webhooks }: EventParts,
  request: CreateWebhookRequest,
  context: HandlerContext,
) {
  const { requestId, url, types } = request
  const checks = checkTypes(new FieldChecks().uuid('request_id', requestId), types)
  const fault = urlFault(url, webhooks)
  checks.expect('url', fault === null, fault ?? '', url).done()
  const { webhookId, secret } = await sendCommand(commands.createWebhook, [{ url, types }], { request, context })
  const webhook = (await adminLedger.webhooks.list()).find((each) => each.webhookId === webhookId)
  return {
    webhook: webhook === undefined ? { webhookId, url, types } : messageFromWebhook(webhook, adminLedger.clock()),
    secret: `whsec_${Buffer.from(secret).toString('base64')}`,
  }
}

async function listDeliveries({ adminLedger }: EventParts, request: ListDeliveriesRequest) {
  const { webhookId } = request
  new FieldChecks().uuid('webhook_id', webhookId).enumOrNone('state', DeliveryStateSchema, request.state).done()
  const state = (wordFromEnum(DeliveryStateSchema, request.state) ?? null) as DeliveryState | null
  const { rows, nextPageToken } = await pageOf(request, {
    name: 'ListDeliveries',
    filters: [webhookId, state],
    form: ['number'],
    async read(page) {
      const found = await adminLedger.webhooks.listDeliveries(webhookId, state, page)
      if (found === null) throw refusalFrom({ kind: 'unknown_webhook' }, request)
      return found
    },
    cursorOf: ({ event }) => [event.place!],
  })
  return { deliveries: rows.map((row) => ({ ...row, event: messageFromEvent(row.event) })), nextPageToken }
}

async function redeliver({ commands }: EventParts, request: RedeliverEventsRequest, context: HandlerContext) {
  const { requestId, webhookId, eventIds } = request
  const checks = new FieldChecks().uuid('request_id', requestId).uuid('webhook_id', webhookId)
  checks.expect('event_ids', eventIds.length <= redeliveryMax, `at most ${redeliveryMax}`, String(eventIds.length))
  const events = eventIds.slice(0, redeliveryMax).map((id, at) => {
    const event = eventFromId(id)
    checks.expect(`event_ids[${at}]`, event !== null, 'the id of an event', id)
    return event!
  })
  checks.done()
  const reply = await sendCommand(commands.redeliverEvents, [webhookId, events.length === 0 ? null : events], {
    request,
    context,
  })
  return { events: reply.events }
}

function checkTypes(checks: FieldChecks, types: readonly string[]): FieldChecks {
  checks.expect('types', types.length <= typesMax, `at most ${typesMax}`, String(types.length))
  for (const [at, type] of types.slice(0, typesMax).entries())
    checks.expect(`types[${at}]`, isType(type), expectedType, type)
  return checks
}

const isType = (type: string) => (eventTypes as readonly string[]).includes(type)
const expectedType = `one of ${eventTypes.join(', ')}`

function messageFromEvent(event: StoredEvent) {
  const { type, atUs, memberId, body } = event
  return { eventId: idOfEvent(event), type, at: Math.floor(atUs / 1_000), memberId, bodyJson: body }
}

function messageFromWebhook(webhook: WebhookState, nowMs: number) {
  const { failingSince, disabledAt } = webhook
  const failing = disabledAt !== null || (failingSince !== null && failingSince <= nowMs - patienceMs)
  return { ...webhook, failing }
}
