import type { Test } from 'tap'
import { CalculationService } from '../../../gateway/gen/loyalty/v1/calculation_service_pb.js'
import { CalculationStatus } from '../../../gateway/gen/loyalty/v1/enums_pb.js'
import { aBasket } from '../../e2e/basket.js'
import { aDocument } from './calculation-suite.js'
import type { Served } from './served.js'

const { simulateBasket, getCalculation } = CalculationService.method

/** A basket as a POS sent it, tried out as it is and as if. */
export function asIfSuite(t: Test, served: () => Served): void {
  t.test('a stored body is priced as it is, at another time, for another member, by a draft', async (t) => {
    const reader = served().reader(t)
    const basket = await served().applied(
      aBasket('anna').with({ posField: 1e-7 }).line({ productId: 'coffee', unitPrice: 450 }),
    )
    const { requestJson } = await reader.ask(getCalculation, { calculationId: basket['calculationId'] })
    const bodyJson = requestJson!
    const price = async (more: object) => await reader.ask(simulateBasket, { bodyJson, ...more } as object)
    t.match(await price({}), { status: CalculationStatus.APPLIED, basket: { totals: { net: 405n } } })
    t.match((await price({})).buyer, { memberId: 'member-1', tier: 'gold' })
    const nobody = await price({ loyaltyId: '' })
    t.match(nobody, { status: CalculationStatus.MEMBER_NOT_FOUND })
    t.equal(nobody.buyer, undefined)
    t.match(await price({ loyaltyId: 'nobody' }), { status: CalculationStatus.MEMBER_NOT_FOUND })
    t.match(await price({ loyaltyId: 'ben' }), { status: CalculationStatus.APPLIED })
    const draftDocument = aDocument(({ benefits }) => {
      benefits[0].validFrom = '2030-01-01T00:00:00+01:00'
    })
    const draft = { programme: { case: 'draftDocument', value: draftDocument } }
    t.match(await price(draft), { status: CalculationStatus.UNCHANGED })
    const later = await price({ ...draft, requestedAt: '2030-01-01T12:00:00+01:00' })
    t.match(later, { status: CalculationStatus.APPLIED, basket: { requestedAt: '2030-01-01T12:00:00+01:00' } })
  })

  t.test('a typed basket takes another time and buyer too', async (t) => {
    const reader = served().reader(t)
    const sent = aBasket('anna').line({ productId: 'coffee', unitPrice: 450 }).body()
    const bodyJson = JSON.stringify(sent)
    const { basket } = await reader.ask(simulateBasket, { bodyJson, loyaltyId: 'ben' })
    t.equal(basket?.loyaltyId, 'ben')
    const anonymous = await reader.ask(simulateBasket, { basket: basket!, loyaltyId: '' })
    t.equal(anonymous.status, CalculationStatus.MEMBER_NOT_FOUND)
    const moved = await reader.ask(simulateBasket, { basket: basket!, requestedAt: '2026-11-24T08:00:00Z' })
    t.equal(moved.basket?.requestedAt ?? '2026-11-24T08:00:00Z', '2026-11-24T08:00:00Z')
  })

  t.test('what is wrong with a body is said by its own paths', async (t) => {
    const reader = served().reader(t)
    const body = aBasket('anna').line({ productId: 'coffee', unitPrice: 450 }).body()
    const refused = async (request: object) => await reader.unary(simulateBasket, request as object)
    const of = (change: object) => ({ bodyJson: JSON.stringify({ ...body, ...change }) })
    t.match(await refused(of({ lines: [{ ...body['lines'][0], noDiscount: 'no' }] })), {
      reason: 'INVALID_REQUEST',
      violations: [/^body_json\.lines\[0\]\.noDiscount: expected/],
    })
    t.match(await refused(of({ currency: 'NOK' })), {
      reason: 'UNKNOWN_CURRENCY',
      violations: [/^body_json\.currency/],
    })
    t.match(await refused(of({ calculationId: 7 })), { violations: [/^body_json\.calculationId/] })
    for (const bodyJson of ['{', '[]', 'null', '7'])
      t.match(await refused({ bodyJson }), { violations: [/^body_json: expected a JSON object/] }, bodyJson)
    t.match(await refused({ ...of({}), basket: {} }), { violations: [/^basket: expected nothing beside body_json/] })
    t.match(await refused({ ...of({}), member: {}, loyaltyId: 'ben' }), {
      violations: [/^loyalty_id: expected nothing/],
    })
    t.match(await refused({ ...of({}), requestedAt: 'noon' }), { violations: [/^body_json\.requestedAt/] })
  })
}
