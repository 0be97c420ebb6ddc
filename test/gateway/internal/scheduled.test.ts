import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { timestampFromMs } from '@bufbuild/protobuf/wkt'
import t from 'tap'
import { AuditService } from '../../../gateway/gen/loyalty/v1/audit_service_pb.js'
import { EventService } from '../../../gateway/gen/loyalty/v1/event_service_pb.js'
import { type ProgrammeProposal, ProposalState } from '../../../gateway/gen/loyalty/v1/programme_proposal_pb.js'
import { ProgrammeService } from '../../../gateway/gen/loyalty/v1/programme_service_pb.js'
import { startPostgres } from '../../support/servers/start-postgres.js'
import { aDocument } from './calculation-suite.js'
import { aGrpcClient, type GrpcClient } from './grpc-client.js'
import { nameOfToken, type Served, startServed } from './served.js'

// Whole services, on a busy machine.
t.setTimeout(300_000)

const { schedulePublication, proposeProgramme, declineProposal, getProposal } = ProgrammeService.method
const { publishProgramme, getProgramme } = ProgrammeService.method
const [anna, bjorn] = ['token-of-anna', 'token-of-bjorn']
const LOYALTY_TOKENS = `marketing:${anna},marketing:${bjorn},admin:token-of-an-admin`
const oslo = { timeZone: 'Europe/Oslo' }

const inMs = (ms: number) => timestampFromMs(Date.now() + ms)
const named = (text: string, at = 0) =>
  aDocument(({ benefits }) => {
    benefits[at].text = text
  })
const textsOf = async (client: GrpcClient) =>
  JSON.parse((await client.ask(getProgramme, {})).document).benefits.map(({ text }: { text: string }) => text)
const versionOf = async (client: GrpcClient) =>
  (await client.ask(getProgramme, { withoutDocument: true })).programme!.version

async function ended(client: GrpcClient, proposalId: string): Promise<ProgrammeProposal> {
  for (;;) {
    const { proposal } = await client.ask(getProposal, { proposalId, withoutDocument: true })
    if (proposal!.state !== ProposalState.SCHEDULED) return proposal!
    await sleep(100)
  }
}

/** Schedules a document; resolves to its proposal. */
async function scheduled(client: GrpcClient, document: string, ms: number, expectedVersion = 1): Promise<string> {
  const programme = { case: 'document', value: document } as const
  const moment = { publishAt: inMs(ms), ...oslo }
  const request = { requestId: randomUUID(), programme, expectedVersion, note: 'Autumn', ...moment }
  const { proposal } = await client.ask(schedulePublication, request)
  t.match(proposal, { proposalId: request.requestId, state: ProposalState.SCHEDULED, timeZone: 'Europe/Oslo' })
  const again = await client.ask(schedulePublication, request)
  t.same(again.proposal?.proposalId, proposal!.proposalId, 'a repeat')
  return proposal!.proposalId
}

