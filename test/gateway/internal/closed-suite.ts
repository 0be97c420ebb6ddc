import { randomUUID } from 'node:crypto'
import type { Test } from 'tap'
import { CalculationService } from '../../../gateway/gen/loyalty/v1/calculation_service_pb.js'
import { CalculationStatus } from '../../../gateway/gen/loyalty/v1/enums_pb.js'
import { type ClosedBenefits, OpeningTerm } from '../../../gateway/gen/loyalty/v1/explanation_pb.js'
import { ProgrammeService } from '../../../gateway/gen/loyalty/v1/programme_service_pb.js'
import { aBasket, type BasketBody } from '../../e2e/basket.js'
import { aDocument, publish, untilInForce } from './calculation-suite.js'
import type { Served } from './served.js'

const { getCalculation, simulateBasket } = CalculationService.method
const { shadowCalculation } = ProgrammeService.method

/** A Friday at the venue. */
const requestedAt = '2026-11-20T11:00:00+01:00'

/** Terms that close a benefit to anna, who is gold, then and there; each by itself, and two together. */
const closing: readonly (readonly [terms: readonly OpeningTerm[], of: BasketBody])[] = [
  [[OpeningTerm.ENABLED], { enabled: false }],
  [[OpeningTerm.VALID_FROM], { validFrom: '2026-11-20T11:00:01+01:00' }],
  [[OpeningTerm.VALID_UNTIL], { validUntil: requestedAt }],
  [[OpeningTerm.VENUE_IDS], { venueIds: ['venue-2'] }],
  [[OpeningTerm.CHANNELS], { channels: ['mpos'] }],
  [[OpeningTerm.SCHEDULE], { schedule: [{ days: ['fri'], from: '11:01', until: '12:00' }] }],
  [[OpeningTerm.MEMBER_IDS], { audience: { memberIds: ['member-2'] } }],
  [[OpeningTerm.TIERS], { audience: { tiers: ['silver'] } }],
  [[OpeningTerm.SEGMENTS], { audience: { segments: ['staff'] } }],
  [[OpeningTerm.VISITS], { audience: { visits: { from: 1_000_000 } } }],
  [[OpeningTerm.BIRTHDAY], { audience: { birthday: { daysBefore: 1, daysAfter: 1 } } }],
  [[OpeningTerm.JOINED_WITHIN_DAYS], { audience: { joinedWithinDays: 30 } }],
  [[OpeningTerm.ANNIVERSARY], { audience: { anniversary: { daysBefore: 366, daysAfter: 366 } } }],
  [[OpeningTerm.LAST_VISIT], { audience: { lastVisit: { atLeastDays: 36_500, atMostDays: 36_500 } } }],
  [[OpeningTerm.BALANCES], { audience: { balances: [{ currencyId: 'salads', from: 5 }] } }],
  [[OpeningTerm.CHANNELS, OpeningTerm.TIERS], { channels: ['mpos'], audience: { tiers: ['silver'] } }],
]

const idAt = (place: number) => `closed-${String(place).padStart(2, '0')}`

function withClosed(document: BasketBody): void {
  const reward = { kind: 'line_percentage', select: { productIds: ['nothing'] }, percentage: 5 }
  document['currencies'] = [...(document['currencies'] ?? []), { currencyId: 'salads', name: 'Salads' }]
  for (const [place, [, terms]] of closing.entries())
    document['benefits'].push({ benefitId: idAt(place), text: 'Closed', reward, ...terms })
  document['benefits'].push({ benefitId: 'closed-not', text: 'Open', reward, audience: { tiers: ['gold'] } })
}

