import { randomUUID } from 'node:crypto'
import { timestampNow } from '@bufbuild/protobuf/wkt'
import type { Test } from 'tap'
import { AuditService } from '../../../gateway/gen/loyalty/v1/audit_service_pb.js'
import { MemberService } from '../../../gateway/gen/loyalty/v1/member_service_pb.js'
import { ReturnService } from '../../../gateway/gen/loyalty/v1/return_service_pb.js'
import { RewardService } from '../../../gateway/gen/loyalty/v1/reward_service_pb.js'
import { VenueService } from '../../../gateway/gen/loyalty/v1/venue_service_pb.js'
import type { Served } from './served.js'
import { aVenue } from './venue-suite.js'

const { upsertVenue } = VenueService.method

/** AuditService: how records are found, and how many come at once. */
export function auditSuite(t: Test, served: () => Served): void {
  t.test('audit records are found by who, which call and when', async (t) => {
    const admin = served().admin(t)
    const from = { seconds: BigInt(Math.floor(Date.now() / 1_000) - 5) }
    await admin.ask(upsertVenue, { requestId: randomUUID(), venue: aVenue() })
    const ask = async (filter: object) => {
      const { records } = await admin.ask(AuditService.method.listAuditRecords, { from, ...filter })
      return records.map(({ call }) => call)
    }
    t.ok((await ask({ actor: 'admin-', call: 'VenueService/UpsertVenue' })).length >= 1)
    t.same(await ask({ actor: 'support-' }), [])
    t.same(await ask({ call: 'VenueService/Other' }), [])
    t.same(await ask({ until: from }), [])
    t.match(await admin.unary(AuditService.method.listAuditRecords, { actor: 'a\nb', call: 'no call' }), {
      code: 3,
      violations: [/^actor: /, /^call: /],
    })
    const { records } = await admin.ask(AuditService.method.listAuditRecords, {
      subjectKind: 'venue',
      subjectId: 'venue-1',
    })
    t.match(records.at(-1), { actor: 'start', call: 'start', requestId: '', beforeJson: '' })
    for (const [request, field] of [
      [{ subjectKind: 'register', subjectId: 'a' }, /^subject_kind/],
      [{ subjectKind: 'member' }, /^subject_id/],
      [{ subjectId: 'a' }, /^subject_kind/],
    ] as const)
      t.match(await admin.unary(AuditService.method.listAuditRecords, request), { code: 3, violations: [field] })
  })

  t.test('audit records of large price lists come in pages that a client accepts, none omitted', async (t) => {
    const admin = served().admin(t)
    const venue = aVenue()
    const changes = 8
    for (let change = 1; change <= changes; change += 1) {
      const products = Array.from({ length: 5_000 }, (_, at) => {
        return {
          productId: `product-${at}`,
          name: 'A product with a name of usual length',
          unitPrice: BigInt(100 + change),
        }
      })
      await admin.ask(upsertVenue, { requestId: randomUUID(), venue: { ...venue, products } })
    }
    const pages: { readonly records: number; readonly bytes: number }[] = []
    const seen: string[] = []
    let pageToken = ''
    do {
      const page = await admin.ask(AuditService.method.listAuditRecords, {
        subjectKind: 'venue',
        subjectId: venue.venueId,
        pageSize: 500,
        pageToken,
      })
      const bytes = page.records.reduce(
        (sum, { beforeJson, afterJson }) => sum + beforeJson.length + afterJson.length,
        0,
      )
      pages.push({ records: page.records.length, bytes })
      seen.push(...page.records.map(({ afterJson }) => JSON.parse(afterJson).profile.products[0].unitPrice))
      pageToken = page.nextPageToken
    } while (pageToken !== '')
    t.same(
      seen,
      Array.from({ length: changes }, (_, at) => 100 + changes - at),
    )
    // Most gRPC clients take 4 MiB by default.
    t.ok(
      pages.every(({ records, bytes }) => records > 0 && bytes < 4 * 1024 * 1024),
      JSON.stringify(pages),
    )
  })
}

const { upsertMembers, blockMember, mergeMembers, forgetMember } = MemberService.method
const { listAuditRecords } = AuditService.method
const { issueVouchers, importCodes, claimCode, activateReward, cancelActivation } = RewardService.method

