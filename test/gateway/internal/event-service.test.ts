import { createClient, createRouterTransport } from '@connectrpc/connect'
import t from 'tap'
import { EventService } from '../../../gateway/gen/loyalty/v1/event_service_pb.js'
import { pageToken } from '../../../gateway/internal/messages/page-token.js'
import { type EventParts, eventRoutes } from '../../../gateway/internal/services/event-service.js'
import type { StoredEvent } from '../../../store/ledger/events.js'

/** A client of a service whose feed begins with this place. */
function aClient(firstPlace: number) {
  const event = (place: number): StoredEvent => ({
    ...{ eventId: place, atUs: 1_000, place, type: 'value.earned', memberId: null, body: '{}' },
  })
  const ledger = {
    events: {
      place: async () => 0,
      readFeed: async (after: number) => [event(Math.max(firstPlace, after + 1))],
      feedEnds: async () => ({ first: firstPlace, last: firstPlace }),
    },
  } as unknown as EventParts['adminLedger']
  const commands = {} as EventParts['commands']
  const routes = eventRoutes({ adminLedger: ledger, commands, webhooks: { http: 'refused', networks: [] } })
  return createClient(EventService, createRouterTransport(routes))
}

/** The ids of the first events behind a place; null: from the beginning. */
async function watch(client: ReturnType<typeof aClient>, place: number | null, count: number): Promise<string[]> {
  const from = place === null ? { fromBeginning: true } : { cursor: pageToken('WatchEvents', [], [place]) }
  const leaving = new AbortController()
  const ids: string[] = []
  try {
    for await (const { event } of client.watchEvents(from, { signal: leaving.signal })) {
      if (event !== undefined) ids.push(event.eventId)
      if (ids.length === count) return ids
    }
    return ids
  } finally {
    leaving.abort()
  }
}

t.test('a reader behind whose cursor events were deleted is not sent on as if nothing had happened', async (t) => {
  const client = aClient(5)
  for (const place of [0, 2, 3]) await t.rejects(watch(client, place, 1), /events behind the cursor are kept no longer/)
  t.same(await watch(client, 4, 2), ['evt_5_1000', 'evt_6_1000'])
  t.same(await watch(client, 7, 1), ['evt_8_1000'])
  t.same(await watch(client, null, 1), ['evt_5_1000'])
})