/** The terms that keep benefits closed, as every call that explains a basket answers them. */
export function closedSuite(t: Test, served: () => Served): void {
  const expected = closing.map(([terms], place) => [idAt(place), terms])
  const termsIn = (closed: ClosedBenefits | undefined) =>
    closed?.benefits
      .filter(({ benefitId }) => benefitId.startsWith('closed-'))
      .map(({ benefitId, terms }) => [benefitId, terms])

  t.test('a benefit that was not open says which of its terms kept it closed', async (t) => {
    const [reader, admin] = [served().reader(t), served().admin(t)]
    const basket = aBasket('anna').with({ requestedAt }).line({ productId: 'coffee', unitPrice: 450 })
    const { calculationId } = await served().applied(basket)
    const before = await reader.ask(getCalculation, { calculationId })
    t.same(termsIn(before.closed), [], 'the programme that priced it has none of them')
    t.notOk(before.closed?.benefits.some(({ benefitId }) => benefitId === 'coffee-10'))

    const draftDocument = aDocument(withClosed)
    const bodyJson = before.requestJson!
    const drafted = await reader.ask(simulateBasket, {
      bodyJson,
      programme: { case: 'draftDocument', value: draftDocument },
    })
    t.same(termsIn(drafted.closed), expected, 'by a draft')
    t.ok(drafted.explanation.some(({ benefitId }) => benefitId === 'closed-not'))
    const { outcome } = await reader.ask(shadowCalculation, { calculationId, draftDocument })
    t.same(termsIn(outcome?.closed), expected, 'in a shadow run')
    t.match(outcome?.buyer, { memberId: 'member-1', tier: 'gold' })
    const supposed = await reader.ask(shadowCalculation, {
      calculationId,
      draftDocument,
      asIfInForce: [idAt(0), idAt(1)],
    })
    t.same(termsIn(supposed.outcome?.closed), expected.slice(2), 'supposed to be in force')

    await untilInForce(reader, await publish(admin, draftDocument))
    t.same(termsIn((await reader.ask(simulateBasket, { bodyJson })).closed), expected, 'by the one in force')
    const stored = await served().applied(
      aBasket('anna').with({ requestedAt, calculationId: randomUUID() }).line({ productId: 'coffee', unitPrice: 450 }),
    )
    const after = await reader.ask(getCalculation, { calculationId: stored['calculationId'] })
    t.same(termsIn(after.closed), expected, 'stored')
    t.equal((await reader.ask(simulateBasket, { bodyJson, loyaltyId: '' })).closed, undefined, 'without a member')
    const first = await reader.ask(getCalculation, { calculationId })
    t.same(first.closed, before.closed, 'an earlier one goes by its own version')
    await untilInForce(reader, await publish(admin, aDocument()))
  })

  t.test('lines that are weighed, have no discount on them or follow another are marked in a report', async (t) => {
    const percentage = { kind: 'line_percentage', select: { productIds: ['coffee'], children: true }, percentage: 10 }
    const buy = { select: { productIds: ['bag'], includeNoDiscount: true }, quantity: 1 }
    const half = { kind: 'buy_get', buy, get: { select: { productIds: ['cake'] }, quantity: 1, percentage: 50 } }
    const value = aDocument((document) => {
      document['benefits'] = [percentage, half].map((reward, at) => ({ benefitId: `b-${at}`, text: 'b', reward }))
    })
    const basket = aBasket('anna')
      .line({ productId: 'coffee', unitPrice: 450, lineId: 'coffee' })
      .line({ productId: 'milk', unitPrice: 50, parentLineId: 'coffee' })
      .line({ productId: 'coffee', unitPrice: 100, quantity: 2, weighed: true })
      .line({ productId: 'bag', unitPrice: 100, noDiscount: true })
      .line({ productId: 'cake', unitPrice: 900 })
    const programme = { case: 'draftDocument', value } as const
    const { explanation } = await served().reader(t).ask(simulateBasket, { bodyJson: basket.text(), programme })
    const plain = { weighed: false, noDiscount: false, follows: undefined }
    t.match(explanation, [
      {
        lines: [
          { line: 0, units: 1n, ...plain },
          { line: 1, units: 0n, ...plain, follows: 0 },
          { line: 2, units: 0n, ...plain, weighed: true },
        ],
      },
      {
        lines: [
          { line: 3, units: 1n, ...plain, noDiscount: true },
          { line: 4, units: 1n, ...plain },
        ],
      },
    ])
  })
}

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
    const unnamed = await price({ loyaltyId: '' })
    t.match(unnamed, { status: CalculationStatus.MEMBER_NOT_FOUND })
    t.equal(unnamed.buyer, undefined)
    t.match(await price({ loyaltyId: 'unknown' }), { status: CalculationStatus.MEMBER_NOT_FOUND })
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
