import { randomUUID } from 'node:crypto'
import type { Test } from 'tap'
import { type Sql, sql } from '../../store/postgres/connection/sql.js'
import { aRecord, aSale, aWant, digestOf, eventBody, plenty, type Subject } from '../support/ledger-builders.js'

/** How calculations are stored, found again and withdrawn. */
export async function answerPromises(t: Test, subject: Subject): Promise<void> {
  const { ledger, hasty, database } = subject

  await t.test('a new GUID is unknown', async (t) => {
    t.same(await ledger.calculations.findAnswer(randomUUID()), { kind: 'unknown' })
  })

  await t.test('a confirmed answer comes back byte for byte', async (t) => {
    const record = aRecord(ledger, { packed: Buffer.from(Array.from({ length: 5_000 }, (_, at) => at % 256)) })
    t.same(await ledger.calculations.confirm(record, plenty), { kind: 'confirmed' })
    const found = await ledger.calculations.findAnswer(record.calculationId)
    t.equal(found.kind, 'stored')
    if (found.kind !== 'stored') return
    t.ok(Buffer.from(found.answer.packed).equals(record.packed))
    t.ok(Buffer.from(found.answer.digest).equals(record.digest))
  })

  await t.test('a calculation that is not proven shows how much a better outcome could gain', async (t) => {
    const record = aRecord(ledger, { optimal: false, gap: 7 })
    await ledger.calculations.confirm(record, plenty)
    t.match(await ledger.calculations.find(record.calculationId), { summary: { optimal: false, gap: 7 } })
  })

  await t.test('a second confirmation under one key changes nothing and gets the first answer', async (t) => {
    const record = aRecord(ledger, { holds: [aWant()] })
    await ledger.calculations.confirm(record, plenty)
    const again = await ledger.calculations.confirm(
      { ...record, packed: Buffer.from('other'), digest: digestOf('other') },
      plenty,
    )
    t.equal(again.kind, 'known')
    if (again.kind !== 'known' || again.lookup.kind !== 'stored') throw new Error('no stored answer')
    t.ok(Buffer.from(again.lookup.answer.packed).equals(record.packed))
    t.match(await ledger.counters.lookUp(record.holds), [{ open: 1 }])
  })

  await t.test('an answer whose time is over is outlived, for a look-up and for a confirmation', async (t) => {
    const record = aRecord(hasty, { answeredAt: hasty.clock() - 1_500 })
    await hasty.calculations.store([record])
    t.same(await hasty.calculations.findAnswer(record.calculationId), { kind: 'outlived' })
    t.same(await hasty.calculations.confirm(record, plenty), { kind: 'known', lookup: { kind: 'outlived' } })
  })

  await t.test('an answer whose body has been dropped is outlived', async (t) => {
    const record = aRecord(ledger, { requestedAt: 'body dropped' })
    await ledger.calculations.store([record])
    await database.run(sql`delete from calculation_body where calculation_id = ${record.calculationId}::uuid`, {
      effect: 'writes',
      withinMs: plenty,
    })
    t.same(await ledger.calculations.findAnswer(record.calculationId), { kind: 'outlived' })
  })

  await t.test('a confirmation whose time is over writes nothing', async (t) => {
    const record = aRecord(ledger, { holds: [aWant()] })
    t.same(await ledger.calculations.confirm(record, 0), { kind: 'too_late' })
    t.same(await ledger.calculations.confirm(record, -1_000), { kind: 'too_late' })
    t.same(await ledger.calculations.findAnswer(record.calculationId), { kind: 'unknown' })
    t.match(await ledger.counters.lookUp(record.holds), [{ used: 0, open: 0 }])
  })

  await storagePromises(t, subject)
}

