import { randomUUID } from 'node:crypto'
import type { Test } from 'tap'
import { AuditService } from '../../../gateway/gen/loyalty/v1/audit_service_pb.js'
import { CalculationService } from '../../../gateway/gen/loyalty/v1/calculation_service_pb.js'
import { LimitService } from '../../../gateway/gen/loyalty/v1/limit_service_pb.js'
import { ForgettingState, MemberService } from '../../../gateway/gen/loyalty/v1/member_service_pb.js'
import { SaleService } from '../../../gateway/gen/loyalty/v1/sale_service_pb.js'
import { aBasket, aSale } from '../../e2e/basket.js'
import { nameOfToken, type Served, within2s } from './served.js'

const { getMember, upsertMembers, forgetMember, getForgetting } = MemberService.method
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
