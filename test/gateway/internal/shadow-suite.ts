import { randomUUID } from 'node:crypto'
import type { Timestamp } from '@bufbuild/protobuf/wkt'
import type { ServiceError } from '@grpc/grpc-js'
import type { Test } from 'tap'
import { CalculationService } from '../../../gateway/gen/loyalty/v1/calculation_service_pb.js'
import { ProgrammeService } from '../../../gateway/gen/loyalty/v1/programme_service_pb.js'
import type {
  MoneyDifference,
  ShadowRunReport,
  ShadowRunResponse,
} from '../../../gateway/gen/loyalty/v1/shadow_run_pb.js'
import { ValueService } from '../../../gateway/gen/loyalty/v1/value_service_pb.js'
import { aBasket, aSale, type BasketBody } from '../../e2e/basket.js'
import { Dice } from '../../support/dice.js'
import { aDocument, aRandomBasket, publish, untilInForce } from './calculation-suite.js'
import type { GrpcClient } from './grpc-client.js'
import type { Served } from './served.js'

const { shadowRun, shadowCalculation } = ProgrammeService.method
const { getCalculation, listCalculations } = CalculationService.method

/** ProgrammeService.ShadowRun, on a service whose programme may be changed. */
export function shadowSuite(t: Test, served: () => Served): void {
  t.test('a draft is compared with the past, to the last minor unit', async (t) => {
    const reader = served().reader(t)
    const version = await publish(served().admin(t), aDocument(withShadow))
    await untilInForce(reader, version)
    const dice = new Dice(7)
    const sent: BasketBody[] = []
    let said = 0
    for (let count = 0; count < 130; count += 1) {
      const basket = dice.chance(0.4)
        ? aBasket('ben').line({ productId: 'shadow', unitPrice: 777 })
        : aRandomBasket(dice)
      const { json } = await served().service.send('/v1/pos/basket', basket.text())
      sent.push({ ...basket.body(), status: json.status })
      for (const { discounts = [] } of json.basket?.lines ?? [])
        for (const { text, amount } of discounts) if (text === 'Only in the shadow') said += amount
    }
    t.ok(said > 0)
    // Abandoned and superseded baskets cost nothing: neither counts.
    const [abandoned, superseded] = [1, 2].map(() => aBasket('ben').line({ productId: 'shadow', unitPrice: 777 }))
    const superseding = abandoned!.with({
      calculationId: randomUUID(),
      supersedesCalculationId: superseded!.body()['calculationId'],
    })
    for (const basket of [abandoned!, superseded!, superseding]) {
      t.equal((await served().service.send('/v1/pos/basket', basket.text())).json.status, 'applied')
    }
    for (const basket of [abandoned!, superseding]) {
      const sale = aSale(basket.body(), { status: 'cancelled', transactionId: undefined })
      t.equal((await served().service.send('/v1/pos/sale', JSON.stringify(sale))).json.result, 'recorded')
    }
    // The last ones are still pending until they are queried.
    for (const { calculationId } of sent) await reader.ask(getCalculation, { calculationId })
    const { calculations } = await reader.ask(listCalculations, { programmeVersion: version, pageSize: 500 })
    const from = calculations.at(-1)!.answeredAt!

    await t.test('the same programme has no differences', async (t) => {
      const { report, progress } = await run(reader, { draftDocument: aDocument(withShadow), from })
      t.ok(report.calculations >= BigInt(calculations.length - 3), 'all but those that cost nothing')
      t.equal(report.changed, 0n)
      t.same(report.examples, [])
      for (const row of everyRow(report)) t.equal(row.discountDraft - row.discountThen, 0n, row.key)
      t.ok(progress.length >= 3, 'more than one page')
      t.same(
        progress,
        progress.toSorted((one, other) => Number(one - other)),
      )
    })

    await t.test('without a benefit that nothing replaces, its sum is missing and nothing else changes', async (t) => {
      const { report } = await run(reader, { draftDocument: aDocument(), from, examplesMax: 3 })
      const [first, ...others] = report.byBenefit
      t.match(first, { key: 'shadow-only', currency: 'EUR', discountThen: BigInt(said), discountDraft: 0n })
      for (const row of others) t.equal(row.discountDraft, row.discountThen, row.key)
      const [total] = report.totals
      t.equal(total!.discountThen - total!.discountDraft, BigInt(said))
      for (const rows of [report.byVenue, report.byDay])
        t.equal(
          rows.reduce((sum, row) => sum + row.discountThen - row.discountDraft, 0n),
          BigInt(said),
        )
      t.equal(report.changed, first!.changed)
      t.equal(report.examples.length, 3)
      for (const { netThen, netDraft } of report.examples) t.equal(netDraft - netThen, 77n)
    })

    await supposedPromises(t, reader, from)

    await t.test('what a benefit adds is what is missing without it, both priced anew', async (t) => {
      const { report } = await run(reader, { withoutBenefitId: 'shadow-only', from })
      t.match(report.byBenefit[0], { key: 'shadow-only', discountThen: BigInt(said), discountDraft: 0n })
      const [total] = report.totals
      t.equal(total!.discountThen - total!.discountDraft, BigInt(said))
      const draftDocument = aDocument()
      await t.rejects(run(reader, { withoutBenefitId: 'no-such', from }), /without_benefit_id: expected a benefit/)
      await t.rejects(run(reader, { withoutBenefitId: 'shadow-only', draftDocument, from }), /draft_document: expected/)
    })

    await t.test('a cancelled run ends, and POS callers are served meanwhile', async (t) => {
      const stream = reader.stream(shadowRun, { draftDocument: aDocument(), from: { seconds: 0n } })
      const ended = new Promise<{ code: number }>((resolve) => {
        stream.on('error', resolve)
      })
      await new Promise((resolve) => stream.once('data', resolve))
      const basket = aBasket('ben').line({ productId: 'shadow', unitPrice: 777 })
      t.equal((await served().service.send('/v1/pos/basket', basket.text())).json.status, 'applied')
      stream.cancel()
      t.equal((await ended).code, 1)
    })
    await untilInForce(reader, await publish(served().admin(t), aDocument()))
  })

  t.test('what a draft would issue and spend of member value stands beside what was', async (t) => {
    const admin = served().admin(t)
    const version = await publish(admin, aDocument(withValue(1)))
    await untilInForce(served().reader(t), version)
    const member = { by: { case: 'loyaltyId', value: 'ben' } } as const
    const gift = { requestId: randomUUID(), member, currencyId: 'shadow-stamp', amount: 25n, reason: 'x' }
    await admin.ask(ValueService.method.adjustValue, gift)
    const sold: string[] = []
    for (const quantity of [3, 4]) {
      const basket = aBasket('ben').line({ productId: 'shadow-coffee', quantity, unitPrice: 500 }).body()
      const { json } = await served().service.send('/v1/pos/basket', JSON.stringify(basket))
      const paidTotal = json.basket?.totals.net ?? basket['totals'].net
      const sale = aSale(basket, { status: json.status, paidTotal })
      t.equal((await served().service.send('/v1/pos/sale', JSON.stringify(sale))).json.result, 'recorded')
      sold.push(String(basket['calculationId']))
    }
    const reader = served().reader(t)
    const { calculation } = await reader.ask(getCalculation, { calculationId: sold[0]! })
    const stampsOf = async (change: (document: BasketBody) => void) => {
      const { report } = await run(reader, {
        draftDocument: aDocument(change),
        from: calculation!.answeredAt!,
      })
      return report.value.find(({ currencyId }) => currencyId === 'shadow-stamp')
    }
    const valued = await run(reader, { draftDocument: aDocument(withValue(3)), from: calculation!.answeredAt! })
    t.same(
      valued.report.valueBySource
        .filter(({ currencyId }) => currencyId === 'shadow-stamp')
        .map(({ key, issuedThen, issuedDraft, spentThen }) => [key, issuedThen, issuedDraft, spentThen]),
      [
        ['shadow-1', 5n, 0n, 0n],
        ['shadow-3', 0n, 15n, 0n],
        ['shadow-free', 0n, 0n, 20n],
      ],
    )
    for (const rows of [valued.report.valueByVenue, valued.report.valueByDay]) {
      const own = rows.filter(({ currencyId }) => currencyId === 'shadow-stamp')
      t.ok(own.every(({ key }) => key !== ''))
      t.equal(
        own.reduce((sum, { issuedDraft }) => sum + issuedDraft, 0n),
        15n,
      )
    }
    // Two of three units were free, then none: 10 stamps each, of 25; 5 and the earned ones are too few.
    const then = { issuedThen: 5n, spentThen: 20n }
    t.match(await stampsOf(withValue(1)), { ...then, issuedDraft: 5n, spentDraft: 20n })
    t.match(await stampsOf(withValue(3)), { ...then, issuedDraft: 15n, spentDraft: 20n })
    t.match(await stampsOf(withValue(1, false)), { ...then, issuedDraft: 7n, spentDraft: 0n })
    await untilInForce(reader, await publish(admin, aDocument()))
  })

  t.test('an invalid draft or time is refused', async (t) => {
    const reader = served().reader(t)
    const draftDocument = aDocument()
    await t.rejects(run(reader, { draftDocument }), /from: expected a time/)
    await t.rejects(run(reader, { draftDocument, from: { seconds: 9n }, until: { seconds: 9n } }), /until: expected/)
    await t.rejects(run(reader, { draftDocument, from: { seconds: 0n }, examplesMax: 101 }), /examples_max/)
    await t.rejects(
      run(reader, { draftDocument: '{"benefits": 1}', from: { seconds: 0n } }),
      /the programme has 1 fault/,
    )
  })
}

