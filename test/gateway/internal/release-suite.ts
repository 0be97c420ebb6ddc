import { randomUUID } from 'node:crypto'
import type { Test } from 'tap'
import { AuditService } from '../../../gateway/gen/loyalty/v1/audit_service_pb.js'
import { CalculationService } from '../../../gateway/gen/loyalty/v1/calculation_service_pb.js'
import { CalculationState, Discrepancy, LimitCounts } from '../../../gateway/gen/loyalty/v1/enums_pb.js'
import { LimitService } from '../../../gateway/gen/loyalty/v1/limit_service_pb.js'
import { SaleService } from '../../../gateway/gen/loyalty/v1/sale_service_pb.js'
import { aBasket, aSale } from '../../e2e/basket.js'
import type { Served } from './served.js'
import { nameOfToken } from './served.js'

const { releaseReservation, getCalculation } = CalculationService.method

/** Holds of an open basket, released by hand. */
export function releaseSuite(t: Test, served: () => Served): void {
  t.test('an open basket gives back what it holds, once, and says what', async (t) => {
    const support = served().as(t, 'support')
    const basket = await served().applied(aBasket('ben').line({ productId: 'bun', unitPrice: 120, quantity: 2 }))
    const calculationId = basket['calculationId']
    const openUnits = async () =>
      (await support.ask(LimitService.method.getLimit, { limitId: 'bun-everyone' })).counter!.open
    const before = await openUnits()
    const request = { requestId: randomUUID(), calculationId, reason: 'the POS was switched off' }

    const said = await support.ask(releaseReservation, { ...request, dryRun: true })
    t.match(said, {
      reservations: [{ limitId: 'bun-everyone', subject: '', period: '', units: 2n, counts: LimitCounts.UNITS }],
      value: [],
    })
    t.equal(await openUnits(), before, 'a dry run changes nothing')

    t.same(await support.ask(releaseReservation, request), said)
    t.equal(await openUnits(), before - 2n)
    t.same(await support.ask(releaseReservation, request), said, 'a repeat gets the first answer')
    t.equal(await openUnits(), before - 2n)
    const { calculation } = await support.ask(getCalculation, { calculationId })
    t.equal(calculation?.state, CalculationState.EXPIRED)
    const again = { ...request, requestId: randomUUID() }
    t.match(await support.unary(releaseReservation, again), {
      code: 9,
      reason: 'CALCULATION_NOT_OPEN',
      metadata: { state: 'expired' },
    })
    t.match(await support.unary(releaseReservation, { ...request, reason: 'another' }), {
      reason: 'REQUEST_ID_CONFLICT',
    })

    const { records } = await support.ask(AuditService.method.listAuditRecords, {
      subjectKind: 'calculation',
      subjectId: calculationId,
    })
    const { requestId, reason } = request
    t.match(records, [{ actor: nameOfToken('support', served().tokens.support), requestId, reason }])
    t.equal(records.length, 1)
    t.match(JSON.parse(records[0]!.beforeJson), { reservations: [{ limitId: 'bun-everyone', units: 2 }] })
    t.same(JSON.parse(records[0]!.afterJson), { state: 'expired', reason: 'the POS was switched off' })

    await served().send('/v1/pos/sale', JSON.stringify(aSale(basket, { paidTotal: 100 })))
    const { sale } = await support.ask(SaleService.method.getSale, { calculationId })
    t.ok(sale?.discrepancies.includes(Discrepancy.LATE_EVENT), 'a sale that still comes is a late one')
  })

  t.test('what cannot be released is refused', async (t) => {
    const support = served().as(t, 'support')
    const request = { requestId: randomUUID(), calculationId: randomUUID(), reason: 'x' }
    t.match(await support.unary(releaseReservation, request), { reason: 'CALCULATION_NOT_FOUND' })
    t.match(await support.unary(releaseReservation, { ...request, dryRun: true }), { reason: 'CALCULATION_NOT_FOUND' })
    t.match(await support.unary(releaseReservation, { calculationId: 'x' }), {
      reason: 'INVALID_REQUEST',
      violations: [/^request_id/, /^calculation_id/, /^reason/],
    })
  })
}