async function storagePromises(t: Test, subject: Subject): Promise<void> {
  const { ledger, database } = subject

  await t.test('an id that text cannot hold is stored as null, and the answer all the same', async (t) => {
    for (const loyaltyId of ['nul \0 inside', 'lone \ud800 surrogate', '\udc00']) {
      const confirmed = aRecord(ledger, { loyaltyId, status: 'member_not_found' })
      const kept = aRecord(ledger, { loyaltyId, status: 'member_not_found' })
      t.same(await ledger.calculations.confirm(confirmed, plenty), { kind: 'confirmed' })
      await ledger.calculations.store([kept])
      for (const { calculationId } of [confirmed, kept]) {
        t.match(await ledger.calculations.findAnswer(calculationId), { kind: 'stored' })
        t.equal(await columnOf(database, calculationId, 'loyaltyId'), null)
      }
    }
  })

  await t.test('no text of a journalled calculation can stop the journal', async (t) => {
    const hostile = '\0 and \udc00'
    const texts = { venueId: hostile, baxId: hostile, cashRegisterId: hostile, channel: hostile, currency: hostile }
    const more = { requestedAt: hostile, reason: hostile, memberId: hostile, inputs: hostile }
    const record = aRecord(ledger, { ...texts, ...more })
    await ledger.calculations.store([record])
    t.match(await ledger.calculations.findAnswer(record.calculationId), { kind: 'stored' })
  })

  await t.test('storable text is stored unchanged', async (t) => {
    const loyaltyId = '\u{1f600}\'; drop table sale; -- \\ " \n'
    const record = aRecord(ledger, { loyaltyId, netBefore: Number.MAX_SAFE_INTEGER })
    await ledger.calculations.store([record])
    t.equal(await columnOf(database, record.calculationId, 'loyaltyId'), loyaltyId)
    t.equal(await columnOf(database, record.calculationId, 'netBefore'), Number.MAX_SAFE_INTEGER)
  })

  await withdrawalPromises(t, subject)
}

async function withdrawalPromises(t: Test, { ledger }: Subject): Promise<void> {
  await t.test('a withdrawn calculation is gone with its holds, and its key is free', async (t) => {
    const record = aRecord(ledger, { holds: [aWant({ maximum: 1 })] })
    await ledger.calculations.confirm(record, plenty)
    t.equal(await ledger.calculations.withdraw(record.calculationId), 'withdrawn')
    t.same(await ledger.calculations.findAnswer(record.calculationId), { kind: 'unknown' })
    t.match(await ledger.counters.lookUp(record.holds), [{ open: 0 }])
    t.same(await ledger.calculations.confirm(record, plenty), { kind: 'confirmed' })
  })

  await t.test('a calculation that was replayed, settled or superseded is not withdrawn', async (t) => {
    const found = aRecord(ledger, { holds: [aWant()] })
    const known = aRecord(ledger)
    const sold = aRecord(ledger)
    const superseded = aRecord(ledger)
    for (const record of [found, known, sold, superseded]) await ledger.calculations.confirm(record, plenty)
    await ledger.calculations.findAnswer(found.calculationId)
    await ledger.calculations.confirm(known, plenty)
    await ledger.sales.record(aSale(sold), eventBody)
    await ledger.calculations.confirm(aRecord(ledger, { supersedesCalculationId: superseded.calculationId }), plenty)
    for (const { calculationId } of [found, known, sold, superseded]) {
      t.equal(await ledger.calculations.withdraw(calculationId), 'replayed')
      t.match(await ledger.calculations.findAnswer(calculationId), { kind: 'stored' })
    }
    t.match(await ledger.counters.lookUp(found.holds), [{ open: 1 }])
  })

  await t.test('withdrawing what is not there changes nothing', async (t) => {
    t.equal(await ledger.calculations.withdraw(randomUUID()), 'unknown')
  })

  await t.test('journalled calculations are stored once, however often they come', async (t) => {
    const records = Array.from({ length: 230 }, () => aRecord(ledger))
    await ledger.calculations.store(records)
    await ledger.calculations.store(records.map((record) => ({ ...record, packed: Buffer.from('other') })))
    const lookups = await Promise.all(records.map(({ calculationId }) => ledger.calculations.findAnswer(calculationId)))
    t.ok(
      lookups.every((found) => found.kind === 'stored' && Buffer.from(found.answer.packed).equals(records[0]!.packed)),
    )
    await ledger.calculations.store([])
    await ledger.calculations.store([records[0]!, records[0]!])
  })
}

/** Reads one column that no method of the ledger returns. */
async function columnOf(database: Sql, calculationId: string, name: 'loyaltyId' | 'netBefore'): Promise<unknown> {
  const [row] = await database.run<Record<string, unknown>>(
    sql`
      select loyalty_id as "loyaltyId", net_before as "netBefore"
      from calculation where calculation_id = ${calculationId}::uuid`,
    { effect: 'reads', withinMs: plenty },
  )
  return row![name]
}
