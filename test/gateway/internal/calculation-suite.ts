import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { Test } from 'tap'
import { engineVersion } from '../../../engine/index.js'
import {
  CalculationService,
  type CalculationSummary,
  type ReplayCalculationResponse,
} from '../../../gateway/gen/loyalty/v1/calculation_service_pb.js'
import {
  CalculationState,
  CalculationStatus,
  Channel,
  UnchangedReason,
} from '../../../gateway/gen/loyalty/v1/enums_pb.js'
import { ReservationState } from '../../../gateway/gen/loyalty/v1/holds_pb.js'
import { LimitService } from '../../../gateway/gen/loyalty/v1/limit_service_pb.js'
import { ProgrammeService } from '../../../gateway/gen/loyalty/v1/programme_service_pb.js'
import { aBasket, aSale, type BasketBody, type BasketBuilder } from '../../e2e/basket.js'
import type { Answer } from '../../e2e/service.js'
import { Dice } from '../../support/dice.js'
import { sized } from '../../support/sized.js'
import type { GrpcClient } from './grpc-client.js'
import { e2eProgramme, type Served } from './served.js'

const { getCalculation, listCalculations, simulateBasket, replayCalculation } = CalculationService.method
const { publishProgramme, getProgramme } = ProgrammeService.method

/** The programme of the suites, with unchanged members and venues, plus the changes of a test. */
export function aDocument(change: (document: BasketBody) => void = () => {}): string {
  const document = JSON.parse(readFileSync(e2eProgramme, 'utf8')) as BasketBody
  change(document)
  return JSON.stringify(document)
}

/** Publishes, whatever is in force; resolves to the version. */
export async function publish(admin: GrpcClient, document: string): Promise<number> {
  const { programme } = await admin.ask(getProgramme, { withoutDocument: true })
  const expectedVersion = programme?.version ?? 0
  const { version } = await admin.ask(publishProgramme, { requestId: randomUUID(), document, expectedVersion })
  return version
}

/** Waits until a version is in force, at most as long as the test may take. */
export async function untilInForce(reader: GrpcClient, version: number): Promise<void> {
  for (;;) {
    const { programmeVersion } = await reader.ask(simulateBasket, { basket: aTypedBasket(450n) })
    if (programmeVersion === version) return
  }
}

/** One line of coffee for anna, typed. */
export function aTypedBasket(unitPrice: bigint, quantity = 1n) {
  const gross = unitPrice * quantity
  const totals = { gross, net: gross }
  return {
    loyaltyId: 'anna',
    currency: 'EUR',
    requestedAt: '2026-11-20T10:00:00Z',
    context: { venueId: 'venue-1', baxId: 'bax-1', cashRegisterId: 'register-1', channel: Channel.POS },
    lines: [
      {
        lineId: '1',
        productId: 'coffee',
        quantityThousandths: quantity * 1_000n,
        unitPrice,
        noDiscount: false,
        totals,
      },
    ],
    totals,
  }
}

async function sendBasket(t: Test, { service }: Served, basket: BasketBuilder): Promise<Answer> {
  const answer = await service.send('/v1/pos/basket', basket.text())
  t.equal(answer.status, 200, answer.text)
  return answer
}

