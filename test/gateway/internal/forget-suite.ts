import { randomUUID } from 'node:crypto'
import { fromJson, type MessageInitShape } from '@bufbuild/protobuf'
import { timestampNow } from '@bufbuild/protobuf/wkt'
import type { ServiceError } from '@grpc/grpc-js'
import type { Test } from 'tap'
import { AuditService } from '../../../gateway/gen/loyalty/v1/audit_service_pb.js'
import { CalculationService } from '../../../gateway/gen/loyalty/v1/calculation_service_pb.js'
import { LimitService } from '../../../gateway/gen/loyalty/v1/limit_service_pb.js'
import { type MemberDocument, MemberDocumentSchema } from '../../../gateway/gen/loyalty/v1/member_document_pb.js'
import {
  type ExportMemberRequestSchema,
  ForgettingState,
  MemberService,
} from '../../../gateway/gen/loyalty/v1/member_service_pb.js'
import { ReturnService } from '../../../gateway/gen/loyalty/v1/return_service_pb.js'
import { SaleService } from '../../../gateway/gen/loyalty/v1/sale_service_pb.js'
import { ValueService } from '../../../gateway/gen/loyalty/v1/value_service_pb.js'
import { aBasket, aSale } from '../../e2e/basket.js'
import { type GrpcClient, type Refused, refusedFromError } from './grpc-client.js'
import { nameOfToken, type Served, within2s } from './served.js'

const { exportMember, forgetMember, getForgetting, getMember, mergeMembers, upsertMembers } = MemberService.method
const { listLimits } = LimitService.method

/** ForgetMember. */
export function forgetSuite(t: Test, served: () => Served): void {
  t.test('a forgotten member is removed everywhere; its sums stay', async (t) => {
    const admin = served().admin(t)
    const memberId = `member-${randomUUID()}`
    const loyaltyIds = [`card-${randomUUID()}`]
    await admin.ask(upsertMembers, { requestId: randomUUID(), members: [{ memberId, loyaltyIds }] })
    const basket = await served().applied(aBasket(loyaltyIds[0]!).line({ productId: 'cake', unitPrice: 900 }))
    // The cake is sold, so that the limit's use stays.
    const [counter] = (await admin.ask(listLimits, { subject: memberId })).counters
    const { openReservations } = await admin.ask(LimitService.method.getLimit, {
      limitId: 'cake-member',
      subject: memberId,
    })
    t.equal(counter?.open, 1n)
    t.match(openReservations, [{ calculationId: basket['calculationId'] }])
    const sale = JSON.stringify(aSale(basket, { paidTotal: 700 }))
    t.equal((await served().send('/v1/pos/sale', sale)).json.result, 'recorded')

    const request = { requestId: randomUUID(), memberId }
    const counts = await admin.ask(forgetMember, request)
    t.ok(counts.calculations >= 1n)
    t.match(counts, { sales: 1n, counters: 1n })
    t.match(await admin.ask(forgetMember, request), counts, 'a repeat gets the reply of the first')
    const progress = await served().reader(t).ask(getForgetting, { requestId: request.requestId })
    t.match(progress, { state: ForgettingState.PENDING, completeBy: counts.completeBy, completedAt: undefined })
    t.equal(counts.completeBy!.seconds, progress.askedAt!.seconds + 16n * 60n)
    const said = JSON.stringify(progress, (_, value) => (typeof value === 'bigint' ? String(value) : value))
    for (const id of [memberId, ...loyaltyIds]) t.notOk(said.includes(id), 'it names no member')
    const other = { requestId: randomUUID() }
    t.match(await admin.unary(getForgetting, other), { code: 5, reason: 'FORGETTING_NOT_FOUND' })
    t.match(await admin.unary(getForgetting, { requestId: memberId }), { violations: [/^request_id: /] })
    t.match(await admin.unary(forgetMember, { ...request, requestId: randomUUID() }), { reason: 'MEMBER_NOT_FOUND' })
    for (const by of [
      { case: 'memberId', value: memberId },
      { case: 'loyaltyId', value: loyaltyIds[0]! },
    ] as const)
      t.match(await admin.unary(getMember, { by }), { code: 5 })
    await within2s(
      t,
      async () => {
        const next = aBasket(loyaltyIds[0]!).line({ productId: 'coffee', unitPrice: 450 })
        return (await served().send('/v1/pos/basket', next.text())).json.status === 'member_not_found'
      },
      'it stops counting',
    )
    const { calculationId } = basket as { calculationId: string }
    const sold = await admin.ask(SaleService.method.getSale, { calculationId })
    t.match(sold, { eventJson: '{}', sale: { calculationId, paidTotal: 700n } })
    t.equal(sold.sale!.loyaltyId, undefined, 'the sale stays, without its card')
    const { calculation, requestJson } = await admin.ask(CalculationService.method.getCalculation, { calculationId })
    t.same([calculation!.loyaltyId, requestJson], [undefined, undefined], 'so does the calculation')
    t.same((await admin.ask(listLimits, { subject: memberId })).counters, [])
    const { counters } = await admin.ask(listLimits, { limitId: 'cake-member', pageSize: 500 })
    t.ok(counters.some(({ subject, used }) => subject.startsWith('forgotten-') && used === 1n))

    const audit = AuditService.method.listAuditRecords
    t.same((await admin.ask(audit, { subjectKind: 'member', subjectId: memberId })).records, [])
    const { records } = await admin.ask(audit, { subjectKind: 'member', subjectId: 'forgotten' })
    t.match(records[0], {
      call: 'MemberService/ForgetMember',
      actor: nameOfToken('admin', served().tokens.admin),
      requestId: request.requestId,
      beforeJson: '',
    })
    t.equal((await served().send('/v1/pos/sale', sale)).json.result, 'recorded', 'a repeated sale event is answered')
    const changed = sale.replace('"paidTotal":700', '"paidTotal":701')
    t.equal((await served().send('/v1/pos/sale', changed)).status, 409)
  })
}

