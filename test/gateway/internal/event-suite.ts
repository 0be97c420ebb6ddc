import { randomUUID } from 'node:crypto'
import type { Test } from 'tap'
import { AuditService } from '../../../gateway/gen/loyalty/v1/audit_service_pb.js'
import {
  DeliveryState,
  EventService,
  type WatchEventsResponse,
} from '../../../gateway/gen/loyalty/v1/event_service_pb.js'
import { MemberService } from '../../../gateway/gen/loyalty/v1/member_service_pb.js'
import { ValueService } from '../../../gateway/gen/loyalty/v1/value_service_pb.js'
import { until } from '../../support/until.js'
import type { GrpcClient } from './grpc-client.js'
import { nameOfToken, type Served } from './served.js'

const { watchEvents, listEvents, createWebhook, listWebhooks, deleteWebhook, listDeliveries, redeliverEvents } =
  EventService.method
/** A name that never resolves. */
const url = 'https://receiver.invalid/events'

/** A member of this suite alone, and a way to give it stamps. */
async function enrol(admin: GrpcClient) {
  const memberId = `member-${randomUUID()}`
  const members = [{ memberId, loyaltyIds: [`card-${randomUUID()}`], segments: [] }]
  await admin.ask(MemberService.method.upsertMembers, { requestId: randomUUID(), members })
  const member = { by: { case: 'memberId', value: memberId } } as const
  const give = (amount: bigint) =>
    admin.ask(ValueService.method.adjustValue, {
      ...{ requestId: randomUUID(), member, currencyId: 'stamps', amount, reason: 'x' },
    })
  return { memberId, give }
}

