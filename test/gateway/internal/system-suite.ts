import { randomUUID } from 'node:crypto'
import { hostname } from 'node:os'
import type { DescMethodUnary } from '@bufbuild/protobuf'
import type { Test } from 'tap'
import { roleNames } from '../../../gateway/config/config.js'
import { AccessService } from '../../../gateway/gen/loyalty/v1/access_service_pb.js'
import { AuditService } from '../../../gateway/gen/loyalty/v1/audit_service_pb.js'
import { MemberService } from '../../../gateway/gen/loyalty/v1/member_service_pb.js'
import { ProgrammeService } from '../../../gateway/gen/loyalty/v1/programme_service_pb.js'
import { CacheReach, SystemService } from '../../../gateway/gen/loyalty/v1/system_service_pb.js'
import { VenueService } from '../../../gateway/gen/loyalty/v1/venue_service_pb.js'
import { ViewService } from '../../../gateway/gen/loyalty/v1/view_service_pb.js'
import { nameOfToken, type Served, within2s } from './served.js'

/** Running gateways and stores, for a reader. */
export function systemSuite(t: Test, served: () => Served): void {
  t.test('the gateway that answers is on its own list', async (t) => {
    const reader = served().reader(t)
    const own = async () => {
      const { gateways } = await reader.ask(SystemService.method.listGateways, {})
      return gateways.filter(({ host }) => host === hostname())
    }
    await within2s(t, async () => (await own()).length > 0, 'it has reported')
    const { programme } = await reader.ask(ProgrammeService.method.getProgramme, { version: 0, withoutDocument: true })
    const [gateway, ...others] = await own()
    t.same(others, [])
    t.match(gateway, { nodeVersion: process.versions.node, processes: 1, processesWanted: 1, silent: false })
    t.match(gateway!.version, /^\d+\.\d+\.\d+$/)
    t.match(gateway!.commit, /^([0-9a-f]{12}(-dirty)?|unknown)$/)
    t.ok(gateway!.programmeVersion >= 1 && gateway!.programmeVersion <= programme!.version)
    t.ok([CacheReach.UP, CacheReach.ABSENT].includes(gateway!.cache))
    t.ok(gateway!.startedAt!.seconds <= gateway!.seenAt!.seconds)
  })

  t.test('the stores say what they are', async (t) => {
    const { ledger, cache, journal } = await served().reader(t).ask(SystemService.method.getStores, {})
    t.match(ledger, { up: true, version: /^\d+\.\d+/ })
    t.ok(ledger!.bytes > 1_000_000n && ledger!.answerMs > 0)
    t.ok(journal!.entries >= 0n && journal!.oldestMs >= 0)
    t.equal(cache === undefined, ledger!.embedded, 'a test service has both servers or none')
    if (cache !== undefined) t.match(cache, { up: true, version: /^\d+\.\d+/ })
  })

  t.test('settings are for admins, without secrets', async (t) => {
    const { settings } = await served().admin(t).ask(SystemService.method.listSettings, {})
    const shown = (name: string) => settings.find((setting) => setting.name === name)
    t.match(shown('LOYALTY_TOKENS'), { value: 'set', secret: true })
    t.match(shown('LOYALTY_DEADLINE_MS'), { value: '10000', default: '450', secret: false })
    t.match(shown('LOYALTY_CORS_ORIGINS'), { value: '' })
    for (const token of Object.values(served().tokens)) t.notOk(JSON.stringify(settings).includes(token))
    for (const role of ['reader', 'support', 'marketing'] as const)
      t.match(await served().as(t, role).unary(SystemService.method.listSettings, {}), { code: 7 }, role)
  })
}

