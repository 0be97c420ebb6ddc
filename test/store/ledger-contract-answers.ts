import { randomUUID } from 'node:crypto'
import type { Test } from 'tap'
import { type Sql, sql } from '../../store/postgres/connection/sql.js'
import { aRecord, aSale, aWant, digestOf, eventBody, plenty } from './ledger-builders.js'
import type { Subject } from './ledger-contract.js'

/** Storing, finding and withdrawing calculations. */
export async function answerPromises(t: Test, subject: Subject): Promise<void> {
  const { ledger, hasty, database } = subject

  await t.test('an unseen GUID is unknown', async (t) => {
    t.same(await ledger.findAnswer(randomUUID()), { kind: 'unknown' })
  })

  await t.test('a confirmed answer comes back byte for byte', async (t) => {
    const record = aRecord(ledger, { packed: Buffer.from(Array.from({ length: 5_000 }, (_, at) => at % 256)) })
    t.same(await ledger.confirm(record, plenty), { kind: 'confirmed' })
    const found = await ledger.findAnswer(record.calculationId)
    t.equal(found.kind, 'stored')
    if (found.kind !== 'stored') return
    t.ok(Buffer.from(found.answer.packed).equals(record.packed))
    t.ok(Buffer.from(found.answer.digest).equals(record.digest))
  })

  await t.test('a second confirmation under one key changes nothing and returns the first answer', async (t) => {
    const record = aRecord(ledger, { holds: [aWant()] })
    await ledger.confirm(record, plenty)
    const again = await ledger.confirm({ ...record, packed: Buffer.from('other'), digest: digestOf('other') }, plenty)
    t.equal(again.kind, 'known')
    if (again.kind !== 'known' || again.lookup.kind !== 'stored') throw new Error('no stored answer')
    t.ok(Buffer.from(again.lookup.answer.packed).equals(record.packed))
    t.match(await ledger.findCounters(record.holds), [{ open: 1 }])
  })

  await t.test('an answer past its time is outlived, for a look-up and for a confirmation', async (t) => {
    const record = aRecord(hasty, { answeredAt: hasty.clock() - 1_500 })
    await hasty.keepCalculations([record])
    t.same(await hasty.findAnswer(record.calculationId), { kind: 'outlived' })
    t.same(await hasty.confirm(record, plenty), { kind: 'known', lookup: { kind: 'outlived' } })
  })

  await t.test('an answer with a dropped body is outlived', async (t) => {
    const record = aRecord(ledger, { requestedAt: 'body dropped' })
    await ledger.keepCalculations([record])
    await database.run(sql`delete from calculation_body where calculation_id = ${record.calculationId}::uuid`, {
      effect: 'writes',
      withinMs: plenty,
    })
    t.same(await ledger.findAnswer(record.calculationId), { kind: 'outlived' })
  })

  await t.test('a confirmation past its time writes nothing', async (t) => {
    const record = aRecord(ledger, { holds: [aWant()] })
    t.same(await ledger.confirm(record, 0), { kind: 'too_late' })
    t.same(await ledger.confirm(record, -1_000), { kind: 'too_late' })
    t.same(await ledger.findAnswer(record.calculationId), { kind: 'unknown' })
    t.match(await ledger.findCounters(record.holds), [{ used: 0, open: 0 }])
  })

  await storagePromises(t, subject)
}