/** CalculationService, on a service whose programme may be changed. */
export function calculationSuite(t: Test, served: () => Served): void {
  const send = (basket: BasketBuilder) => sendBasket(t, served(), basket)

  t.test('a calculation is shown whole, from open to its end', async (t) => {
    const reader = served().reader(t)
    await untilInForce(reader, await publish(served().admin(t), aDocument()))
    const basket = aBasket('anna').line({ productId: 'coffee', unitPrice: 450 }).with({ note: 'ü 1.10' })
    const { calculationId } = basket.body() as { calculationId: string }
    const { text } = await send(basket)
    const open = await reader.ask(getCalculation, { calculationId })
    t.match(open.calculation, {
      calculationId,
      status: CalculationStatus.APPLIED,
      state: CalculationState.OPEN,
      venueId: 'venue-1',
      channel: Channel.POS,
      loyaltyId: 'anna',
      memberId: 'member-1',
      netBefore: 450n,
      netAfter: 405n,
      loyaltyDiscountTotal: 45n,
      optimal: true,
      gap: 0n,
    })
    t.equal(open.requestJson, basket.text())
    t.equal(open.answerJson, text)
    t.equal(open.engineVersion, engineVersion)
    t.match(open.buyer, { memberId: 'member-1', tier: 'gold' })
    t.match(
      open.explanation.find(({ benefitId }) => benefitId === 'coffee-10'),
      {
        value: 45n,
        lines: [{ line: 0, units: 1n, amount: 45n }],
      },
    )
    t.match(open.explanation.find(({ benefitId }) => benefitId === 'gold-order')?.dropped?.stage, {
      case: 'conditionsNotMet',
      value: { missing: [{ what: { case: 'spend', value: 4550n } }] },
    })
    t.same(
      open.history.map(({ state }) => state),
      [CalculationState.OPEN],
    )

    await served().service.send('/v1/pos/sale', JSON.stringify(aSale(basket.body(), { paidTotal: 405 })))
    const sold = await reader.ask(getCalculation, { calculationId })
    t.equal(sold.calculation?.state, CalculationState.FINALISED)
    t.same(
      sold.history.map(({ state }) => state),
      [CalculationState.OPEN, CalculationState.FINALISED],
    )
    t.ok(sold.history[1]!.at!.seconds >= sold.history[0]!.at!.seconds)
    t.match(await reader.unary(getCalculation, { calculationId: randomUUID() }), {
      code: 5,
      reason: 'CALCULATION_NOT_FOUND',
    })
    t.match(await reader.unary(getCalculation, { calculationId: 'x' }), { violations: [/^calculation_id: expected/] })
  })

  t.test('what a superseded calculation held is released, and what replaced it is named', async (t) => {
    const reader = served().reader(t)
    const limited = aDocument((document) => {
      document['benefits'].push({
        benefitId: 'tea-two',
        text: 'Tea',
        reward: { kind: 'member_price', select: { productIds: ['tea'] }, unitPrice: 100 },
        limits: [{ limitId: 'tea-two', scope: 'everyone', period: 'ever', counts: 'units', maximum: 2 }],
      })
    })
    await untilInForce(reader, await publish(served().admin(t), limited))
    const first = aBasket('ben').line({ productId: 'tea', unitPrice: 300, quantity: 2 })
    await send(first)
    const firstId = String(first.body()['calculationId'])
    const second = aBasket('ben')
      .line({ productId: 'tea', unitPrice: 300, quantity: 1 })
      .with({ supersedesCalculationId: firstId })
    const secondId = String(second.body()['calculationId'])

    t.test('and a simulation sees it as free, but takes nothing', async (t) => {
      const simulated = { ...aTypedBasket(300n, 2n), loyaltyId: 'ben' }
      const tea = { ...simulated, lines: [{ ...simulated.lines[0]!, productId: 'tea' }] }
      const rows = [
        { basket: tea, status: CalculationStatus.UNCHANGED },
        { basket: { ...tea, supersedesCalculationId: firstId }, status: CalculationStatus.APPLIED },
        { basket: tea, ignoreLimits: true, status: CalculationStatus.APPLIED },
      ]
      for (const { status, ...row } of rows) {
        const answer = await reader.ask(simulateBasket, row)
        t.equal(answer.status, status)
        t.equal(answer.reason === UnchangedReason.LIMIT_EXHAUSTED, status === CalculationStatus.UNCHANGED)
        if (status === CalculationStatus.APPLIED) t.match(answer.wants, [{ limitId: 'tea-two', units: 2n }])
      }
      const { counter } = await reader.ask(LimitService.method.getLimit, { limitId: 'tea-two' })
      t.match(counter, { open: 2n, used: 0n })
    })

    t.test('when it is sent', async (t) => {
      await send(second)
      const [old, now] = await Promise.all(
        [firstId, secondId].map((calculationId) => reader.ask(getCalculation, { calculationId })),
      )
      t.match(old!.reservations, [{ limitId: 'tea-two', units: 2n, state: ReservationState.RELEASED }])
      t.match(old!.history[1], { state: CalculationState.SUPERSEDED, cause: secondId })
      t.match(now!.reservations, [{ limitId: 'tea-two', units: 1n, state: ReservationState.OPEN }])
      t.equal(now!.calculation?.supersedesCalculationId, firstId)
    })
  })
}