/** The rights of each role, from the callers' side. */
export function accessSuite(t: Test, served: () => Served): void {
  t.test('every role makes its own calls and no other', async (t) => {
    const requestId = randomUUID()
    // Each request is refused for its content, so that nothing changes.
    const calls: readonly (readonly [string, DescMethodUnary, Record<string, unknown>])[] = [
      [
        'reader support marketing admin',
        MemberService.method.getMember,
        { by: { case: 'memberId', value: 'unknown' } },
      ],
      ['support admin', MemberService.method.blockMember, { requestId, memberId: 'unknown' }],
      [
        'marketing admin',
        ProgrammeService.method.publishProgramme,
        { requestId, document: '{"benefits": 1}', expectedVersion: 1 },
      ],
      ['admin', MemberService.method.forgetMember, { requestId, memberId: 'unknown' }],
      ['admin', VenueService.method.upsertVenue, { requestId }],
      ['support marketing admin', AuditService.method.listAuditRecords, { pageSize: -1 }],
    ]
    for (const role of roleNames) {
      const client = served().as(t, role)
      const { calls: listed } = await client.ask(AccessService.method.getAccess, {})
      for (const [roles, method, request] of calls) {
        const outcome = await client.unary(method, request)
        const name = `${method.parent.name}/${method.name}`
        const mayCall = roles.split(' ').includes(role)
        t.equal(outcome.kind === 'refused' && outcome.reason !== 'PERMISSION_DENIED', mayCall, `${role} ${name}`)
        t.equal(listed.includes(name), mayCall, `${role} lists ${name}`)
        if (!mayCall) t.match(outcome, { code: 7, metadata: { roles: roles.replaceAll(' ', ',') } })
      }
    }
  })

  t.test('a token learns its role and its name in audit records', async (t) => {
    const answer = await served().as(t, 'support').ask(AccessService.method.getAccess, {})
    const name = nameOfToken('support', served().tokens.support)
    t.match(answer, { role: 'support', name, environment: 'staging' })
    t.same(answer.calls, answer.calls.toSorted())
  })
}

const { listViews, storeView, deleteView } = ViewService.method

/** Saved views of the console's lists. */
export function viewSuite(t: Test, served: () => Served): void {
  t.test("a view of a list is its author's, or shared", async (t) => {
    const [support, marketing] = [served().as(t, 'support'), served().as(t, 'marketing')]
    const namesOf = async (client: typeof support) =>
      (await client.ask(listViews, { list: 'sales' })).views.map(({ name }) => name)
    const own = { requestId: randomUUID(), list: 'sales', name: 'Oslo', query: '?venueId=oslo' }
    const all = { ...own, requestId: randomUUID(), name: 'Bergen', shared: true }
    for (const view of [own, own, all]) await support.ask(storeView, view)
    t.same([await namesOf(support), await namesOf(marketing)], [['Bergen', 'Oslo'], ['Bergen']])
    const deletion = () => ({ requestId: randomUUID(), viewId: all.requestId })
    t.match(await marketing.unary(deleteView, deletion()), { code: 5, reason: 'VIEW_NOT_FOUND' })
    t.match(await marketing.unary(deleteView, { ...deletion(), viewId: own.requestId }), { reason: 'VIEW_NOT_FOUND' })
    await support.ask(deleteView, { ...deletion(), viewId: own.requestId })
    t.same(await namesOf(support), ['Bergen'])
    const left = { ...own, requestId: randomUUID() }
    await support.ask(storeView, left)
    const admin = served().admin(t)
    t.same(await namesOf(admin), ['Bergen'])
    for (const { requestId: viewId } of [all, left]) await admin.ask(deleteView, { ...deletion(), viewId })
    t.same(await namesOf(support), [], "an admin deletes any, also a leaver's private one")
    t.match(await support.unary(storeView, { requestId: 'x', list: 'y', query: 'https://elsewhere.example' }), {
      violations: [/^list/, /^request_id/, /^name/, /^query/],
    })
    for (const filter of ['memberId', 'loyaltyId', 'who', 'subj%65ct'])
      t.match(
        await support.unary(storeView, { ...own, requestId: randomUUID(), query: `?venueId=oslo&${filter}=m-anna` }),
        {
          violations: [/^query.*no member/],
        },
      )
    t.match(await support.unary(listViews, {}), { violations: [/^list/] })
    const begin = () => support.unary(storeView, { ...own, requestId: randomUUID() })
    for (let stored = 0; stored < 200; stored += 1) await begin()
    t.match(await begin(), { code: 8, reason: 'TOO_MANY_VIEWS' })
    for (const shared of [false, true]) await marketing.ask(storeView, { ...own, requestId: randomUUID(), shared })
    t.same(await namesOf(marketing), ['Oslo', 'Oslo'], "another's private views leave room")
  })
}
