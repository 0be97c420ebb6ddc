import type { Test } from 'tap'
import type { SaleEvent } from '../../engine/index.js'
import type { CalculationRecord } from '../../store/ledger/calculations.js'
import { sql } from '../../store/postgres/connection/sql.js'
import {
  aCancellation,
  aRecord,
  aSale,
  aWant,
  digestOf,
  eventBody,
  plenty,
  readDiscrepancies,
  readState,
  type Subject,
} from '../support/ledger-builders.js'

/** Sales that disagree with their calculation; it is `applied`, 1000 before and 800 after, 200 of it ours. */
const disagreements: readonly {
  readonly title: string
  readonly record?: Partial<CalculationRecord>
  readonly event: Partial<SaleEvent>
  readonly found: readonly string[]
}[] = [
  { title: 'nothing', event: {}, found: [] },
  {
    title: 'another status',
    event: { status: 'unchanged', paidTotal: 1_000, loyaltyDiscountTotal: 0 },
    found: ['status_mismatch'],
  },
  {
    title: 'failed',
    event: { status: 'failed', failureReason: 'timeout', paidTotal: 1_000, loyaltyDiscountTotal: 0 },
    found: [],
  },
  {
    title: 'failed, with the reduced price paid',
    event: { status: 'failed', paidTotal: 800 },
    found: ['paid_total_mismatch'],
  },
  { title: 'another currency', event: { currency: 'SEK' }, found: ['currency_mismatch'] },
  { title: 'another venue', event: { venueId: 'venue-9' }, found: ['venue_mismatch'] },
  { title: 'a venue that text cannot hold', event: { venueId: '\0' }, found: ['venue_mismatch'] },
  { title: 'another member', event: { loyaltyId: 'card-9' }, found: ['loyalty_id_mismatch'] },
  { title: 'a loyalty id that text cannot hold', event: { loyaltyId: '\ud800' }, found: ['loyalty_id_mismatch'] },
  {
    title: 'a member where there was none',
    record: { loyaltyId: null },
    event: { loyaltyId: 'card-9' },
    found: ['loyalty_id_mismatch'],
  },
  { title: 'one unit paid too much', event: { paidTotal: 801 }, found: ['paid_total_mismatch'] },
  { title: 'the price before loyalty paid', event: { paidTotal: 1_000 }, found: ['paid_total_mismatch'] },
  { title: 'another discount', event: { loyaltyDiscountTotal: 199 }, found: ['discount_total_mismatch'] },
  {
    title: 'no member, no totals named',
    event: { loyaltyId: null, paidTotal: null, loyaltyDiscountTotal: null },
    found: [],
  },
  {
    title: 'applied where nothing was',
    record: { status: 'unchanged', reason: 'no_benefits', netAfter: 1_000, loyaltyDiscountTotal: 0 },
    event: { status: 'applied', paidTotal: 900, loyaltyDiscountTotal: 100 },
    found: ['status_mismatch', 'paid_total_mismatch', 'discount_total_mismatch'],
  },
  {
    title: 'everything',
    event: {
      status: 'member_not_found',
      currency: 'SEK',
      venueId: 'v',
      loyaltyId: 'c',
      paidTotal: 1,
      loyaltyDiscountTotal: 0,
    },
    found: ['status_mismatch', 'currency_mismatch', 'venue_mismatch', 'loyalty_id_mismatch', 'paid_total_mismatch'],
  },
]

/** How sales are recorded and settle their calculations (contract 3.1, 4.1; wire decisions 5). */
export async function salePromises(t: Test, subject: Subject): Promise<void> {
  const { ledger, database } = subject

  await t.test('a sale has exactly the discrepancies with its calculation', async (t) => {
    for (const { title, record: overrides, event, found } of disagreements) {
      const record = aRecord(ledger, overrides)
      await ledger.calculations.store([record])
      const reply = await ledger.sales.record(aSale(record, event), eventBody)
      t.same(reply, { kind: 'recorded', discrepancies: found, freed: [] }, title)
      t.same(await readDiscrepancies(database, record.calculationId), found, `${title}, stored`)
    }
  })

  await t.test('a late join has the same discrepancies', async (t) => {
    for (const { title, record: overrides, event, found } of disagreements) {
      const record = aRecord(ledger, overrides)
      const reply = await ledger.sales.record(aSale(record, event), eventBody)
      t.same(reply, { kind: 'unknown_calculation', discrepancies: ['unknown_calculation'], freed: [] })
      await ledger.calculations.store([record])
      t.same(await readDiscrepancies(database, record.calculationId), found, title)
    }
  })

  await t.test('an applied sale uses the held units', async (t) => {
    const record = aRecord(ledger, { holds: [aWant({ units: 2 }), aWant()] })
    await ledger.calculations.confirm(record, plenty)
    t.match(await ledger.sales.record(aSale(record), eventBody), { kind: 'recorded', discrepancies: [], freed: [] })
    t.match(await ledger.counters.lookUp(record.holds), [
      { used: 2, open: 0 },
      { used: 1, open: 0 },
    ])
    t.equal(await readState(database, record.calculationId), 'finalised')
  })

  await t.test('any other sale releases the held units', async (t) => {
    const cases = [
      ['unchanged', 'finalised'],
      ['member_not_found', 'finalised'],
      ['failed', 'finalised'],
      ['cancelled', 'abandoned'],
    ] as const
    for (const [status, state] of cases) {
      const record = aRecord(ledger, { holds: [aWant({ subject: 'm' })] })
      await ledger.calculations.confirm(record, plenty)
      const event = status === 'cancelled' ? aCancellation(record) : aSale(record, { status })
      const reply = await ledger.sales.record(event, eventBody)
      if (reply.kind !== 'recorded') throw new Error(reply.kind)
      const [{ limitId, subject, period }] = record.holds as [(typeof record.holds)[0]]
      t.same(reply.freed, [{ limitId, subject, period }])
      t.match(await ledger.counters.lookUp(record.holds), [{ used: 0, open: 0 }])
      t.equal(await readState(database, record.calculationId), state)
    }
  })

  await t.test('a repeated sale gets the stored result, whatever its content, and changes nothing', async (t) => {
    const record = aRecord(ledger, { holds: [aWant()] })
    await ledger.calculations.confirm(record, plenty)
    await ledger.sales.record(aSale(record), eventBody)
    const again = await ledger.sales.record(
      { ...aCancellation(record), digest: digestOf('other') },
      Buffer.from('other'),
    )
    if (again.kind !== 'stored') throw new Error(again.kind)
    t.ok(Buffer.from(again.body).equals(eventBody))
    t.ok(Buffer.from(again.digest).equals(digestOf('event')))
    t.equal(again.result, 'recorded')
    t.equal(await readState(database, record.calculationId), 'finalised')
    t.match(await ledger.counters.lookUp(record.holds), [{ used: 1, open: 0 }])
  })

  await usePromises(t, subject)
  await joinPromises(t, subject)
}