/** Lists, replays. */
export function manyCalculationsSuite(t: Test, served: () => Served): void {
  const send = (basket: BasketBuilder) => sendBasket(t, served(), basket)

  t.test('calculations are listed newest first, page by page, by every filter', async (t) => {
    const reader = served().reader(t)
    const oslo = { venueId: 'venue-2', baxId: 'bax-3', cashRegisterId: 'register-9', channel: 'mpos' }
    const sent: string[] = []
    for (const member of ['ben', 'anna', 'ben', null, 'ben', 'nobody', 'ben']) {
      const basket = aBasket(member, oslo).with({ currency: 'NOK' }).line({ productId: 'coffee', unitPrice: 500 })
      await send(basket)
      sent.push(String(basket.body()['calculationId']))
    }
    const newest = sent.toReversed()
    const all: CalculationSummary[] = []
    let pageToken = ''
    do {
      // A calculation may still be on its way to the ledger: looked at one by one they are there.
      for (const calculationId of sent) await reader.ask(getCalculation, { calculationId })
      const page = await reader.ask(listCalculations, { pageSize: 2, pageToken, venueId: 'venue-2' })
      t.ok(page.calculations.length <= 2)
      all.push(...page.calculations)
      pageToken = page.nextPageToken
    } while (pageToken !== '')
    t.same(
      all.map(({ calculationId }) => calculationId),
      newest,
    )
    const idsOf = async (filter: object) =>
      (await reader.ask(listCalculations, { venueId: 'venue-2', ...filter })).calculations.map(
        ({ calculationId }) => calculationId,
      )
    const at = (places: readonly number[]) => places.map((place) => sent[place])
    t.same(await idsOf({ memberId: 'member-2' }), at([6, 4, 2, 0]))
    t.same(await idsOf({ loyaltyId: 'anna' }), at([1]))
    t.same(await idsOf({ loyaltyId: 'nobody', memberId: 'member-2' }), [])
    t.same(await idsOf({ status: CalculationStatus.MEMBER_NOT_FOUND }), at([5, 3]))
    t.same(await idsOf({ state: CalculationState.FINALISED }), [])
    t.same(await idsOf({ programmeVersion: all[0]!.programmeVersion }), newest)
    t.same(await idsOf({ programmeVersion: 999 }), [])
    const { answeredAt } = all[3]!
    t.same(await idsOf({ from: { seconds: answeredAt!.seconds + 3_600n } }), [])
    t.same(await idsOf({ until: { seconds: answeredAt!.seconds - 3_600n } }), [])
    t.ok((await idsOf({ from: { seconds: answeredAt!.seconds - 3_600n } })).length > 0)
    t.ok((await reader.ask(listCalculations, {})).calculations.length > sent.length)
    for (const filter of [{ status: 99 }, { state: 99 }])
      t.match(await reader.unary(listCalculations, filter), { reason: 'INVALID_REQUEST' })
    t.match(await reader.unary(listCalculations, { venueId: 'venue-1', pageToken: 'x' }), {
      reason: 'PAGE_TOKEN_INVALID',
    })
  })

  const many = sized(30, 400)
  t.test(`${many} calculations come out byte for byte after five further programmes`, async (t) => {
    const reader = served().reader(t)
    const admin = served().admin(t)
    const sent: string[] = []
    const dice = new Dice(20_261_121)
    for (let count = 0; count < many; count += 1) {
      const basket = aRandomBasket(dice)
      const { text } = await send(basket)
      sent.push(String(basket.body()['calculationId']))
      t.ok(text.length > 0)
    }
    const benefits = [5, 7, 9, 11, 13]
    for (const percentage of benefits) {
      const version = await publish(
        admin,
        aDocument((document) => {
          document['benefits'][0].reward.percentage = percentage
          document['benefits'][2].limits[0].maximum = percentage * 100
        }),
      )
      await untilInForce(reader, version)
    }
    const outcomes: ReplayCalculationResponse[] = []
    for (let at = 0; at < sent.length; at += 40) {
      const some = sent.slice(at, at + 40).map((calculationId) => reader.ask(replayCalculation, { calculationId }))
      outcomes.push(...(await Promise.all(some)))
    }
    t.same(
      outcomes.filter(({ identical, same, differences }) => !identical || !same || differences.length > 0),
      [],
    )
    const statuses = new Set(outcomes.map(({ storedAnswerJson }) => JSON.parse(storedAnswerJson).status))
    t.same([...statuses].sort(), ['applied', 'member_not_found', 'unchanged'])
    await untilInForce(reader, await publish(admin, aDocument()))
  })
}

