import type { Test } from 'tap'
import type { SaleEvent } from '../../engine/index.js'
import type { CalculationRecord } from '../../store/ledger/calculations.js'
import type { Recounted } from '../../store/ledger/sales.js'
import { sql } from '../../store/postgres/connection/sql.js'
import {
  aRecord,
  aSale,
  aWant,
  eventBody,
  pass,
  plenty,
  readDiscrepancies,
  type Subject,
} from '../support/ledger-builders.js'
import { maximumPromises, type Sell } from './ledger-contract-maxima.js'
import { aMemberId, anEarning, holdings, movements, type RuleCount, totals } from './value-builders.js'

/** Which basket earns, by the event's status: of 3 units as sent, and 2 as returned. */
const charged: readonly (readonly [SaleEvent['status'], CalculationRecord['status'], number])[] = [
  ['applied', 'applied', 2],
  ['unchanged', 'applied', 3],
  ['failed', 'applied', 3],
  ['member_not_found', 'applied', 0],
  ['cancelled', 'applied', 0],
]

/** 4-member-value, sections 2, 4 and 9. */
export async function earningPromises(t: Test, subject: Subject): Promise<void> {
  const { ledger, hasty, database } = subject

  /** Stores a calculation and records its sale. */
  async function sell(
    memberId: string,
    earning: string,
    event: Partial<SaleEvent> = {},
    recounted?: Recounted,
  ): Promise<{ readonly record: CalculationRecord; readonly discrepancies: readonly string[] }> {
    const record = aRecord(ledger, { memberId, earning })
    await ledger.calculations.store([record])
    const reply = await ledger.sales.record(aSale(record, event), eventBody, recounted)
    if (reply.kind !== 'recorded') throw new Error(`the sale was answered ${reply.kind}`)
    return { record, discrepancies: reply.discrepancies }
  }

  await t.test('a sale earns once, however often it comes', async (t) => {
    const memberId = aMemberId()
    const { record } = await sell(memberId, anEarning([{ returned: 2 }]))
    const again = await ledger.sales.record(aSale(record), eventBody)
    t.equal(again.kind, 'stored')
    t.same(await movements(database, memberId), [['earned', `calculation:${record.calculationId}`, 2]])
    t.same(await holdings(database, memberId), { stamps: 2 })
    t.match(await ledger.calculations.find(record.calculationId), { earning: record.earning, given: { coffee: 2 } })
  })

  await t.test('the status of the event chooses the basket that earns', async (t) => {
    for (const [status, answered, earned] of charged) {
      const memberId = aMemberId()
      const record = aRecord(ledger, { memberId, status: answered, earning: anEarning([{ sent: 3, returned: 2 }]) })
      await ledger.calculations.store([record])
      const paidTotal = status === 'applied' ? record.netAfter : record.netBefore
      await ledger.sales.record(aSale(record, { status, paidTotal }), eventBody)
      t.equal((await holdings(database, memberId))['stamps'] ?? 0, earned, status)
    }
  })

  await t.test('a calculation without a member earns nothing', async (t) => {
    const record = aRecord(ledger, { memberId: null, earning: anEarning([{}]) })
    await ledger.calculations.store([record])
    t.match(await ledger.sales.record(aSale(record), eventBody), { kind: 'recorded', discrepancies: [] })
    t.match(await ledger.calculations.find(record.calculationId), { given: {} })
  })

  await t.test('what is left of a total counts for the next sale, in any order', async (t) => {
    const spend = (returned: number): RuleCount => ({ ruleId: 'points', per: 'amount', give: 3, every: 50, returned })
    for (const bases of [[30, 20, 49, 51], [51, 49, 20, 30], [150]]) {
      const memberId = aMemberId()
      for (const base of bases) await sell(memberId, anEarning([spend(base)]))
      t.same(await totals(database, memberId), { points: ['1500000', 9] })
    }
  })

  await t.test('multipliers count exactly', async (t) => {
    const memberId = aMemberId()
    const third = (returned: number): RuleCount => ({ per: 'amount', every: 1, factor: 3_333, returned })
    for (let sale = 0; sale < 3; sale++) await sell(memberId, anEarning([third(1)]))
    t.same(await totals(database, memberId), { coffee: ['9999', 0] })
    await sell(memberId, anEarning([{ ...third(1), factor: 1 }]))
    t.same(await totals(database, memberId), { coffee: ['10000', 1] })
    await sell(memberId, anEarning([{ ruleId: 'visit', per: 'visit', give: 3, factor: 15_000 }]))
    t.same((await totals(database, memberId))['visit'], ['15000', 4])
  })

  await t.test('several rules and currencies move value together', async (t) => {
    const memberId = aMemberId()
    const { record } = await sell(
      memberId,
      anEarning([
        { ruleId: 'a', sent: 2 },
        { ruleId: 'b', give: 5, per: 'visit' },
        { ruleId: 'c', currencyId: 'points', give: 10 },
        { ruleId: 'd', currencyId: 'badges', every: 5 },
      ]),
    )
    const cause = `calculation:${record.calculationId}`
    t.same(await movements(database, memberId), [
      ['earned', cause, 10],
      ['earned', cause, 7],
    ])
    t.match(await ledger.calculations.find(record.calculationId), { given: { a: 2, b: 5, c: 10, d: 0 } })
  })

  await quotePromises(t, subject, sell)
  await maximumPromises(t, subject, sell)
  await orderPromises(t, subject, sell)

  await t.test("an earning beyond an account's bound is lost, with a discrepancy", async (t) => {
    const memberId = aMemberId()
    const most = Number.MAX_SAFE_INTEGER
    const rule = { give: most - 1, per: 'visit' } as const
    t.same((await sell(memberId, anEarning([{ ...rule, ruleId: 'first' }]))).discrepancies, [])
    const earning = anEarning([
      { give: 1, per: 'visit' },
      { ...rule, ruleId: 'second' },
    ])
    t.same(await ledger.value.quoteEarning(memberId, earning), { coffee: 1, second: 0 }, 'and so quoted')
    const second = await sell(memberId, earning)
    t.same(second.discrepancies, ['value_full'])
    t.same(await holdings(database, memberId), { stamps: most })
    t.match(await ledger.calculations.find(second.record.calculationId), { given: { coffee: 1, second: 0 } })
  })

  await t.test('sales of one member at once lose nothing', async (t) => {
    const memberId = aMemberId()
    const rules = [
      { every: 3, sent: 2 },
      { ruleId: 'points', currencyId: 'points', per: 'visit' as const },
    ]
    // One card and, in one transaction, several.
    const records = Array.from({ length: 24 }, (_, at) => {
      return aRecord(ledger, { memberId, loyaltyId: `card-${at % 2 && at}`, earning: anEarning(rules) })
    })
    await ledger.calculations.store(records)
    await Promise.all(records.map((record) => ledger.sales.record(aSale(record), eventBody)))
    t.same(await holdings(database, memberId), { stamps: 16, points: 24 })
  })

  await t.test('a late sale earns once, in the place of none', async (t) => {
    const memberId = aMemberId()
    const record = aRecord(hasty, { memberId, earning: anEarning([{}]), holds: [aWant()] })
    await hasty.calculations.confirm(record, plenty)
    await pass(hasty, 1_100)
    const reply = await hasty.sales.record(aSale(record), eventBody)
    t.same(reply.kind === 'recorded' && reply.discrepancies, ['late_event'])
    t.same(await holdings(database, memberId), { stamps: 1 })
  })

  await t.test('a superseded calculation that was sold earns, and so does the one that superseded it', async (t) => {
    const memberId = aMemberId()
    const first = aRecord(ledger, { memberId, earning: anEarning([{}]) })
    const { calculationId } = first
    const next = aRecord(ledger, { memberId, earning: anEarning([{}]), supersedesCalculationId: calculationId })
    await ledger.calculations.store([first])
    await ledger.calculations.store([next])
    await ledger.sales.record(aSale(next), eventBody)
    t.same(await holdings(database, memberId), { stamps: 1 })
    t.match(await ledger.sales.record(aSale(first), eventBody), { discrepancies: ['superseded'] })
    t.same(await holdings(database, memberId), { stamps: 2 })
  })
}