/** Benefits that are not in force yet, and one calculation by itself, on baskets of the benefit of `withShadow`. */
async function supposedPromises(t: Test, reader: GrpcClient, from: Timestamp): Promise<void> {
  await t.test(
    'a benefit that is off, or begins later, says so, and can be priced as if it were in force',
    async (t) => {
      const later = new Date(Date.now() + 86_400_000).toISOString()
      const off = aDocument((document) => {
        withShadow(document)
        document['benefits'].at(-1).enabled = false
      })
      const planned = aDocument((document) => {
        withShadow(document)
        document['benefits'].at(-1).validFrom = later
      })
      const countsOf = ({ benefits }: ShadowRunReport) => benefits.find(({ benefitId }) => benefitId === 'shadow-only')!
      const said = { ofMembers: 0n, applied: 0n }
      for (const [draftDocument, why] of [
        [off, 'off'],
        [planned, 'before'],
      ] as const) {
        const { report } = await run(reader, { draftDocument, from })
        const counts = countsOf(report)
        t.equal(counts[why], report.ofMembers, why)
        t.equal(counts.closed, report.ofMembers)
        t.equal(counts.applied, 0n)
        t.ok(report.ofMembers > 0n && report.ofMembers <= report.calculations)
        const inForce = await run(reader, { draftDocument, from, asIfInForce: ['shadow-only'] })
        t.equal(inForce.report.changed, 0n, 'as it was')
        Object.assign(said, { ofMembers: report.ofMembers, applied: countsOf(inForce.report).applied })
        t.equal(countsOf(inForce.report)[why], 0n)
      }
      const { report } = await run(reader, { draftDocument: aDocument(withShadow), from })
      t.equal(countsOf(report).applied, said.applied)
      t.ok(said.applied > 0n)
      for (const { closed, applied, beaten, notMet } of report.benefits) {
        t.equal(closed + applied + beaten + notMet, report.ofMembers)
      }
      await t.rejects(
        run(reader, { draftDocument: off, from, asIfInForce: ['nothing'] }),
        /as_if_in_force\[0\]: expected/,
      )
    },
  )

  await t.test('one calculation is priced with the draft as in the run', async (t) => {
    const request = { draftDocument: aDocument(), from, examplesMax: 1 }
    const { report } = await run(reader, request)
    const { calculationId, netDraft } = report.examples[0]!
    const { outcome } = await reader.ask(shadowCalculation, { calculationId, draftDocument: request.draftDocument })
    const { calculation } = await reader.ask(getCalculation, { calculationId })
    t.equal(outcome!.basket?.totals?.net ?? calculation!.netBefore, netDraft)
    t.notOk(outcome!.explanation.some(({ benefitId }) => benefitId === 'shadow-only'))
    const unknown = { calculationId: randomUUID(), draftDocument: request.draftDocument }
    t.match(await reader.unary(shadowCalculation, unknown), { reason: 'CALCULATION_NOT_FOUND' })
    const faulty = await reader.unary(shadowCalculation, { calculationId, draftDocument: '{"benefits": 1}' })
    t.match(faulty, { reason: 'PROGRAMME_FAULTY' })
  })
}