/** Baskets without a member. */
export function simulationSuite(t: Test, served: () => Served): void {
  t.test('a basket is tried out in every setting, and every refusal names its field', async (t) => {
    const reader = served().reader(t)
    const admin = served().admin(t)
    const plain = await publish(
      admin,
      aDocument((document) => document['benefits'].splice(1)),
    )
    const current = await publish(admin, aDocument())
    await untilInForce(reader, current)
    const basket = aTypedBasket(10_000n)
    const net = async (more: object) => {
      const answer = await reader.ask(simulateBasket, { basket, ...more })
      return [Number(answer.basket?.totals?.net ?? 0n), answer.programmeVersion]
    }
    t.same(await net({}), [8_550, current], '10 % of the line, then 5 % of the order')
    t.same(await net({ programme: { case: 'programmeVersion', value: plain } }), [9_000, plain])
    const draft = aDocument((document) => {
      document['benefits'][0].reward.percentage = 50
    })
    t.same(await net({ programme: { case: 'draftDocument', value: draft } }), [4_750, 0])
    t.same(await net({ member: { memberId: 'member-9', tier: 'silver' } }), [9_000, current])
    t.same(await net({ member: { memberId: 'member-9', blocked: true } }), [0, current])
    t.same(await net({ basket: { ...basket, loyaltyId: 'TEST-20-PERCENT' } }), [8_000, 0])
    const venue = {
      venueId: 'venue-9',
      name: 'Supposed',
      environment: 1,
      currency: 'EUR',
      timeZone: 'Europe/Berlin',
      baxIds: ['bax-1'],
      products: [{ productId: 'coffee', name: 'Coffee', unitPrice: 450n }],
    }
    t.same(await net({ venue }), [8_550, current])

    const [line] = basket.lines
    const refused = [
      [
        { basket: { ...basket, lines: [{ ...line, noDiscount: undefined }] } },
        'INVALID_REQUEST',
        /lines\[0\].no_discount/,
      ],
      [
        { basket: { ...basket, lines: [{ ...line, unitPrice: 1n }] } },
        'ARITHMETIC_MISMATCH',
        /^basket\.lines\[0\]\.totals/,
      ],
      [{ basket: { ...basket, currency: 'NOK' } }, 'UNKNOWN_CURRENCY', /^basket\.currency/],
      [{ basket: { ...basket, context: { ...basket.context, baxId: 'x' } } }, 'VENUE_NOT_CONFIGURED', /bax_id/],
      [{ basket: { ...basket, lines: Array(201).fill(line) } }, 'INVALID_REQUEST', /^basket\.lines\[1\]\.line_id/],
      [{ basket: { ...basket, foreignFields: { lines: 1 } } }, 'INVALID_REQUEST', /^basket\.foreign_fields/],
      [{ basket, venue: { ...venue, timeZone: 'Mars' } }, 'INVALID_REQUEST', /^venue\.time_zone/],
      [{}, 'INVALID_REQUEST', /^basket: expected a basket/],
      [
        { basket, programme: { case: 'draftDocument', value: '{"benefits":1}' } },
        'PROGRAMME_FAULTY',
        /^draft_document\.benefits/,
      ],
    ] as const
    for (const [request, reason, violation] of refused) {
      const outcome = await reader.unary(simulateBasket, request as object)
      t.match(outcome, { kind: 'refused', reason }, reason)
      t.ok(
        outcome.kind === 'refused' && outcome.violations.some((each) => violation.test(each)),
        JSON.stringify(outcome),
      )
    }
    t.match(await reader.unary(simulateBasket, { basket, programme: { case: 'programmeVersion', value: 9_999 } }), {
      code: 5,
      reason: 'PROGRAMME_NOT_FOUND',
    })
  })
}

/** A basket of one to six lines of the suites' products, with limits, discounts of the POS and foreign fields. */
export function aRandomBasket(dice: Dice): BasketBuilder {
  let basket = aBasket(dice.pick(['anna', 'ben', 'anna-phone', 'carl', null, 'TEST-20-PERCENT', 'TEST-UNCHANGED']))
  const lines = dice.between(1, 6)
  for (let line = 0; line < lines; line += 1) {
    const unitPrice = 100 + dice.below(2_000)
    const discounts = dice.chance(0.2) ? [{ type: 'amount', amount: 10, text: 'Staff' }] : []
    basket = basket.line({
      productId: dice.pick(['coffee', 'cake', 'bun', 'tea']),
      unitPrice,
      quantity: dice.between(1, 4),
      noDiscount: dice.chance(0.1),
      discounts,
      station: dice.pick(['bar', 'küche']),
    })
  }
  return basket
}