/** Further kinds of use than an applied sale. */
async function usePromises(t: Test, { ledger }: Subject): Promise<void> {
  await t.test('an unchanged sale of a basket with its discounts uses the held units', async (t) => {
    const record = aRecord(ledger, { status: 'unchanged', reason: 'existing_discount_kept', holds: [aWant()] })
    await ledger.calculations.confirm(record, plenty)
    await ledger.sales.record(aSale(record), eventBody)
    t.match(await ledger.counters.lookUp(record.holds), [{ used: 1, open: 0 }])
  })
}

async function joinPromises(t: Test, { ledger, database }: Subject): Promise<void> {
  await t.test('a sale of an unknown calculation is stored, and its result never changes', async (t) => {
    const record = aRecord(ledger)
    t.match(await ledger.sales.record(aSale(record), eventBody), { kind: 'unknown_calculation' })
    t.equal(await readState(database, record.calculationId), null)
    t.match(await ledger.sales.record(aSale(record), eventBody), { kind: 'stored', result: 'unknown_calculation' })
    await ledger.calculations.store([record])
    t.match(await ledger.sales.record(aSale(record), eventBody), { kind: 'stored', result: 'unknown_calculation' })
  })

  await t.test('a calculation stored after its sale is settled by it', async (t) => {
    const record = aRecord(ledger, { holds: [aWant({ units: 2 })] })
    const cancelled = aRecord(ledger, { holds: [aWant()] })
    await ledger.sales.record(aSale(record), eventBody)
    await ledger.sales.record(aCancellation(cancelled), eventBody)
    t.same(await ledger.calculations.confirm(record, plenty), { kind: 'confirmed' })
    t.same(await ledger.calculations.confirm(cancelled, plenty), { kind: 'confirmed' })
    t.match(await ledger.counters.lookUp([...record.holds, ...cancelled.holds]), [
      { used: 2, open: 0 },
      { used: 0, open: 0 },
    ])
    t.equal(await readState(database, record.calculationId), 'finalised')
    t.equal(await readState(database, cancelled.calculationId), 'abandoned')
    t.same(await readDiscrepancies(database, record.calculationId), [])
  })

  await t.test('an applied sale of a superseded calculation counts its use and leaves it superseded', async (t) => {
    const holds = [aWant({ maximum: 1 })]
    const old = aRecord(ledger, { holds })
    await ledger.calculations.confirm(old, plenty)
    await ledger.calculations.confirm(aRecord(ledger, { supersedesCalculationId: old.calculationId, holds }), plenty)
    t.same(await ledger.sales.record(aSale(old), eventBody), {
      kind: 'recorded',
      discrepancies: ['superseded', 'limit_exceeded'],
      freed: [],
    })
    t.equal(await readState(database, old.calculationId), 'superseded')
    t.match(await ledger.counters.lookUp(holds), [{ used: 1, open: 1 }])
  })

  await t.test('a cancelled sale of a superseded calculation uses nothing', async (t) => {
    const old = aRecord(ledger, { holds: [aWant()] })
    await ledger.calculations.confirm(old, plenty)
    await ledger.calculations.store([aRecord(ledger, { supersedesCalculationId: old.calculationId })])
    t.match(await ledger.sales.record(aCancellation(old), eventBody), { discrepancies: ['superseded'] })
    t.match(await ledger.counters.lookUp(old.holds), [{ used: 0, open: 0 }])
  })

  await t.test('a sold calculation cannot be superseded', async (t) => {
    const old = aRecord(ledger, { holds: [aWant()] })
    await ledger.calculations.confirm(old, plenty)
    await ledger.sales.record(aSale(old), eventBody)
    await ledger.calculations.confirm(aRecord(ledger, { supersedesCalculationId: old.calculationId }), plenty)
    t.equal(await readState(database, old.calculationId), 'finalised')
    t.match(await ledger.counters.lookUp(old.holds), [{ used: 1, open: 0 }])
  })

  await t.test('an event that text cannot hold is stored whole', async (t) => {
    const record = aRecord(ledger)
    const event = aSale(record, { transactionId: '\0', cashRegisterId: '\udfff', baxId: '\0', loyaltyId: 'a\0' })
    t.match(await ledger.sales.record(event, eventBody), { kind: 'unknown_calculation' })
    const [row] = await database.run<{ body: Uint8Array }>(
      sql`select body from sale where calculation_id = ${record.calculationId}::uuid`,
      { effect: 'reads', withinMs: plenty },
    )
    t.ok(eventBody.equals(row!.body))
  })
}