async function quotePromises(t: Test, { ledger, database }: Subject, sell: Sell): Promise<void> {
  await t.test('the earning of a sale is quoted to the unit, and nothing is written', async (t) => {
    const memberId = aMemberId()
    const dueOf = async (rules: readonly RuleCount[]) => {
      const record = aRecord(ledger, { memberId, earning: anEarning(rules) })
      await ledger.calculations.store([record])
      const { due } = (await ledger.calculations.find(record.calculationId))!
      t.same(await ledger.value.quoteEarning(memberId, record.earning!), due)
      return due
    }
    const spend = { ruleId: 'spend', per: 'amount', every: 1 } as const
    // In doubles 100 x 1.15 is 114.99999999999999.
    t.same(await dueOf([{ ...spend, factor: 11_500, sent: 300, returned: 100 }]), { spend: 115 })
    t.same(await ledger.value.findAccounts(memberId), [])
    for (let sale = 0; sale < 2; sale++) await sell(memberId, anEarning([{ ...spend, factor: 3_333 }]))
    t.same(await totals(database, memberId), { spend: ['6666', 0] })
    t.same(await dueOf([{ ...spend, factor: 3_333 }]), { spend: 0 })
    t.same(await dueOf([{ ...spend, factor: 3_334 }]), { spend: 1 }, 'with what is left of earlier sales')
    t.same(await ledger.value.quoteEarning(null, anEarning([{ ...spend, factor: 3_334 }])), { spend: 0 }, 'or nothing')

    const week = { ruleId: 'week', maximum: { amount: 3, period: 'week' } }
    const cool = { ruleId: 'cool', cooldownMinutes: 60 }
    t.same(await dueOf([{ ...week, sent: 9 }, cool]), { week: 3, cool: 1 })
    await sell(memberId, anEarning([{ ...week, sent: 2 }, cool]))
    t.same(await dueOf([{ ...week, sent: 9 }, cool]), { week: 1 }, 'as maxima and cooldowns are now')
    t.same(await totals(database, memberId), { spend: ['6666', 0], week: ['20000', 2], cool: ['10000', 1] })

    const { record } = await sell(memberId, anEarning([cool]))
    t.match(
      await ledger.calculations.find(record.calculationId),
      { given: {}, due: null },
      'what was sold earns no more',
    )
  })
}

