import { type Client, createClient, createRouterTransport } from '@connectrpc/connect'
import t, { type Test } from 'tap'
import { reasonOf } from '../../../clients/lps/internal.js'
import {
  RequestService,
  type WatchRequestsRequest,
  type WatchRequestsResponse,
} from '../../../gateway/gen/loyalty/v1/request_service_pb.js'
import { requestRoutes } from '../../../gateway/internal/services/request-service.js'
import {
  type AnsweredRequest,
  createRequestFeed,
  type RequestFeed,
  requestsWaitingMax,
  requestWatchersMax,
} from '../../../gateway/telemetry/request-feed.js'
import { until } from '../../support/until.js'

const answered: AnsweredRequest = {
  ...{ atMs: 1_700_000_000_123, endpoint: 'basket', status: 400, outcome: 'refused', code: 'invalid_request' },
  ...{ durationMs: 1.25, bytesIn: 512, requestId: 'r-1', calculationId: 'c-1', cause: null },
  ...{ field: 'lines[1].noDiscount', venue: 'oslo-cafe', register: 'pos-2' },
}

function aService(): { feed: RequestFeed; client: Client<typeof RequestService> } {
  const feed = createRequestFeed()
  return { feed, client: createClient(RequestService, createRouterTransport(requestRoutes({ requests: feed }))) }
}

type Filter = Partial<Omit<WatchRequestsRequest, `$${string}`>>

/** A call that has begun. */
async function watching(t: Test, client: Client<typeof RequestService>, filter: Filter = {}) {
  const leaving = new AbortController()
  t.teardown(() => leaving.abort())
  const messages = client.watchRequests(filter, { signal: leaving.signal })[Symbol.asyncIterator]()
  const first = (await messages.next()).value as WatchRequestsResponse
  t.equal(first.request, undefined, 'it begins')
  return { next: async () => ((await messages.next()).value as WatchRequestsResponse).request, leaving }
}

t.test('a request comes as the log has it', async (t) => {
  const { feed, client } = aService()
  const watched = await watching(t, client)
  feed.publish(answered)
  t.match(await watched.next(), {
    ...{ endpoint: 'basket', status: 400, outcome: 'refused', code: 'invalid_request', field: 'lines[1].noDiscount' },
    ...{ cause: '', durationMs: 1.25, requestId: 'r-1', calculationId: 'c-1', bytesIn: 512n },
    ...{ venueId: 'oslo-cafe', cashRegisterId: 'pos-2' },
  })
})

t.test('every filter holds', async (t) => {
  const { feed, client } = aService()
  const filter = {
    venueId: 'oslo-cafe',
    cashRegisterId: 'pos-2',
    failedOnly: true,
    outcome: 'refused',
    code: 'invalid_request',
  }
  const watched = await watching(t, client, filter)
  const others = [
    { status: 200 },
    { venue: 'bergen' },
    { register: 'pos-1' },
    { outcome: 'aborted' },
    { code: 'conflict' },
  ]
  for (const other of others) feed.publish({ ...answered, ...other })
  feed.publish({ ...answered, requestId: 'meant' })
  t.equal((await watched.next())?.requestId, 'meant')
})

t.test('a watcher that falls behind is ended, and room for watchers is bounded', async (t) => {
  const { feed, client } = aService()
  const slow = await watching(t, client)
  for (let count = 0; count <= requestsWaitingMax; count++) feed.publish(answered)
  const ended = await slow.next().then(() => null, reasonOf)
  t.equal(ended, 'WATCHER_TOO_SLOW')
  t.notOk(feed.isWatched)
  for (let count = 0; count < requestWatchersMax; count++) await watching(t, client)
  const refused = await watching(t, client).then(() => null, reasonOf)
  t.equal(refused, 'TOO_MANY_WATCHERS')
})

t.test('who leaves is forgotten', async (t) => {
  const { feed, client } = aService()
  const { next, leaving } = await watching(t, client)
  t.ok(feed.isWatched)
  const waiting = next()
  leaving.abort()
  await t.rejects(waiting)
  t.notOk(
    await until(
      () => feed.isWatched,
      (isWatched) => !isWatched,
    ),
  )
})
