import { randomUUID } from 'node:crypto'
import type { Test } from 'tap'
import { AccessService } from '../../../gateway/gen/loyalty/v1/access_service_pb.js'
import { AuditService } from '../../../gateway/gen/loyalty/v1/audit_service_pb.js'
import { MemberService } from '../../../gateway/gen/loyalty/v1/member_service_pb.js'
import { ProgrammeChangeKind, ProgrammePart } from '../../../gateway/gen/loyalty/v1/programme_diff_pb.js'
import { ProgrammeService } from '../../../gateway/gen/loyalty/v1/programme_service_pb.js'
import { VenueService } from '../../../gateway/gen/loyalty/v1/venue_service_pb.js'
import { aDocument } from './calculation-suite.js'
import type { Served } from './served.js'

const { diffProgrammes, validateProgramme, publishProgramme, getProgramme } = ProgrammeService.method
const { proposeProgramme, approveProposal, rollBack } = ProgrammeService.method
const { storeDraft, listDrafts, getDraft, deleteDraft } = ProgrammeService.method
const { listAuditRecords } = AuditService.method
const { getVenue } = VenueService.method

/** Drafts that people share. */
export function sharedSuite(t: Test, served: () => Served): void {
  t.test('a draft is stored as it is written, shared, and changed only over the revision that was seen', async (t) => {
    const marketing = served().as(t, 'marketing')
    const admin = served().admin(t)
    const draftId = randomUUID()
    const text = '{ // for spring\n  "benefits": ['
    const begun = { draftId, name: 'Spring', document: text, baseVersion: 1, expectedRevision: 0 }
    const { draft } = await marketing.ask(storeDraft, { requestId: randomUUID(), ...begun })
    t.match(draft, { draftId, name: 'Spring', baseVersion: 1, revision: 1, begunBy: /^marketing-/ })
    t.equal(draft!.documentBytes, BigInt(text.length))
    t.match(await served().reader(t).ask(getDraft, { draftId }), { draft: { revision: 1 }, document: text })
    const again = await marketing.ask(storeDraft, { requestId: randomUUID(), ...begun })
    t.equal(again.draft!.revision, 1, 'an answer that was lost, and another attempt')

    const longer = `${text}]}`
    const seen = { ...begun, expectedRevision: 1 }
    await admin.ask(storeDraft, { requestId: randomUUID(), ...seen, document: longer })
    t.match(await marketing.unary(storeDraft, { requestId: randomUUID(), ...seen, document: '{}' }), {
      ...{ code: 10, reason: 'DRAFT_CHANGED' },
      metadata: { revision: '2', changed_by: /^admin-/ },
    })
    t.match(await marketing.unary(deleteDraft, { requestId: randomUUID(), draftId, expectedRevision: 1 }), {
      reason: 'DRAFT_CHANGED',
    })
    const { drafts } = await marketing.ask(listDrafts, {})
    t.match(drafts[0], { draftId, revision: 2, begunBy: /^marketing-/, changedBy: /^admin-/ })
    const found = await marketing.ask(getDraft, { draftId, withoutDocument: true })
    t.same([found.document, found.draft!.documentBytes], ['', BigInt(longer.length)])
    await admin.ask(storeDraft, { requestId: randomUUID(), ...seen, expectedRevision: 2, document: '{}' })
    const records = await admin.ask(listAuditRecords, { subjectKind: 'draft', subjectId: draftId })
    t.match(
      records.records.map(({ actor }) => actor),
      [/^admin-/, /^marketing-/],
      'who begins it or goes on with it is recorded, but not each revision',
    )

    const deletion = { requestId: randomUUID(), draftId, expectedRevision: 3 }
    t.match(await served().as(t, 'support').unary(deleteDraft, deletion), { reason: 'PERMISSION_DENIED' })
    await marketing.ask(deleteDraft, deletion)
    t.match(await marketing.unary(getDraft, { draftId }), { code: 5, reason: 'DRAFT_NOT_FOUND' })
    t.match(await marketing.unary(storeDraft, { requestId: randomUUID(), ...seen }), { reason: 'DRAFT_NOT_FOUND' })
  })

  t.test('a text of before a member was forgotten is stored without its ids', async (t) => {
    const [marketing, admin] = [served().as(t, 'marketing'), served().admin(t)]
    const member = { memberId: `m-${randomUUID()}`, loyaltyIds: [`card-${randomUUID()}`] }
    await admin.ask(MemberService.method.upsertMembers, { requestId: randomUUID(), members: [member] })
    await admin.ask(MemberService.method.forgetMember, {
      requestId: randomUUID(),
      memberId: member.memberId,
      reason: 'asked',
    })
    for (const comment of ['', '// by hand\n']) {
      const draftId = randomUUID()
      const document = `${comment}${JSON.stringify({ members: [member] })}`
      await marketing.ask(storeDraft, { requestId: randomUUID(), draftId, document, baseVersion: 1 })
      const found = await marketing.ask(getDraft, { draftId })
      t.match(found.document, /"memberId":"forgotten-[0-9a-f-]{36}"/)
      t.notOk(found.document.includes(member.memberId) || found.document.includes(member.loyaltyIds[0]!))
      await marketing.ask(deleteDraft, { requestId: randomUUID(), draftId, expectedRevision: 1 })
    }
  })

  t.test('a draft without bounds is refused', async (t) => {
    const marketing = served().as(t, 'marketing')
    const draft = { draftId: randomUUID(), document: '' }
    const refused = { requestId: 'x', draftId: 'y', name: 'z'.repeat(81), document: '\0', baseVersion: -1 }
    t.match(await marketing.unary(storeDraft, { ...refused, expectedRevision: -1 }), {
      violations: [/^request_id/, /^draft_id/, /^name/, /^document/, /^base_version/, /^expected_revision/],
    })
    const large = { ...draft, requestId: randomUUID(), document: ' '.repeat(8 * 1024 * 1024 + 1) }
    t.match(await marketing.unary(storeDraft, large), { violations: [/^document: expected at most 8388608 bytes/] })
    t.match(await marketing.unary(deleteDraft, { requestId: 'x', draftId: 'y' }), {
      violations: [/^request_id/, /^draft_id/, /^expected_revision/],
    })
    const begin = () => marketing.unary(storeDraft, { ...draft, requestId: randomUUID(), draftId: randomUUID() })
    for (let stored = (await marketing.ask(listDrafts, {})).drafts.length; stored < 100; stored += 1) await begin()
    t.match(await begin(), { code: 8, reason: 'TOO_MANY_DRAFTS' })
    const { drafts } = await marketing.ask(listDrafts, {})
    for (const { draftId } of drafts) {
      await marketing.ask(deleteDraft, { requestId: randomUUID(), draftId, expectedRevision: 1 })
    }
  })
}