/** Reasons of changes of members and of their value. */
export function reasonSuite(t: Test, served: () => Served): void {
  t.test('the reason to block, merge or forget a member is in the audit record', async (t) => {
    const admin = served().admin(t)
    const [gone, stays] = [`gone-${randomUUID()}`, `stays-${randomUUID()}`]
    const members = [gone, stays].map((memberId) => ({ memberId, loyaltyIds: [memberId] }))
    await admin.ask(upsertMembers, { requestId: randomUUID(), members })
    const named = (memberId: string) => ({ by: { case: 'memberId', value: memberId } }) as const
    const reasonsOf = async (subjectId: string) => {
      const { records } = await admin.ask(listAuditRecords, { subjectKind: 'member', subjectId, pageSize: 2 })
      return records.map(({ reason }) => reason)
    }
    const block = { memberId: gone, reason: 'a lost card, "found" by Åse' }
    await admin.ask(blockMember, { requestId: randomUUID(), ...block })
    t.same(await reasonsOf(gone), [block.reason, ''])
    const merge = { from: named(gone), into: named(stays), reason: 'enrolled twice' }
    await admin.ask(mergeMembers, { requestId: randomUUID(), ...merge })
    t.same(await reasonsOf(stays), [merge.reason, ''])
    await admin.ask(blockMember, { requestId: randomUUID(), memberId: stays })
    t.same(await reasonsOf(stays), ['', merge.reason], 'a reason is of one change')
    const conflict = { requestId: randomUUID(), memberId: stays, reason: 'one' }
    await admin.ask(blockMember, conflict)
    t.match(await admin.unary(blockMember, { ...conflict, reason: 'two' }), { reason: 'REQUEST_ID_CONFLICT' })
    for (const reason of ['x'.repeat(129), 'two\nlines']) {
      const refused = { code: 3, violations: ['reason'] }
      t.match(await admin.unary(blockMember, { requestId: randomUUID(), memberId: stays, reason }), refused)
      t.match(await admin.unary(forgetMember, { requestId: randomUUID(), memberId: stays, reason }), refused)
      t.match(await admin.unary(mergeMembers, { requestId: randomUUID(), ...merge, reason }), refused)
    }
    await admin.ask(forgetMember, { requestId: randomUUID(), memberId: stays, reason: 'asked for by letter 4711' })
    t.ok((await reasonsOf('forgotten')).includes('asked for by letter 4711'))
  })

  t.test('the reason to give, claim, exchange or withdraw value is in the audit record', async (t) => {
    const admin = served().admin(t)
    const memberId = `given-${randomUUID()}`
    await admin.ask(upsertMembers, { requestId: randomUUID(), members: [{ memberId, loyaltyIds: [memberId] }] })
    const member = { by: { case: 'memberId', value: memberId } } as const
    const change = (reason: string) => ({ requestId: randomUUID(), reason })
    const lastReason = async () => {
      const { records } = await admin.ask(listAuditRecords, { subjectKind: 'member', subjectId: memberId, pageSize: 1 })
      return records[0]?.reason
    }
    const vouchers = { currencyId: 'stamps', amount: 10n }
    await admin.ask(issueVouchers, { ...change('goodwill'), ...vouchers, members: [member] })
    t.equal(await lastReason(), 'goodwill')
    const code = `code-${randomUUID()}`
    await admin.ask(importCodes, { requestId: randomUUID(), ...vouchers, codes: [code] })
    await admin.ask(claimCode, { ...change('read out'), member, code })
    t.equal(await lastReason(), 'read out')
    const exchange = { member, fromCurrencyId: 'stamps', toCurrencyId: 'coffees', times: 1 }
    const { activationId } = await admin.ask(activateReward, { ...change('asked for'), ...exchange })
    t.equal(await lastReason(), 'asked for')
    await admin.ask(cancelActivation, { ...change('by mistake'), activationId })
    t.equal(await lastReason(), 'by mistake')
    const refused = { code: 3, violations: [/^reason/] }
    const wrong = change('two\nlines')
    t.match(await admin.unary(issueVouchers, { ...wrong, ...vouchers, members: [member] }), refused)
    t.match(await admin.unary(claimCode, { ...wrong, member, code }), refused)
    t.match(await admin.unary(activateReward, { ...wrong, ...exchange }), refused)
    t.match(await admin.unary(cancelActivation, { ...wrong, activationId }), refused)
    const coffee = {
      calculationId: randomUUID(),
      lines: [{ lineId: '1', quantityThousandths: 1_000n }],
      reference: 'x',
    }
    const occurredAt = timestampNow()
    t.match(await admin.unary(ReturnService.method.recordReturn, { ...wrong, ...coffee, occurredAt }), refused)
  })
}
