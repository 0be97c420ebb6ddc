import { randomUUID } from 'node:crypto'
import { timestampFromMs, timestampNow } from '@bufbuild/protobuf/wkt'
import type { Test } from 'tap'
import { AuditService } from '../../../gateway/gen/loyalty/v1/audit_service_pb.js'
import { MemberService } from '../../../gateway/gen/loyalty/v1/member_service_pb.js'
import { ReturnService } from '../../../gateway/gen/loyalty/v1/return_service_pb.js'
import {
  type TimelineEntry,
  TimelineKind,
  TimelineService,
} from '../../../gateway/gen/loyalty/v1/timeline_service_pb.js'
import { ValueService } from '../../../gateway/gen/loyalty/v1/value_service_pb.js'
import { aBasket, aSale } from '../../e2e/basket.js'
import { aDocument, publish, untilInForce } from './calculation-suite.js'
import type { GrpcClient } from './grpc-client.js'
import { nameOfToken, type Served, within2s } from './served.js'
import { stampCard } from './spending-suite.js'

const { listTimeline, getHabits, writeNote } = TimelineService.method

const withGold = aDocument((document) => {
  Object.assign(document, JSON.parse(stampCard))
  const tier = { rank: 1, currencyId: 'suite-card', amount: 1_000, windowMonths: 12, keepMonths: 6 }
  document['tiers'] = [{ tierId: 'gold', ...tier }]
})

