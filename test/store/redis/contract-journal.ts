import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import type { CalculationRecord } from '../../../store/ledger/calculations.js'
import { aCounter, anAnswer, aRecord, aWant, plain, until } from './records.js'
import type { Suite } from './vouched-cache.js'

export const journal: Suite = async (t, open) => {
  await t.test('a stored record is journalled whole', async (t) => {
    const cache = await open()
    const wants = [aWant(aCounter('a\u2028b'), 3, 10)]
    const records = [
      aRecord({ holds: wants, supersedesCalculationId: randomUUID() }),
      aRecord({
        loyaltyId: null,
        memberId: null,
        status: 'member_not_found',
        inputs: '',
        explanation: new Uint8Array(),
      }),
      aRecord({ status: 'unchanged', reason: 'no_benefits', optimal: false, packed: Buffer.alloc(0) }),
    ]
    for (const record of records) {
      await cache.keep(record)
      t.same(plain((await cache.findJournalled(record.calculationId))!), plain(record))
    }
    t.same(ids(await cache.readJournal(10, 0)).sort(), ids(records).sort())
  })

  await t.test('the journal is read oldest first, over all buckets, up to the maximum', async (t) => {
    const cache = await open()
    const records = Array.from({ length: 20 }, () => aRecord())
    for (const record of records) {
      await cache.keep(record)
      await pause(3)
    }
    t.same(ids(await cache.readJournal(7, 0)), ids(records.slice(0, 7)))
    t.same(ids(await cache.readJournal(100, 0)), ids(records))
  })

  await t.test('reading removes nothing', async (t) => {
    const cache = await open()
    await cache.keep(aRecord())
    t.same(ids(await cache.readJournal(10, 0)), ids(await cache.readJournal(10, 0)))
  })

  await t.test('a record younger than requested is omitted', async (t) => {
    const cache = await open()
    const record = aRecord()
    await cache.keep(record)
    t.same(await cache.readJournal(10, 60_000), [])
    t.same(
      ids(
        await until(
          () => cache.readJournal(10, 20),
          (found) => found.length > 0,
        ),
      ),
      ids([record]),
    )
  })

  await t.test('depth is the number of entries and the age of the oldest', async (t) => {
    const cache = await open()
    t.same(await cache.journalDepth(), { entries: 0, oldestMs: 0 })
    for (let entry = 0; entry < 30; entry++) await cache.keep(aRecord())
    const depth = await until(
      () => cache.journalDepth(),
      ({ oldestMs }) => oldestMs >= 20,
    )
    t.equal(depth.entries, 30)
    t.ok(depth.oldestMs >= 20)
  })

  await t.test('a forgotten record leaves the journal and its answer stays hot for a while', async (t) => {
    const cache = await open({ answerMs: 3_000 })
    const [gone, stays] = [aRecord(), aRecord()]
    await cache.keep(gone)
    await cache.keep(stays)
    await cache.forgetJournalled([gone.calculationId, randomUUID()])
    t.same(ids(await cache.readJournal(10, 0)), ids([stays]))
    t.equal(await cache.findJournalled(gone.calculationId), null)
    t.equal((await cache.keep(gone)).kind, 'known')
    t.equal(
      await until(
        () => cache.findAnswer(gone.calculationId),
        (answer) => answer === null,
      ),
      null,
    )
    t.ok(await cache.findAnswer(stays.calculationId))
  })

  await t.test('a dropped answer is gone, a journalled one stays', async (t) => {
    const cache = await open()
    const [written, waiting, confirmed] = [aRecord(), aRecord(), randomUUID()]
    for (const record of [written, waiting]) await cache.keep(record)
    await cache.forgetJournalled([written.calculationId])
    await cache.remember(confirmed, anAnswer())
    await cache.forgetAnswers([written.calculationId, waiting.calculationId, confirmed, randomUUID()])
    t.equal(await cache.findAnswer(written.calculationId), null)
    t.equal(await cache.findAnswer(confirmed), null)
    t.not(await cache.findAnswer(waiting.calculationId), null)
    t.same(ids(await cache.readJournal(10, 0)), ids([waiting]))
  })

  await t.test('forgetting again, or nothing, changes nothing', async (t) => {
    const cache = await open()
    const record = aRecord()
    await cache.keep(record)
    await cache.forgetJournalled([])
    await cache.forgetJournalled([record.calculationId, record.calculationId])
    await cache.forgetJournalled([record.calculationId])
    t.ok(await cache.findAnswer(record.calculationId))
    t.same(await cache.readJournal(10, 0), [])
  })

  await t.test('a thousand records are read and forgotten at once', async (t) => {
    const cache = await open()
    const records = Array.from({ length: 1_000 }, () => aRecord())
    for (let from = 0; from < records.length; from += 100) {
      await Promise.all(records.slice(from, from + 100).map((record) => cache.keep(record)))
    }
    const found = await cache.readJournal(1_000, 0)
    t.same(new Set(ids(found)), new Set(ids(records)))
    await cache.forgetJournalled(ids(found))
    t.equal((await cache.journalDepth()).entries, 0)
  })
}

function ids(records: readonly CalculationRecord[]): string[] {
  return records.map((record) => record.calculationId)
}
