import type { Test } from 'tap'
import { CalculationService, RulePer } from '../../../gateway/gen/loyalty/v1/calculation_service_pb.js'
import { ProgrammeService } from '../../../gateway/gen/loyalty/v1/programme_service_pb.js'
import { aBasket, aSale, type BasketBody } from '../../e2e/basket.js'
import { aDocument, aTypedBasket, publish, untilInForce } from './calculation-suite.js'
import type { Served } from './served.js'

const { getCalculation, simulateBasket } = CalculationService.method
const { shadowCalculation, validateProgramme } = ProgrammeService.method

const stamps = { ruleId: 'suite-stamps', currencyId: 'suite-stamp', give: 1, per: { units: 2 } }
const points = {
  ruleId: 'suite-points',
  currencyId: 'suite-point',
  give: 1,
  per: { amount: 10 },
  multipliers: [{ audience: { tiers: ['gold'] }, factor: '1.5' }],
}

function withEarning(rules: readonly object[]): string {
  return aDocument((document) => {
    document['currencies'] = [
      { currencyId: 'suite-stamp', name: 'Stamps' },
      { currencyId: 'suite-point', name: 'Points', opensAfterDays: 1, expires: { afterMonths: 1 } },
    ]
    document['exchanges'] = []
    document['earning'] = rules
  })
}

/** Earnings of sales, from the programme to GetCalculation. */
export function earningSuite(t: Test, served: () => Served): void {
  const send = async (path: string, body: BasketBody) => {
    const answer = await served().send(path, JSON.stringify(body))
    t.equal(answer.status, 200, answer.text)
  }
  const earned = async (t: Test, calculationId: unknown) => {
    const { earning } = await served()
      .reader(t)
      .ask(getCalculation, { calculationId: String(calculationId) })
    return earning.map(({ ruleId, sent, returned, given, wouldEarn }) => [ruleId, sent, returned, given, wouldEarn])
  }

  t.test('a basket shows what it would earn, and after its sale what it earned', async (t) => {
    const reader = served().reader(t)
    await untilInForce(reader, await publish(served().admin(t), withEarning([stamps, points])))
    const simulated = await reader.ask(simulateBasket, { basket: aTypedBasket(450n, 3n) })
    t.match(simulated.earning, [
      { ruleId: 'suite-stamps', per: RulePer.UNITS, factor: '1', sent: 3n, returned: 3n, wouldEarn: 1n },
      { ruleId: 'suite-points', per: RulePer.AMOUNT, factor: '1.5', sent: 1350n, returned: 1215n, wouldEarn: 182n },
    ])

    const basket = aBasket('anna').line({ productId: 'coffee', quantity: 3, unitPrice: 450 }).body()
    await send('/v1/pos/basket', basket)
    const { calculationId } = basket
    t.same(await earned(t, calculationId), [
      ['suite-stamps', 3n, 3n, undefined, 1n],
      ['suite-points', 1350n, 1215n, undefined, 182n],
    ])
    const sale = aSale(basket, { paidTotal: 1215 })
    for (let sent = 0; sent < 2; sent++) await send('/v1/pos/sale', sale)
    t.same(await earned(t, calculationId), [
      ['suite-stamps', 3n, 3n, 1n, 1n],
      ['suite-points', 1350n, 1215n, 182n, 182n],
    ])
    const again = { calculationId: String(calculationId), draftDocument: withEarning([stamps, points]) }
    const { outcome } = await reader.ask(shadowCalculation, again)
    t.match(outcome?.earning, [{ wouldEarn: undefined }, { wouldEarn: undefined }], 'it was counted already')

    const next = aBasket('anna').line({ productId: 'coffee', unitPrice: 450 }).body()
    await send('/v1/pos/basket', next)
    // 1822.5 and 607.5 are 2430.
    t.same(await earned(t, next['calculationId']), [
      ['suite-stamps', 1n, 1n, undefined, 1n],
      ['suite-points', 450n, 405n, undefined, 61n],
    ])
    // 400 of 405 were paid: 1822.5 and 600 are 2422.5.
    await send('/v1/pos/sale', aSale(next, { paidTotal: 400 }))
    t.same(await earned(t, next['calculationId']), [
      ['suite-stamps', 1n, 1n, 1n, 1n],
      ['suite-points', 450n, 405n, 60n, 60n],
    ])
  })

  t.test('what a rule gives for what is fixed once it is published', async (t) => {
    const admin = served().admin(t)
    const changed = [
      { ...points, give: 2 },
      { ...stamps, currencyId: 'suite-point', per: { units: 3 } },
    ]
    const { faults } = await admin.ask(validateProgramme, { document: withEarning(changed) })
    t.same(
      faults.map(({ path, expected, received }) => [path, expected, received]),
      [
        ['earning[0].give', '1, as published before', '2'],
        ['earning[1].currencyId', 'suite-stamp, as published before', 'suite-point'],
        ['earning[1].per', 'units 2, as published before', 'units 3'],
      ],
    )
    await t.rejects(publish(admin, withEarning(changed)))
    t.same(
      (await admin.ask(validateProgramme, { document: withEarning([{ ...stamps, cooldownMinutes: 5 }]) })).faults,
      [],
    )
  })

  t.test('after that the programme of the other suites is in force again', async (t) => {
    await untilInForce(served().reader(t), await publish(served().admin(t), aDocument()))
  })
}