/** A benefit on a product that no other benefit touches, for all members. */
function withShadow(document: BasketBody): void {
  document['benefits'].push({
    benefitId: 'shadow-only',
    text: 'Only in the shadow',
    reward: { kind: 'line_percentage', select: { productIds: ['shadow'] }, percentage: 9.9 },
  })
}

/** A stamp or more for each coffee, and a coffee for ten. */
function withValue(give: number, isSpent = true): (document: BasketBody) => void {
  return (document) => {
    const select = { productIds: ['shadow-coffee'] }
    const stamp = { currencyId: 'shadow-stamp' }
    document['currencies'] = [...(document['currencies'] ?? []), { ...stamp, name: 'Stamps' }]
    document['earning'] = [{ ruleId: `shadow-${give}`, ...stamp, give, per: { units: 1 }, select }]
    const costs = { ...stamp, amount: 10, per: 'unit', worth: 5 }
    const reward = { kind: 'line_percentage', select, percentage: 100 }
    if (isSpent) document['benefits'].push({ benefitId: 'shadow-free', text: 'Free', reward, costs })
  }
}

function everyRow({ totals, byBenefit, byVenue, byDay }: ShadowRunReport): readonly MoneyDifference[] {
  return [...totals, ...byBenefit, ...byVenue, ...byDay]
}

function run(client: GrpcClient, request: object): Promise<{ report: ShadowRunReport; progress: bigint[] }> {
  return new Promise((resolve, reject) => {
    const progress: bigint[] = []
    let report: ShadowRunReport | undefined
    client
      .stream(shadowRun, request)
      .on('data', ({ event }: ShadowRunResponse) => {
        if (event.case === 'progress') progress.push(event.value.done)
        if (event.case === 'report') report = event.value
      })
      // This client returns what it need not decode unchanged.
      .on('error', ({ details }: ServiceError) => reject(new Error(decodeURIComponent(details))))
      .on('end', () => resolve({ report: report!, progress }))
  })
}