/** What is stored of a calculation. */
async function storagePromises(t: Test, subject: Subject): Promise<void> {
  const { ledger, database } = subject

  await t.test('values that text cannot hold are stored as null, and the answer is stored all the same', async (t) => {
    for (const loyaltyId of ['nul \0 inside', 'lone \ud800 surrogate', '\udc00']) {
      const confirmed = aRecord(ledger, { loyaltyId, status: 'member_not_found' })
      const kept = aRecord(ledger, { loyaltyId, status: 'member_not_found' })
      t.same(await ledger.confirm(confirmed, plenty), { kind: 'confirmed' })
      await ledger.keepCalculations([kept])
      for (const { calculationId } of [confirmed, kept]) {
        t.match(await ledger.findAnswer(calculationId), { kind: 'stored' })
        t.equal(await columnOf(database, calculationId, 'loyaltyId'), null)
      }
    }
  })

  await t.test('no text of a journalled calculation stops the journal', async (t) => {
    const hostile = '\0 and \udc00'
    const texts = { venueId: hostile, baxId: hostile, cashRegisterId: hostile, channel: hostile, currency: hostile }
    const more = { requestedAt: hostile, reason: hostile, memberId: hostile, inputs: hostile }
    const record = aRecord(ledger, { ...texts, ...more })
    await ledger.keepCalculations([record])
    t.match(await ledger.findAnswer(record.calculationId), { kind: 'stored' })
  })

  await t.test('storable values are stored unchanged', async (t) => {
    const loyaltyId = '\u{1f600}\'; drop table sale; -- \\ " \n'
    const record = aRecord(ledger, { loyaltyId, netBefore: Number.MAX_SAFE_INTEGER })
    await ledger.keepCalculations([record])
    t.equal(await columnOf(database, record.calculationId, 'loyaltyId'), loyaltyId)
    t.equal(await columnOf(database, record.calculationId, 'netBefore'), Number.MAX_SAFE_INTEGER)
  })

  await withdrawalPromises(t, subject)
}

/** What can be withdrawn, and how journalled calculations arrive. */
async function withdrawalPromises(t: Test, { ledger }: Subject): Promise<void> {
  await t.test('withdrawing a calculation releases its units and its key', async (t) => {
    const record = aRecord(ledger, { holds: [aWant({ maximum: 1 })] })
    await ledger.confirm(record, plenty)
    t.equal(await ledger.withdraw(record.calculationId), 'withdrawn')
    t.same(await ledger.findAnswer(record.calculationId), { kind: 'unknown' })
    t.match(await ledger.findCounters(record.holds), [{ open: 0 }])
    t.same(await ledger.confirm(record, plenty), { kind: 'confirmed' })
  })

  await t.test('a calculation is not withdrawn once it was answered from, settled or superseded', async (t) => {
    const found = aRecord(ledger, { holds: [aWant()] })
    const known = aRecord(ledger)
    const sold = aRecord(ledger)
    const superseded = aRecord(ledger)
    for (const record of [found, known, sold, superseded]) await ledger.confirm(record, plenty)
    await ledger.findAnswer(found.calculationId)
    await ledger.confirm(known, plenty)
    await ledger.recordSale(aSale(sold), eventBody)
    await ledger.confirm(aRecord(ledger, { supersedesCalculationId: superseded.calculationId }), plenty)
    for (const { calculationId } of [found, known, sold, superseded]) {
      t.equal(await ledger.withdraw(calculationId), 'replayed')
      t.match(await ledger.findAnswer(calculationId), { kind: 'stored' })
    }
    t.match(await ledger.findCounters(found.holds), [{ open: 1 }])
  })

  await t.test('withdrawing a missing calculation changes nothing', async (t) => {
    t.equal(await ledger.withdraw(randomUUID()), 'unknown')
  })

  await t.test('a journalled calculation is stored once, however often it arrives', async (t) => {
    const records = Array.from({ length: 230 }, () => aRecord(ledger))
    await ledger.keepCalculations(records)
    await ledger.keepCalculations(records.map((record) => ({ ...record, packed: Buffer.from('other') })))
    const lookups = await Promise.all(records.map(({ calculationId }) => ledger.findAnswer(calculationId)))
    t.ok(
      lookups.every((found) => found.kind === 'stored' && Buffer.from(found.answer.packed).equals(records[0]!.packed)),
    )
    await ledger.keepCalculations([])
    await ledger.keepCalculations([records[0]!, records[0]!])
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
