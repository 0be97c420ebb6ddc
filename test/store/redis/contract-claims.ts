import { randomUUID } from 'node:crypto'
import type { Suite } from './contract.js'
import { anAnswer, aRecord, plain, until } from './records.js'

export const claims: Suite = async (t, open) => {
  await t.test('while the ledger is asked for a key, nobody keeps another answer here', async (t) => {
    const front = await open()
    const record = aRecord()
    t.same(await front.claim(record.calculationId), { kind: 'claimed' })
    t.same(await front.keep(record), { kind: 'claimed' })
    t.equal(await front.findAnswer(record.calculationId), null)
    t.same(await front.journalDepth(), { entries: 0, oldestMs: 0 })
  })

  await t.test('with the last claim taken back a key is free again', async (t) => {
    const front = await open()
    const record = aRecord()
    await front.claim(record.calculationId)
    await front.claim(record.calculationId)
    await front.release(record.calculationId)
    t.same(await front.keep(record), { kind: 'claimed' })
    await front.release(record.calculationId)
    t.same(await front.keep(record), { kind: 'kept' })
  })

  await t.test('taking back a claim that is not there changes nothing', async (t) => {
    const front = await open()
    const record = aRecord()
    await front.release(record.calculationId)
    await front.claim(record.calculationId)
    t.same(await front.keep(record), { kind: 'claimed' })
  })

  await t.test('who claims a key that was answered here is given the answer', async (t) => {
    const front = await open()
    const record = aRecord()
    await front.keep(record)
    const reply = await front.claim(record.calculationId)
    t.same(reply.kind === 'known' && plain(reply.answer), plain({ digest: record.digest, packed: record.packed }))
    await front.release(record.calculationId)
    t.same(plain((await front.findJournalled(record.calculationId))!), plain(record))
  })

  await t.test('the answer of the ledger ends all claims', async (t) => {
    const front = await open({ answerMs: 2_000 })
    const record = aRecord()
    await front.claim(record.calculationId)
    await front.remember(record.calculationId, anAnswer())
    t.equal((await front.keep(record)).kind, 'known')
    const free = await until(
      () => front.keep(record),
      (reply) => reply.kind === 'kept',
    )
    t.same(free, { kind: 'kept' })
  })

  await t.test('a claim of somebody who died ends by itself', async (t) => {
    const front = await open({ answerMs: 60 })
    const id = randomUUID()
    await front.claim(id)
    const reply = await until(
      () => front.keep(aRecord({ calculationId: id })),
      ({ kind }) => kind !== 'claimed',
    )
    t.equal(reply.kind, 'kept')
  })
}