async function orderPromises(t: Test, { ledger, database }: Subject, sell: Sell): Promise<void> {
  await t.test('a sale that came before its calculation earns when they are joined, by its own time', async (t) => {
    const memberId = aMemberId()
    const earning = anEarning([{ sent: 3, returned: 2, opensAfterDays: 1 }])
    const record = aRecord(ledger, { memberId, earning })
    t.match(await ledger.sales.record(aSale(record), eventBody), { kind: 'unknown_calculation' })
    await ledger.calculations.store([record])
    t.same(await holdings(database, memberId), { stamps: 2 })
    const [lot] = await database.run<{ same: boolean }>(
      sql`
        select l.opens_at = s.recorded_at + interval '24 hours' as same from lot l
        join account a on a.account_id = l.account_id, sale s
        where a.member_id = ${memberId} and s.calculation_id = ${record.calculationId}::uuid`,
      { effect: 'reads', withinMs: plenty },
    )
    t.equal(lot?.same, true)
  })

  await t.test('of what was paid less than the net, that counts: counted anew, else in proportion', async (t) => {
    const rules = [
      { ruleId: 'points', currencyId: 'points', per: 'amount' as const, sent: 700, returned: 700 },
      { sent: 2 },
    ]
    const memberId = aMemberId()
    const record = aRecord(ledger, { memberId, earning: anEarning(rules) })
    await ledger.calculations.store([record])
    const sale = aSale(record, { paidTotal: 797 })
    t.same(await ledger.sales.record(sale, eventBody), { kind: 'paid_less' })
    t.same(await holdings(database, memberId), {})
    const recounted = { earning: anEarning([{ ...rules[0]!, returned: 698 }, { sent: 2 }]) }
    const reply = await ledger.sales.record(sale, eventBody, recounted)
    t.match(reply, { kind: 'recorded', discrepancies: ['paid_total_mismatch'] })
    t.same(await holdings(database, memberId), { points: 698, stamps: 2 })

    const other = aMemberId()
    await sell(other, anEarning(rules), { paidTotal: 797 }, 'unknown')
    t.same(await holdings(database, other), { points: 697, stamps: 2 })

    const joined = aMemberId()
    const early = aRecord(ledger, { memberId: joined, earning: anEarning(rules) })
    await ledger.sales.record(aSale(early, { paidTotal: 797 }), eventBody)
    await ledger.calculations.store([early])
    t.same(await holdings(database, joined), { points: 697, stamps: 2 })
  })

  await t.test(
    'a sale that failed for an unknown calculation earns what could be counted, and nothing more',
    async (t) => {
      const memberId = aMemberId()
      const record = aRecord(ledger, { memberId, earning: anEarning([{ sent: 9 }]) })
      const sale = aSale(record, { status: 'failed', paidTotal: 1_000 })
      const counted = { memberId, earning: anEarning([{ per: 'visit' }]), isPartial: true }
      t.same(await ledger.sales.record(sale, eventBody, counted), {
        kind: 'unknown_calculation',
        discrepancies: ['unknown_calculation', 'earning_unknown'],
        freed: [],
      })
      t.same(await holdings(database, memberId), { stamps: 1 })
      await ledger.calculations.store([record])
      t.same(await holdings(database, memberId), { stamps: 1 })
      t.same(await readDiscrepancies(database, record.calculationId), ['earning_unknown'])
      const nobody = aSale(aRecord(ledger), { status: 'failed' })
      t.match(await ledger.sales.record(nobody, eventBody, 'unknown'), { discrepancies: ['unknown_calculation'] })
    },
  )

  await t.test('counts for an unknown calculation are not earned once it has come', async (t) => {
    const memberId = aMemberId()
    const record = aRecord(ledger, { memberId, earning: anEarning([{ sent: 3 }]) })
    const sale = aSale(record, { status: 'failed', paidTotal: 999 })
    const counted = { memberId, earning: anEarning([{ ruleId: 'spend', per: 'amount', sent: 999 }]), isPartial: false }
    await ledger.calculations.store([record])
    t.same(await ledger.sales.record(sale, eventBody, counted), { kind: 'paid_less' })
    t.same(await holdings(database, memberId), {})
    t.match(await ledger.sales.record(sale, eventBody, { earning: anEarning([{ sent: 3 }]) }), { kind: 'recorded' })
    t.same(await holdings(database, memberId), { stamps: 3 })

    const whole = aRecord(ledger, { memberId, earning: anEarning([{ sent: 4 }]) })
    await ledger.calculations.store([whole])
    const event = aSale(whole, { status: 'failed', paidTotal: whole.netBefore })
    t.match(await ledger.sales.record(event, eventBody, counted), { kind: 'recorded' })
    t.same(await holdings(database, memberId), { stamps: 7 })
  })

  await t.test('of what was paid more, or was not sold, the net counts', async (t) => {
    const memberId = aMemberId()
    const points = { per: 'amount' as const, sent: 1_000, returned: 800 }
    t.same((await sell(memberId, anEarning([points]), { paidTotal: 801 })).discrepancies, ['paid_total_mismatch'])
    t.same(await holdings(database, memberId), { stamps: 800 })
    const cancelled = aRecord(ledger, { memberId, earning: anEarning([points]) })
    await ledger.calculations.store([cancelled])
    t.match(await ledger.sales.record(aSale(cancelled, { status: 'cancelled', paidTotal: 0 }), eventBody), {
      kind: 'recorded',
    })
    t.same(await holdings(database, memberId), { stamps: 800 })
  })

  await t.test('lots expire by the calendar of the venue', async (t) => {
    for (const [at, zone, unit, after, atEndOf, expected] of expiries) {
      const expires = JSON.stringify({ unit, after, atEndOf })
      const [row] = await database.run<{ ms: number }>(
        sql`select milliseconds(lot_expiry(${at}::text::timestamptz, ${zone}, ${expires}::text::json)) as ms`,
        { effect: 'reads', withinMs: plenty },
      )
      t.equal(new Date(row!.ms).toISOString(), new Date(expected).toISOString(), `${at} ${zone} ${expires}`)
    }
    const [never] = await database.run<{ never: boolean }>(
      sql`select lot_expiry(now(), 'Europe/Oslo', null) = 'infinity' as never`,
      { effect: 'reads', withinMs: plenty },
    )
    t.equal(never?.never, true)
  })
}