/** TimelineService. */
export function timelineSuite(t: Test, served: () => Served): void {
  const enrol = async (t: Test) => {
    const [memberId, card] = [`member-${randomUUID()}`, `card-${randomUUID()}`]
    const members = [{ memberId, loyaltyIds: [card] }]
    await served().admin(t).ask(MemberService.method.upsertMembers, { requestId: randomUUID(), members })
    return { memberId, card, member: { by: { case: 'memberId', value: memberId } } as const }
  }
  const command = () => ({ requestId: randomUUID() })

  /** A member with ten stamps and a tier buys two coffees, one of them for the stamps, returns one, and comes again without buying. */
  async function aRegular(t: Test) {
    const { memberId, card, member } = await enrol(t)
    const support = served().as(t, 'support')
    await untilInForce(served().reader(t), await publish(served().admin(t), withGold))
    const adjustment = { member, currencyId: 'suite-card', amount: 10n, reason: 'welcome back' }
    await support.ask(ValueService.method.adjustValue, { ...command(), ...adjustment })
    const until = timestampFromMs(Date.now() + 86_400_000)
    await support.ask(MemberService.method.setTier, { ...command(), member, tier: 'gold', until, reason: 'a regular' })
    const coffees = aBasket(card).line({ productId: 'coffee', quantity: 2, unitPrice: 450 })
    const sold = await served().applied(coffees)
    const calculationId = String(sold['calculationId'])
    await served().send('/v1/pos/sale', JSON.stringify(aSale(sold, { paidTotal: 440, receiptNumber: 77 })))
    await support.ask(ReturnService.method.recordReturn, {
      ...{ ...command(), calculationId, reference: 'cold', occurredAt: timestampNow() },
      lines: [{ lineId: 'line-1', quantityThousandths: 1_000n }],
    })
    await served().send('/v1/pos/basket', aBasket(card).line({ productId: 'cake', unitPrice: 900 }).text())
    return { memberId, member, calculationId }
  }

  async function all(client: GrpcClient, request: object, pageSize: number): Promise<TimelineEntry[]> {
    const entries: TimelineEntry[] = []
    let pageToken = ''
    do {
      const page = await client.ask(listTimeline, { ...request, pageSize, pageToken })
      entries.push(...page.entries)
      pageToken = page.nextPageToken
    } while (pageToken !== '')
    return entries
  }
  const kindsOf = (entries: readonly TimelineEntry[]) => entries.map(({ kind }) => TimelineKind[kind])

  t.test('a timeline has all that happened to a member, newest first, whatever the pages and the kind', async (t) => {
    const support = served().as(t, 'support')
    const { memberId, member, calculationId } = await aRegular(t)
    await support.ask(writeNote, { ...command(), member, note: 'Wants oat milk' })
    const isWhole = async () => kindsOf(await all(support, { member }, 50)).includes('BASKET')
    await within2s(t, isWhole, 'the journal is in the ledger')
    const entries = await all(support, { member }, 50)
    const times = entries.map(({ at }) => Number(at!.seconds) * 1e9 + at!.nanos)
    t.same(
      times,
      times.toSorted((one, other) => other - one),
    )
    const expected = { VISIT: 1, BASKET: 1, RETURN: 1, EARNED: 1, SPENT: 1, VALUE: 1, TIER: 1, ACTION: 3 }
    t.same(countsOf(kindsOf(entries)), expected)
    const keyOf = (entry: TimelineEntry) =>
      JSON.stringify(entry, (_, each) => (typeof each === 'bigint' ? `${each}` : each))
    for (const size of [1, 3])
      t.same((await all(support, { member }, size)).map(keyOf), entries.map(keyOf), `pages of ${size}`)
    for (const kind of ['VISIT', 'BASKET', 'EARNED', 'SPENT', 'VALUE', 'TIER'] as const)
      t.same(kindsOf(await all(support, { member, kind: TimelineKind[kind] }, 2)), [kind], kind)
    const returned = await all(support, { member, kind: TimelineKind.RETURN }, 50)
    t.ok(returned.length > 1 && returned.every(({ kind }) => kind === TimelineKind.RETURN), 'with moved value')
    const recordOf = (name: keyof typeof expected) => entries.find(({ kind }) => kind === TimelineKind[name])
    t.match(recordOf('VISIT'), {
      record: { value: { calculationId, memberId } },
      sale: { calculationId, receiptNumber: 77n, paidTotal: 440n, paidDifference: -10n },
    })
    t.match(recordOf('RETURN'), {
      record: { value: { reference: 'cold', calculationId } },
      sale: { receiptNumber: 77n },
    })
    t.match(recordOf('VALUE'), { record: { value: { kind: 'adjusted', amount: 10n, reason: 'welcome back' } } })
    t.match(recordOf('TIER'), { record: { value: { tier: 'gold', previousTier: '' } } })
    const actor = nameOfToken('support', served().tokens.support)
    t.match(recordOf('ACTION'), {
      record: { value: { call: 'TimelineService/WriteNote', reason: 'Wants oat milk', actor } },
    })
    const actions = await all(support, { member, kind: TimelineKind.ACTION }, 50)
    t.ok(actions.some(({ record }) => record.case === 'action' && record.value.call === 'ValueService/AdjustValue'))
    t.notOk(kindsOf(await all(served().reader(t), { member }, 50)).includes('ACTION'), 'not for readers')
  })

  t.test('habits are the sums of the sales, with the venues and products bought most', async (t) => {
    const { member } = await aRegular(t)
    t.match(await served().reader(t).ask(getHabits, { member }), {
      sums: [{ currency: 'EUR', sales: 1n, paid: 440n, given: 450n }],
      since: { nanos: Number },
      venues: [{ venueId: 'venue-1', sales: 1n }],
      products: [{ productId: 'coffee', baskets: 1, venueId: 'venue-1' }],
    })
    const none = await enrol(t)
    const habits = await served().reader(t).ask(getHabits, { member: none.member })
    t.same([habits.sums, habits.since, habits.venues, habits.products], [[], undefined, [], []])
  })

  t.test('a note is an audit record, is written once, and goes with its member', async (t) => {
    const admin = served().admin(t)
    const { memberId, member } = await enrol(t)
    const request = { ...command(), member, note: 'n'.repeat(500) }
    for (let count = 0; count < 2; count += 1) await admin.ask(writeNote, request)
    const notes = async () => {
      const subject = { subjectKind: 'member', subjectId: memberId, call: 'TimelineService/WriteNote' }
      return (await admin.ask(AuditService.method.listAuditRecords, subject)).records.map(({ reason }) => reason)
    }
    t.same(await notes(), [request.note])
    t.match(await admin.unary(writeNote, { ...request, note: 'other' }), { reason: 'REQUEST_ID_CONFLICT' })
    await admin.ask(MemberService.method.forgetMember, { ...command(), memberId })
    t.same(await notes(), [])
    t.match(await admin.unary(writeNote, { ...command(), member, note: 'x' }), { code: 5, reason: 'MEMBER_NOT_FOUND' })
  })

  t.test('notes about a member that was merged show on the one that remains, and go with it', async (t) => {
    const admin = served().admin(t)
    const [from, into] = [await enrol(t), await enrol(t)]
    for (const { member, memberId } of [from, into])
      await admin.ask(writeNote, { ...command(), member, note: `about ${memberId}` })
    await admin.ask(MemberService.method.mergeMembers, { ...command(), from: from.member, into: into.member })
    const actions = await all(admin, { member: into.member, kind: TimelineKind.ACTION }, 2)
    const reasons = actions.map(({ record }) => (record.case === 'action' ? record.value.reason : ''))
    t.same(
      reasons.filter((reason) => reason.startsWith('about')),
      [`about ${into.memberId}`, `about ${from.memberId}`],
    )
    await admin.ask(MemberService.method.forgetMember, { ...command(), memberId: into.memberId })
    for (const subjectId of [from.memberId, into.memberId]) {
      const subject = { subjectKind: 'member', subjectId, call: 'TimelineService/WriteNote' }
      t.same((await admin.ask(AuditService.method.listAuditRecords, subject)).records, [])
    }
  })

  t.test('bad requests are refused by their fields', async (t) => {
    const admin = served().admin(t)
    const { member } = await enrol(t)
    const refused = { code: 3, reason: 'INVALID_REQUEST' }
    t.match(await admin.unary(listTimeline, { kind: 99 as TimelineKind }), {
      ...refused,
      violations: [/^kind: /, /^member: /],
    })
    t.match(await admin.unary(getHabits, {}), { ...refused, violations: [/^member: /] })
    for (const note of ['', 'n'.repeat(501), 'a\nb'])
      t.match(await admin.unary(writeNote, { requestId: 'x', member, note }), {
        ...refused,
        violations: [/^request_id: /, /^note: /],
      })
    const unknown = { by: { case: 'memberId', value: 'no-such-member' } } as const
    t.match(await admin.unary(listTimeline, { member: unknown }), { code: 5, reason: 'MEMBER_NOT_FOUND' })
    t.match(await admin.unary(getHabits, { member: unknown }), { code: 5, reason: 'MEMBER_NOT_FOUND' })
    t.match(await admin.unary(listTimeline, { member, pageToken: 'x' }), { reason: 'PAGE_TOKEN_INVALID' })
  })
}

function countsOf(words: readonly string[]): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {}
  for (const word of words) counts[word] = (counts[word] ?? 0) + 1
  return counts
}
