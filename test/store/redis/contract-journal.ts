import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import type { CalculationRecord } from '../../../store/index.js'
import type { Suite } from './contract.js'
import { aCounter, anAnswer, aRecord, aWant, plain, until } from './records.js'

export const journal: Suite = async (t, open) => {
  await t.test('what is kept is journalled whole', async (t) => {
    const front = await open()
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
      await front.keep(record)
      t.same(plain((await front.findJournalled(record.calculationId))!), plain(record))
    }
    t.same(ids(await front.readJournal(10, 0)).sort(), ids(records).sort())
  })

  await t.test('the journal is read oldest first, over all buckets, up to the maximum', async (t) => {
    const front = await open()
    const records = Array.from({ length: 20 }, () => aRecord())
    for (const record of records) {
      await front.keep(record)
      await pause(3)
    }
    t.same(ids(await front.readJournal(7, 0)), ids(records.slice(0, 7)))
    t.same(ids(await front.readJournal(100, 0)), ids(records))
  })

  await t.test('reading takes nothing away', async (t) => {
    const front = await open()
    await front.keep(aRecord())
    t.same(ids(await front.readJournal(10, 0)), ids(await front.readJournal(10, 0)))
  })

  await t.test('a record younger than asked for is left out', async (t) => {
    const front = await open()
    const record = aRecord()
    await front.keep(record)
    t.same(await front.readJournal(10, 60_000), [])
    t.same(
      ids(
        await until(
          () => front.readJournal(10, 20),
          (found) => found.length > 0,
        ),
      ),
      ids([record]),
    )
  })

  await t.test('depth is the number of entries and the age of the oldest', async (t) => {
    const front = await open()
    t.same(await front.journalDepth(), { entries: 0, oldestMs: 0 })
    for (let entry = 0; entry < 30; entry++) await front.keep(aRecord())
    const depth = await until(
      () => front.journalDepth(),
      ({ oldestMs }) => oldestMs >= 20,
    )
    t.equal(depth.entries, 30)
    t.ok(depth.oldestMs >= 20)
  })

  await t.test('a forgotten record leaves the journal and its answer stays hot for a while', async (t) => {
    const front = await open({ answerMs: 3_000 })
    const [gone, stays] = [aRecord(), aRecord()]
    await front.keep(gone)
    await front.keep(stays)
    await front.forgetJournalled([gone.calculationId, randomUUID()])
    t.same(ids(await front.readJournal(10, 0)), ids([stays]))
    t.equal(await front.findJournalled(gone.calculationId), null)
    t.equal((await front.keep(gone)).kind, 'known')
    t.equal(
      await until(
        () => front.findAnswer(gone.calculationId),
        (answer) => answer === null,
      ),
      null,
    )
    t.ok(await front.findAnswer(stays.calculationId))
  })

  await t.test('a dropped answer is gone, one that is still journalled stays', async (t) => {
    const front = await open()
    const [written, waiting, confirmed] = [aRecord(), aRecord(), randomUUID()]
    for (const record of [written, waiting]) await front.keep(record)
    await front.forgetJournalled([written.calculationId])
    await front.remember(confirmed, anAnswer())
    await front.forgetAnswers([written.calculationId, waiting.calculationId, confirmed, randomUUID()])
    t.equal(await front.findAnswer(written.calculationId), null)
    t.equal(await front.findAnswer(confirmed), null)
    t.not(await front.findAnswer(waiting.calculationId), null)
    t.same(ids(await front.readJournal(10, 0)), ids([waiting]))
  })

  await t.test('forgetting once more, or nothing, changes nothing', async (t) => {
    const front = await open()
    const record = aRecord()
    await front.keep(record)
    await front.forgetJournalled([])
    await front.forgetJournalled([record.calculationId, record.calculationId])
    await front.forgetJournalled([record.calculationId])
    t.ok(await front.findAnswer(record.calculationId))
    t.same(await front.readJournal(10, 0), [])
  })

  await t.test('a thousand records are read and forgotten at once', async (t) => {
    const front = await open()
    const records = Array.from({ length: 1_000 }, () => aRecord())
    for (let from = 0; from < records.length; from += 100) {
      await Promise.all(records.slice(from, from + 100).map((record) => front.keep(record)))
    }
    const found = await front.readJournal(1_000, 0)
    t.same(new Set(ids(found)), new Set(ids(records)))
    await front.forgetJournalled(ids(found))
    t.equal((await front.journalDepth()).entries, 0)
  })
}

function ids(records: readonly CalculationRecord[]): string[] {
  return records.map((record) => record.calculationId)
}
