import t from 'tap'
import {
  type AnsweredRequest,
  createRequestFeed,
  requestsWaitingMax,
  requestWatchersMax,
} from '../../../gateway/telemetry/request-feed.js'

function aRequest(requestId: string): AnsweredRequest {
  const known = { atMs: 0, endpoint: 'basket', status: 200, outcome: 'applied', code: '', durationMs: 1, bytesIn: 1 }
  return { ...known, requestId, calculationId: null, cause: null }
}

t.test('each watcher gets what comes while it watches, in order', async (t) => {
  const feed = createRequestFeed()
  t.notOk(feed.isWatched)
  const one = feed.watch()!
  feed.publish(aRequest('a'))
  const other = feed.watch()!
  feed.publish(aRequest('b'))
  const ids = (requests: readonly AnsweredRequest[]) => requests.map(({ requestId }) => requestId)
  t.same([ids(one.take()), ids(other.take()), ids(one.take())], [['a', 'b'], ['b'], []])
  one.close()
  other.close()
  t.notOk(feed.isWatched)
})

t.test('a watcher waits until something comes, time has passed, or it leaves', async (t) => {
  const feed = createRequestFeed()
  const watcher = feed.watch()!
  const leaving = new AbortController()
  const waiting = watcher.wait(60_000, leaving.signal)
  feed.publish(aRequest('a'))
  await waiting
  t.equal(watcher.take().length, 1)
  await watcher.wait(1, leaving.signal)
  const last = watcher.wait(60_000, leaving.signal)
  leaving.abort()
  await last
})

t.test('a watcher that takes nothing is dropped, and the others go on', async (t) => {
  const feed = createRequestFeed()
  const [slow, good] = [feed.watch()!, feed.watch()!]
  for (let count = 1; count <= requestsWaitingMax; count++) feed.publish(aRequest(`${count}`))
  t.notOk(slow.isOverrun)
  good.take()
  feed.publish(aRequest('one too many'))
  t.ok(slow.isOverrun)
  t.same(slow.take(), [])
  t.notOk(good.isOverrun)
  t.equal(good.take().length, 1)
  good.close()
  t.notOk(feed.isWatched, 'the dropped one costs nothing more')
})

t.test('there is room for a limited number of watchers, and for another when one leaves', async (t) => {
  const feed = createRequestFeed()
  const watchers = Array.from({ length: requestWatchersMax }, () => feed.watch()!)
  t.equal(feed.watch(), null)
  watchers[0]!.close()
  t.ok(feed.watch())
})