t.test('one gateway publishes a document at its moment', async (t) => {
  const served = await startServed({ LOYALTY_TOKENS })
  t.teardown(() => served.service.stop())
  const [one, other] = [aGrpcClient(t, served.target, anna), aGrpcClient(t, served.target, bjorn)]
  const at = Date.now() + 4_000
  const proposalId = await scheduled(one, named('At its moment'), 4_000)
  t.equal(await versionOf(one), 1)
  t.match(await ended(one, proposalId), { state: ProposalState.APPROVED, version: 2 })
  t.ok(Date.now() >= at, 'not before')
  t.match((await one.ask(getProgramme, {})).programme, { publishedBy: nameOfToken('marketing', anna) })
  t.equal((await textsOf(one))[0], 'At its moment')
  const { records } = await one.ask(AuditService.method.listAuditRecords, {
    subjectKind: 'proposal',
    subjectId: proposalId,
  })
  t.same(
    records.map(({ afterJson }) => JSON.parse(afterJson).state),
    ['approved', 'scheduled', 'open'],
  )

  t.test('what others have changed in other entries stays, and the same entry is a conflict', async (t) => {
    const merged = await scheduled(one, aDocumentOver(await textsOf(one), 0, 'Later'), 7_000, 2)
    const conflicting = await scheduled(one, aDocumentOver(await textsOf(one), 1, 'Mine'), 7_000, 2)
    const others = aDocumentOver(await textsOf(one), 1, 'Theirs')
    await other.ask(publishProgramme, { requestId: randomUUID(), document: others, expectedVersion: 2 })
    t.match(await ended(one, merged), { state: ProposalState.APPROVED, version: 4 })
    t.same((await textsOf(one)).slice(0, 2), ['Later', 'Theirs'])
    t.match(await ended(one, conflicting), {
      ...{ state: ProposalState.FAILED, failure: 'VERSION_MISMATCH', version: 0 },
      reason: /^version \d changed benefits \S+$/,
    })
    await sleep(2_500)
    const { events } = await one.ask(EventService.method.listEvents, { type: 'publication.failed' })
    t.equal(events.length, 1, 'one event')
    t.match(JSON.parse(events[0]!.bodyJson), { proposalId: conflicting, failure: 'VERSION_MISMATCH' })
    await one.ask(declineProposal, { requestId: randomUUID(), proposalId: conflicting, reason: 'seen' })
  })

  t.test('another one is cancelled, and one person approves for later what another proposes', async (t) => {
    const version = await versionOf(one)
    const cancelled = await scheduled(one, named('Cancelled'), 5_000, version)
    await other.ask(declineProposal, { requestId: randomUUID(), proposalId: cancelled, reason: 'too early' })
    const proposal = { requestId: randomUUID(), document: named('Proposed'), expectedVersion: version }
    const { proposalId: value } = await one.ask(proposeProgramme, proposal)
    const request = { programme: { case: 'proposalId', value } as const, publishAt: inMs(5_000), ...oslo }
    t.match(await one.unary(schedulePublication, { requestId: randomUUID(), ...request }), { reason: 'OWN_PROPOSAL' })
    await other.ask(schedulePublication, { requestId: randomUUID(), ...request })
    t.match(await one.unary(schedulePublication, { requestId: randomUUID(), ...request }), {
      reason: 'PROPOSAL_NOT_OPEN',
      metadata: { state: 'scheduled' },
    })
    t.match(await ended(one, value), { version: version + 1, decidedBy: nameOfToken('marketing', bjorn) })
    await sleep(5_500)
    t.equal(await versionOf(one), version + 1, 'nothing else was published')
  })

  t.test('a moment between two milliseconds is the later one', async (t) => {
    const far = inMs(86_400_000)
    const publishAt = { ...far, nanos: 1_400_000 }
    const programme = { case: 'document', value: named('Far') } as const
    const request = { requestId: randomUUID(), programme, expectedVersion: await versionOf(one), publishAt, ...oslo }
    const { proposal } = await one.ask(schedulePublication, request)
    t.match(proposal!.publishAt, { seconds: far.seconds, nanos: 2_000_000 })
    await one.ask(declineProposal, { requestId: randomUUID(), proposalId: request.requestId, reason: 'seen' })
  })

  t.test('a moment without bounds is refused', async (t) => {
    const far = timestampFromMs(Date.now() + 3 * 366 * 86_400_000)
    t.match(await one.unary(schedulePublication, { requestId: 'x', publishAt: far, timeZone: 'Oslo' }), {
      violations: [/^request_id/, /^programme/, /^publish_at/, /^time_zone/],
    })
  })
})

/** The document of these texts with another one. */
function aDocumentOver(texts: readonly string[], at: number, text: string): string {
  return aDocument(({ benefits }) => {
    for (const [place, each] of texts.entries()) benefits[place].text = each
    benefits[at].text = text
  })
}

t.test('where a second person publishes, no one schedules alone', async (t) => {
  const served = await startServed({ LOYALTY_TOKENS, LOYALTY_PUBLISH_REVIEW: 'required' })
  t.teardown(() => served.service.stop())
  const programme = { case: 'document', value: named('Alone') } as const
  const request = { requestId: randomUUID(), programme, expectedVersion: 1, publishAt: inMs(0), ...oslo }
  t.match(await aGrpcClient(t, served.target, anna).unary(schedulePublication, request), { reason: 'REVIEW_REQUIRED' })
})

t.test('of two gateways, one killed at the moment, each publication is made once', async (t) => {
  const postgres = await startPostgres()
  t.teardown(() => postgres.stop())
  const DATABASE_URL = await postgres.createDatabase()
  const gateways: Served[] = [await startServed({ DATABASE_URL }), await startServed({ DATABASE_URL })]
  t.teardown(() => Promise.all(gateways.map(({ service }) => service.stop())))
  const admin = gateways[1]!.admin(t)
  const places = [0, 1, 2, 3]
  const moment = Date.now() + 10_000
  const ids = await Promise.all(places.map((at) => scheduled(admin, named(`Number ${at}`, at), moment - Date.now())))
  await sleep(moment - Date.now() + 600)
  await gateways[0]!.service.stop('SIGKILL')
  const proposals = await Promise.all(ids.map((id) => ended(admin, id)))
  t.same(proposals.map(({ version }) => version).toSorted(), [2, 3, 4, 5])
  t.same(
    (await textsOf(admin)).slice(0, 4),
    places.map((at) => `Number ${at}`),
  )
  await sleep(2_000)
  t.equal(await versionOf(admin), 5)
})