/** EventService, on a service with events of other suites. */
export function eventSuite(t: Test, served: () => Served): void {
  t.test('a watcher that is cut off repeatedly misses no event and sees none twice', async (t) => {
    const [admin, reader] = [served().admin(t), served().reader(t)]
    const { memberId, give } = await enrol(admin)
    const [begin] = await read(reader, {}, 1)
    t.equal(begin!.event, undefined, 'the first message has the start of the watch')
    const amounts = Array.from({ length: 30 }, (_, at) => BigInt(at + 1))
    const writing = Promise.all(amounts.map(give))
    const seen: WatchEventsResponse[] = []
    let { cursor } = begin!
    for (let take = 2; seen.length < amounts.length; take = (take % 5) + 2) {
      const messages = await read(reader, { cursor }, Math.min(take, amounts.length - seen.length + 1))
      // Value that other suites gave may open or expire meanwhile.
      seen.push(...messages.filter(({ event }) => event?.memberId === memberId))
      cursor = messages.at(-1)!.cursor
    }
    await writing
    t.same(
      seen.map(({ event }) => Number(JSON.parse(event!.bodyJson).amount)).toSorted((one, other) => one - other),
      amounts.map(Number),
    )
    t.ok(seen.every(({ event }) => event!.type === 'value.adjusted'))
    const { events } = await reader.ask(listEvents, { memberId, pageSize: 20 })
    t.same(
      events.map(({ eventId }) => eventId),
      seen
        .map(({ event }) => event!.eventId)
        .reverse()
        .slice(0, 20),
    )
    const first = await read(reader, { fromBeginning: true }, 2)
    t.ok(first[1]!.event!.eventId !== seen[0]!.event!.eventId, 'the oldest comes first')
  })

  t.test('a choice of types is kept to, and a cursor of another one is refused', async (t) => {
    const [admin, reader] = [served().admin(t), served().reader(t)]
    const { memberId, give } = await enrol(admin)
    const [begin] = await read(reader, { types: ['value.issued'] }, 1)
    await give(1n)
    t.same((await reader.ask(listEvents, { memberId, type: 'value.issued' })).events, [])
    await t.rejects(read(reader, { cursor: begin!.cursor }, 1), /cursor/)
    await t.rejects(read(reader, { types: ['value'] }, 1), /types\[0\]/)
    t.match(await reader.unary(listEvents, { type: 'x' }), { reason: 'INVALID_REQUEST', violations: [/^type/] })
  })

  t.test('a webhook is added once, listed without its secret, and deleted', async (t) => {
    const admin = served().admin(t)
    const request = { requestId: randomUUID(), url, types: ['value.adjusted'] }
    const added = await admin.ask(createWebhook, request)
    t.match(added.secret, /^whsec_[A-Za-z0-9+/]{43}=$/)
    t.match(await admin.ask(createWebhook, request), { secret: added.secret, webhook: { url } }, 'a repeat')
    t.match(await admin.unary(createWebhook, { ...request, types: [] }), { reason: 'REQUEST_ID_CONFLICT' })
    const { webhookId } = added.webhook!
    const { webhooks } = await served().reader(t).ask(listWebhooks, {})
    t.match(webhooks, [{ webhookId, url, types: ['value.adjusted'], failed: 0n }])
    t.notMatch(
      JSON.stringify(webhooks, (_, each) => (typeof each === 'bigint' ? String(each) : each)),
      'whsec',
    )

    const { memberId, give } = await enrol(admin)
    await give(3n)
    const { deliveries } = await until(
      () => admin.ask(listDeliveries, { webhookId }),
      ({ deliveries: [first] }) => first !== undefined && first.outcome !== '',
    )
    t.match(deliveries, [{ state: DeliveryState.PENDING, attempts: 1, event: { memberId } }])
    t.same((await admin.ask(listDeliveries, { webhookId, state: DeliveryState.FAILED })).deliveries, [])
    const { eventId } = deliveries[0]!.event!
    const again = { requestId: randomUUID(), webhookId, eventIds: [eventId] }
    t.match(await admin.ask(redeliverEvents, again), { events: 1 })
    const requestId = randomUUID()
    t.match(await admin.unary(redeliverEvents, { ...again, requestId, eventIds: [eventId, 'evt_1_1'] }), {
      reason: 'EVENT_NOT_FOUND',
      violations: [/^event_ids\[1\]/],
    })
    t.match(await admin.unary(redeliverEvents, { ...again, requestId, eventIds: ['x'] }), { reason: 'INVALID_REQUEST' })

    for (const times of [1, 2]) {
      const deletion = { requestId: request.requestId.replace(/^.{8}/, '00000000'), webhookId }
      t.equal((await admin.unary(deleteWebhook, deletion)).kind, 'answered', String(times))
    }
    t.match(await admin.unary(deleteWebhook, { requestId, webhookId }), { reason: 'WEBHOOK_NOT_FOUND' })
    t.match(await admin.unary(listDeliveries, { webhookId }), { reason: 'WEBHOOK_NOT_FOUND' })
    t.match(await admin.unary(createWebhook, request), { reason: 'WEBHOOK_NOT_FOUND' })
    const audited = { subjectKind: 'webhook', subjectId: webhookId }
    const { records } = await admin.ask(AuditService.method.listAuditRecords, audited)
    const actor = nameOfToken('admin', served().tokens.admin)
    t.match(records, [
      { actor, call: 'EventService/DeleteWebhook', afterJson: '' },
      { call: 'EventService/RedeliverEvents' },
      { call: 'EventService/CreateWebhook', beforeJson: '' },
    ])
    t.notOk(records.some(({ afterJson }) => afterJson.includes(added.secret.slice(6))))
  })

  t.test('an address inside the network is refused, and a reader may add nothing', async (t) => {
    const [admin, reader] = [served().admin(t), served().reader(t)]
    const add = (client: GrpcClient, url: string) => client.unary(createWebhook, { requestId: randomUUID(), url })
    for (const wrong of [
      'http://receiver.invalid',
      'https://127.0.0.1/',
      'https://[::1]/',
      'https://a:b@c.invalid',
      'x',
    ])
      t.match(await add(admin, wrong), { reason: 'INVALID_REQUEST', violations: [/^url/] }, wrong)
    t.match(await add(reader, url), { reason: 'PERMISSION_DENIED' })
  })
}

interface Watched {
  readonly cursor?: string
  readonly fromBeginning?: boolean
  readonly types?: string[]
}

/** The first message of a watch and the events behind it, `count` together; then the watch ends. */
function read(client: GrpcClient, request: Watched, count: number): Promise<WatchEventsResponse[]> {
  return new Promise((resolve, reject) => {
    const stream = client.stream(watchEvents, request)
    const messages: WatchEventsResponse[] = []
    stream.on('data', (message: WatchEventsResponse) => {
      // Heartbeats come at any time.
      if (message.event === undefined && messages.length > 0) return
      messages.push(message)
      if (messages.length !== count) return
      resolve(messages)
      stream.cancel()
    })
    // A cancelled call ends with an error, which is expected.
    stream.on('error', reject)
  })
}