/** Remarks on a draft before it is published. */
export function draftsSuite(t: Test, served: () => Served): void {
  const draft = aDocument(({ benefits }) => {
    benefits[0].reward.percentage = 15
    benefits[0].validUntil = '2020-01-01T00:00:00Z'
    benefits[1].venueIds = ['venue-1', 'venue-of-nobody']
    benefits.splice(4, 1)
  })

  t.test('a draft is compared with the version in force, part by part', async (t) => {
    const reader = served().reader(t)
    const { baseVersion, changes } = await reader.ask(diffProgrammes, {
      changed: { case: 'draftDocument', value: draft },
    })
    t.ok(baseVersion >= 1)
    const benefit = ProgrammePart.BENEFIT
    t.match(changes, [
      {
        ...{ part: benefit, id: 'coffee-10', name: 'Coffee 10 %', kind: ProgrammeChangeKind.CHANGED },
        fields: [
          { path: 'reward.percentage', beforeJson: '10', afterJson: '15' },
          { path: 'validUntil', beforeJson: '', afterJson: '"2020-01-01T00:00:00Z"' },
        ],
      },
      {
        part: benefit,
        id: 'cake-once',
        kind: ProgrammeChangeKind.CHANGED,
        fields: [{ path: 'venueIds', beforeJson: '' }],
      },
      { part: benefit, id: 'gold-order', name: 'Gold 5 %', kind: ProgrammeChangeKind.REMOVED, fields: [] },
    ])
    t.equal(changes.length, 3)
    const same = await reader.ask(diffProgrammes, { baseVersion, changed: { case: 'version', value: baseVersion } })
    t.same(same.changes, [])
  })

  t.test('what cannot be compared is refused', async (t) => {
    const reader = served().reader(t)
    t.match(await reader.unary(diffProgrammes, {}), { violations: [/^changed: expected/] })
    t.match(await reader.unary(diffProgrammes, { baseVersion: -1, changed: { case: 'version', value: 0 } }), {
      violations: [/^base_version/, /^version/],
    })
    t.match(await reader.unary(diffProgrammes, { changed: { case: 'version', value: 9_999 } }), {
      reason: 'PROGRAMME_NOT_FOUND',
    })
    t.match(
      await reader.unary(diffProgrammes, { baseVersion: 9_999, changed: { case: 'draftDocument', value: draft } }),
      {
        reason: 'PROGRAMME_NOT_FOUND',
      },
    )
    t.match(await reader.unary(diffProgrammes, { changed: { case: 'draftDocument', value: '{"benefits": 1}' } }), {
      reason: 'PROGRAMME_FAULTY',
      violations: [/^draft_document/],
    })
  })

  t.test('what goes wrong in practice is said before it is published', async (t) => {
    const reader = served().reader(t)
    const warningsOf = async (document: string) =>
      (await reader.ask(validateProgramme, { document })).warnings.map(({ path, word }) => `${path} ${word}`)
    const found = await warningsOf(draft)
    for (const each of [
      'benefits benefit_removed',
      'benefits[0].validUntil benefit_expired',
      'benefits[1].venueIds venue_unknown',
      // At Berlin it is euros, in Oslo kroner.
      'benefits[2] several_currencies',
    ])
      t.ok(found.includes(each), each)
    const { warnings } = await reader.ask(validateProgramme, { document: draft })
    const saidOf = (word: string) => warnings.find((one) => one.word === word)?.message
    t.match(saidOf('venue_unknown'), /^expected a venue that is stored or in this document, received venue-of-nobody/)
    t.match(saidOf('benefit_expired'), /^expected a time to come, received 2020-01-01/)
    t.match(saidOf('several_currencies'), /^expected venues of one currency, .* received venues of EUR, NOK$/)
    t.match(saidOf('benefit_removed'), /removes 1 of .*: Gold 5 % \(gold-order\)$/)
    const named = aDocument((changed) =>
      changed['members'].push({ memberId: 'taker', loyaltyIds: ['taker', 'anna-2'] }),
    )
    t.notOk((await warningsOf(named)).includes('members card_stays'))
    const admin = served().admin(t)
    const members = [{ memberId: 'holder-of-anna-2', loyaltyIds: ['anna-2'] }]
    await admin.ask(MemberService.method.upsertMembers, { requestId: randomUUID(), members })
    const held = (await reader.ask(validateProgramme, { document: named })).warnings
    t.match(
      held.find(({ word }) => word === 'card_stays')?.message,
      /^publishing leaves with other members 1 loyalty id: anna-2 \(members\[\d+\], now of holder-of-anna-2\)$/,
    )
    const now = await warningsOf(aDocument())
    t.notOk(
      now.some((each) => /removed|expired|venue_unknown/.test(each)),
      'of what is in force nothing of it',
    )
  })

  t.test(
    'a document without price lists is held against the stored ones, and its earning rules are looked at too',
    async (t) => {
      const reader = served().reader(t)
      const { venues } = JSON.parse(aDocument())
      const { venue } = await reader.ask(getVenue, { venueId: venues[0].venueId })
      t.ok(venue!.products.length > 0)
      const document = aDocument((changed) => {
        changed['venues'] = []
        // Each of these warnings is given once, and benefits come before rules.
        changed['benefits'] = []
        changed['currencies'] = [...(changed['currencies'] ?? []), { currencyId: 'drafted', name: 'Drafted' }]
        const rule = { ruleId: 'drafted', currencyId: 'drafted', give: 1, per: { amount: 100 } }
        changed['earning'] = [
          { ...rule, venueIds: [venue!.venueId], select: { productIds: ['no-such-product'] } },
          { ...rule, ruleId: 'everywhere', validUntil: '2020-01-01T00:00:00Z' },
          { ...rule, ruleId: 'too' },
        ]
      })
      const { warnings } = await reader.ask(validateProgramme, { document })
      const found = warnings.map(({ path, word }) => `${path} ${word}`)
      for (const each of [
        'earning[0].select.productIds product_unknown',
        'earning[1].validUntil benefit_expired',
        'earning[1] several_currencies',
      ])
        t.ok(found.includes(each), `${each}: ${found.join('; ')}`)
      const several = warnings.filter(({ word }) => word === 'several_currencies')
      t.equal(several.length, 1)
      t.match(several[0]!.message, /received venues of EUR, NOK; and at 1 more place$/)
    },
  )

  t.test('a publication says what it removes, and the next one does no more', async (t) => {
    const marketing = served().as(t, 'marketing')
    const publish = async (document: string) => {
      const { programme } = await marketing.ask(getProgramme, { withoutDocument: true })
      const { warnings } = await marketing.ask(publishProgramme, {
        ...{ requestId: randomUUID(), document, expectedVersion: programme!.version },
      })
      return warnings.filter(({ word }) => word === 'benefit_removed').length
    }
    t.equal(await publish(draft), 1)
    t.equal(await publish(draft), 0)
    t.equal(await publish(aDocument()), 0)
  })

  t.test('a second person may publish a proposal where review is optional', async (t) => {
    const [marketing, admin] = [served().as(t, 'marketing'), served().admin(t)]
    t.equal((await marketing.ask(AccessService.method.getAccess, {})).reviewRequired, false)
    const newest = async () => (await admin.ask(getProgramme, { withoutDocument: true })).programme!
    const { version } = await newest()
    const request = { requestId: randomUUID(), document: draft, expectedVersion: version }
    const { proposalId, warnings } = await marketing.ask(proposeProgramme, request)
    t.ok(warnings.some(({ word }) => word === 'benefit_removed'))
    t.equal((await newest()).version, version)
    t.equal((await admin.ask(approveProposal, { requestId: randomUUID(), proposalId })).version, version + 1)
    t.ok((await newest()).proposedBy.startsWith('marketing-'))
    await admin.ask(rollBack, { requestId: randomUUID(), version, expectedVersion: version + 1 })
  })
}
