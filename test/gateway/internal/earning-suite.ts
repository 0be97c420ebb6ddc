import type { Test } from 'tap'
import { CalculationService, RulePer } from '../../../gateway/gen/loyalty/v1/calculation_service_pb.js'
import { Discrepancy } from '../../../gateway/gen/loyalty/v1/enums_pb.js'
import { ProgrammeService } from '../../../gateway/gen/loyalty/v1/programme_service_pb.js'
import { SaleService } from '../../../gateway/gen/loyalty/v1/sale_service_pb.js'
import { aBasket, aSale, type BasketBody } from '../../e2e/basket.js'
import { aDocument, aTypedBasket, publish, untilInForce } from './calculation-suite.js'
import type { Served } from './served.js'

const { getCalculation, simulateBasket } = CalculationService.method
const { getSale } = SaleService.method
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

  t.test('what a basket would earn is what the ledger gives: 1.15 times 100 is 115', async (t) => {
    const [reader, admin] = [served().reader(t), served().admin(t)]
    const exact = (ruleId: string, factor: string, more: object = {}) => {
      const multipliers = [{ audience: { tiers: ['gold'] }, factor }]
      return { ruleId, currencyId: 'suite-point', give: 1, per: { amount: 1 }, multipliers, ...more }
    }
    const rules = [
      exact('suite-exact', '1.15'),
      exact('suite-third', '0.3333'),
      exact('suite-cool', '1', { cooldownMinutes: 5 }),
    ]
    await untilInForce(reader, await publish(admin, withEarning(rules)))
    const dueOf = async (more: object = {}) => {
      const { earning } = await reader.ask(simulateBasket, { basket: aTypedBasket(111n), ...more } as object)
      return earning.map(({ returned, wouldEarn }) => [returned, wouldEarn])
    }
    t.same(await dueOf(), [
      [100n, 115n],
      [100n, 33n],
      [100n, 100n],
    ])
    const basket = aBasket('anna')
      .with({ requestedAt: '2026-11-20T10:00:00Z' })
      .line({ productId: 'coffee', unitPrice: 112 })
    await send('/v1/pos/basket', basket.body())
    const { calculationId } = basket.body()
    const given = [
      ['suite-exact', 112n, 101n, 116n, 116n],
      ['suite-third', 112n, 101n, 33n, 33n],
      ['suite-cool', 112n, 101n, 101n, 101n],
    ]
    const quoted = await earned(t, calculationId)
    t.same(
      quoted.map((row) => row.at(-1)),
      given.map((row) => row.at(-1)),
    )
    await send('/v1/pos/sale', aSale(basket.body(), { paidTotal: 101 }))
    t.same(await earned(t, calculationId), given)
    // 116.15 and 115 are 231.15; 33.6633 and 33.33 are 66.9933; within the cooldown nothing counts.
    t.same(await dueOf(), [
      [100n, 115n],
      [100n, 33n],
      [100n, 0n],
    ])
    t.same(await dueOf({ member: { memberId: 'member-1', tier: 'gold' } }), [
      [100n, 115n],
      [100n, 33n],
      [100n, 100n],
    ])
    const { outcome } = await reader.ask(shadowCalculation, {
      calculationId: String(calculationId),
      draftDocument: withEarning(rules),
    })
    t.same(
      outcome?.earning.map(({ wouldEarn }) => wouldEarn),
      [undefined, undefined, undefined],
      'it was counted already',
    )
    await untilInForce(reader, await publish(admin, withEarning([stamps, points])))
  })

  t.test(
    'a sale that failed for an unknown calculation earns what needs no basket; support sees the rest',
    async (t) => {
      const unknown = aBasket('ben').line({ productId: 'coffee', unitPrice: 450 }).body()
      await send('/v1/pos/sale', aSale(unknown, { status: 'failed', failureReason: 'timeout', paidTotal: 450 }))
      const { sale } = await served()
        .reader(t)
        .ask(getSale, { calculationId: String(unknown['calculationId']) })
      t.same(sale?.discrepancies, [Discrepancy.UNKNOWN_CALCULATION, Discrepancy.EARNING_UNKNOWN])
      // Counted already, so that the calculation earns nothing more by the total: 450 and 50 are 500.
      const next = aBasket('ben').line({ productId: 'coffee', unitPrice: 50 }).body()
      await send('/v1/pos/basket', next)
      await send('/v1/pos/sale', aSale(next, { status: 'failed', failureReason: 'timeout', paidTotal: 50 }))
      t.same(await earned(t, next['calculationId']), [
        ['suite-stamps', 1n, 1n, 0n, 0n],
        ['suite-points', 50n, 45n, 5n, 5n],
      ])
    },
  )

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