/** More than a page of the export. */
const basketsMade = 105

type Request = MessageInitShape<typeof ExportMemberRequestSchema>

/** The whole text, or the refusal. */
async function exported(client: GrpcClient, request: Request): Promise<string | Refused> {
  const parts: string[] = []
  try {
    for await (const { json } of client.stream(exportMember, request)) parts.push(json)
    return parts.join('')
  } catch (error) {
    return refusedFromError(error as ServiceError)
  }
}

/** A document with a field that MemberDocument does not describe is refused. */
function documentOf(text: string | Refused): MemberDocument {
  if (typeof text !== 'string') throw new Error(`${text.code} ${text.reason} ${text.text}`)
  return fromJson(MemberDocumentSchema, JSON.parse(text))
}

/** ExportMember. */
export function exportSuite(t: Test, served: () => Served): void {
  const byId = (value: string) => ({ member: { by: { case: 'memberId', value } } }) as const

  t.test('all that is stored of a member is one document, whatever its size', async (t) => {
    const [admin, support] = [served().admin(t), served().as(t, 'support')]
    const [memberId, old] = [`member-${randomUUID()}`, `member-${randomUUID()}`]
    const [card, lost, oldCard] = [1, 2, 3].map(() => `card-${randomUUID()}`) as [string, string, string]
    const members = [
      { memberId, loyaltyIds: [card, lost], segments: ['early'], birthday: '02-29', joinedOn: '2024-02-29' },
      { memberId: old, loyaltyIds: [oldCard] },
    ]
    await admin.ask(upsertMembers, { requestId: randomUUID(), members })
    await admin.ask(upsertMembers, { requestId: randomUUID(), members: [{ memberId, loyaltyIds: [card] }] })
    const adjust = (of: string, amount: bigint) =>
      admin.ask(ValueService.method.adjustValue, {
        ...{ requestId: randomUUID(), ...byId(of), currencyId: 'coffees', amount, reason: 'a gift' },
      })
    await adjust(old, 2n)
    await adjust(memberId, 3n)
    const merge = { requestId: randomUUID(), from: byId(old).member, into: byId(memberId).member }
    await admin.ask(mergeMembers, merge)
    const cake = await served().applied(aBasket(card).line({ productId: 'cake', unitPrice: 900 }))
    const sale = JSON.stringify(aSale(cake, { paidTotal: 700, note: 'ü' }))
    await served().send('/v1/pos/sale', sale)
    const { calculationId } = cake as { calculationId: string }
    await admin.ask(ReturnService.method.recordReturn, {
      ...{ requestId: randomUUID(), calculationId, reference: 'back', occurredAt: timestampNow() },
      lines: [{ lineId: String(cake['lines'][0].lineId), quantityThousandths: 1_000n }],
    })
    for (let count = 0; count < basketsMade; count += 1)
      await served().send('/v1/pos/basket', aBasket(card).line({ productId: 'coffee', unitPrice: 450 }).text())

    const whole = () => exported(support, byId(memberId))
    await within2s(
      t,
      async () => documentOf(await whole()).calculations.length > basketsMade,
      'the journal is in the ledger',
    )
    const document = documentOf(await whole())
    t.match(document.member, { ...members[0], loyaltyIds: [card, oldCard].sort() })
    t.match(document.standing, { visits: 1n })
    t.same([document.pastLoyaltyIds, document.mergedMemberIds], [[lost], [old]])
    t.match(document.accounts, [{ currencyId: 'coffees', available: 5n, lots: [{ amount: 2n }, { amount: 3n }] }])
    t.match(document.limits, [{ limitId: 'cake-member', subject: memberId, used: 1n }])
    t.ok(document.movements.some(({ reason, amount }) => reason === 'a gift' && amount === 3n))
    t.equal(new Set(document.calculations.map((each) => each.calculation?.calculationId)).size, basketsMade + 1)
    const first = document.calculations.at(-1)!
    t.match(first.calculation, { calculationId, memberId, loyaltyId: card })
    t.equal(JSON.parse(first.requestJson).calculationId, calculationId)
    t.equal(JSON.parse(first.answerJson).status, 'applied')
    t.match(document.sales, [{ sale: { calculationId }, eventJson: sale, returns: [{ reference: 'back' }] }])
    t.match(document.returnBaskets, [{ calculationId, buyer: { memberId, birthday: '02-29' } }])
    const [basket] = document.returnBaskets
    t.same([basket!.requestJson, basket!.answerJson], [first.requestJson, first.answerJson])
    t.match(document.audit[0], {
      call: 'MemberService/ExportMember',
      actor: nameOfToken('support', served().tokens.support),
      subjectId: memberId,
    })
    t.ok(document.audit.some(({ call }) => call === 'MemberService/MergeMembers'))
    const byCard = { member: { by: { case: 'loyaltyId', value: card } } } as const
    t.equal(documentOf(await exported(support, byCard)).member?.memberId, memberId)
    t.match(await exported(support, byId(old)), { code: 5, metadata: { merged_into: memberId } })
    await admin.ask(forgetMember, { requestId: randomUUID(), memberId })
    t.match(await exported(support, byId(memberId)), { code: 5, reason: 'MEMBER_NOT_FOUND' })
  })

  t.test('a member without anything has a document, and bad names are refused by their field', async (t) => {
    const admin = served().admin(t)
    const memberId = `member-${randomUUID()}`
    await admin.ask(upsertMembers, { requestId: randomUUID(), members: [{ memberId, loyaltyIds: [memberId] }] })
    const { movements, calculations, sales, audit, returnBaskets } = documentOf(await exported(admin, byId(memberId)))
    t.same([movements, calculations, sales, returnBaskets], [[], [], [], []])
    t.match(audit, [{ call: 'MemberService/ExportMember' }, { call: 'MemberService/UpsertMembers' }])
    t.match(await exported(admin, byId('unknown')), { code: 5, reason: 'MEMBER_NOT_FOUND' })
    t.match(await exported(admin, byId('')), { reason: 'INVALID_REQUEST', violations: [/^member\.member_id: /] })
    t.match(await exported(admin, byId('a\u0001')), { violations: [/^member\.member_id: /] })
    t.match(await exported(admin, {}), { reason: 'INVALID_REQUEST', violations: [/^member: /] })
    for (const role of ['reader', 'marketing'] as const)
      t.match(await exported(served().as(t, role), byId(memberId)), { code: 7, reason: 'PERMISSION_DENIED' })
  })
}