type ExpiryCase = readonly [
  at: string,
  zone: string,
  unit: string,
  after: number,
  atEndOf: string | null,
  expected: string,
]

const expiries: readonly ExpiryCase[] = [
  ['2026-01-31T12:00:00+01:00', 'Europe/Oslo', 'months', 1, null, '2026-02-28T12:00:00+01:00'],
  ['2026-01-31T12:00:00+01:00', 'Europe/Oslo', 'months', 1, 'month', '2026-03-01T00:00:00+01:00'],
  ['2026-03-28T12:00:00+01:00', 'Europe/Oslo', 'days', 1, null, '2026-03-29T12:00:00+02:00'],
  // Friday; a week ends with Sunday.
  ['2026-11-20T12:00:00+01:00', 'Europe/Oslo', 'days', 1, 'week', '2026-11-23T00:00:00+01:00'],
  ['2026-11-21T12:00:00+01:00', 'Europe/Oslo', 'days', 1, 'week', '2026-11-23T00:00:00+01:00'],
  ['2026-11-22T12:00:00+01:00', 'Europe/Oslo', 'days', 1, 'week', '2026-11-30T00:00:00+01:00'],
  ['2026-11-21T23:30:00Z', 'Europe/Oslo', 'days', 1, 'day', '2026-11-24T00:00:00+01:00'],
  ['2026-11-21T23:30:00Z', 'America/New_York', 'days', 1, 'day', '2026-11-23T00:00:00-05:00'],
  ['2026-11-21T12:00:00Z', 'Europe/Oslo', 'months', 12, 'year', '2028-01-01T00:00:00+01:00'],
  // Clocks are put forward at midnight, so the day begins at 01:00.
  ['2026-09-04T12:00:00-04:00', 'America/Santiago', 'days', 1, 'day', '2026-09-06T01:00:00-03:00'],
  // Clocks are put back from 01:00 to 00:00, so midnight comes twice.
  ['2026-10-30T12:00:00-04:00', 'America/Havana', 'days', 1, 'day', '2026-11-01T00:00:00-04:00'],
  ['2026-11-21T23:30:00Z', 'Nowhere/Unknown', 'days', 1, 'day', '2026-11-23T00:00:00Z'],
]
