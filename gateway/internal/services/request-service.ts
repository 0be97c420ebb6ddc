import {
  RequestService,
  type WatchRequestsRequest,
  type WatchRequestsResponseSchema,
} from '../../gen/loyalty/v1/request_service_pb.js'
import {
  type AnsweredRequest,
  type RequestFeed,
  requestsWaitingMax,
  requestWatchersMax,
} from '../../telemetry/request-feed.js'
import { refusal } from '../errors.js'
import { FieldChecks } from '../messages/fields.js'
import { type RecordOf, routeOf } from '../messages/message.js'
import { silentMs } from '../watching.js'

export interface RequestParts {
  readonly requests: RequestFeed
}

export function requestRoutes({ requests }: RequestParts) {
  return routeOf(RequestService, {
    watchRequests: (request, { signal }) => watch(requests, request, signal),
  })
}

async function* watch(
  requests: RequestFeed,
  filter: WatchRequestsRequest,
  signal: AbortSignal,
): AsyncGenerator<RecordOf<typeof WatchRequestsResponseSchema>> {
  const { venueId, cashRegisterId, outcome, code } = filter
  const checks = new FieldChecks().idOrEmpty('venue_id', venueId).idOrEmpty('cash_register_id', cashRegisterId)
  checks.idOrEmpty('outcome', outcome).idOrEmpty('code', code).done()
  const watcher = requests.watch()
  if (watcher === null) throw refusal('TOO_MANY_WATCHERS', `${requestWatchersMax} watch already`)
  try {
    yield {}
    let sentAtMs = performance.now()
    for (;;) {
      signal.throwIfAborted()
      for (const request of watcher.take()) {
        if (!isMeant(request, filter)) continue
        yield { request: recordOf(request) }
        sentAtMs = performance.now()
      }
      if (watcher.isOverrun) throw refusal('WATCHER_TOO_SLOW', `more than ${requestsWaitingMax} requests waited`)
      if (performance.now() - sentAtMs > silentMs) {
        yield {}
        sentAtMs = performance.now()
      }
      await watcher.wait(silentMs, signal)
    }
  } finally {
    watcher.close()
  }
}

function isMeant(request: AnsweredRequest, filter: WatchRequestsRequest): boolean {
  const { venueId, cashRegisterId, failedOnly, outcome, code } = filter
  if (venueId !== '' && request.venue !== venueId) return false
  if (cashRegisterId !== '' && request.register !== cashRegisterId) return false
  if (outcome !== '' && request.outcome !== outcome) return false
  if (code !== '' && request.code !== code) return false
  return !failedOnly || request.status !== 200
}

function recordOf(request: AnsweredRequest) {
  return { ...request, at: request.atMs, venueId: request.venue, cashRegisterId: request.register }
}
