import { randomUUID } from 'node:crypto'
import { anAnswer, aRecord, plain, until } from './records.js'
import type { Suite } from './vouched-cache.js'

export const claims: Suite = async (t, open) => {
  await t.test('while the ledger is asked for a key, no other answer is stored here', async (t) => {
    const cache = await open()
    const record = aRecord()
    t.same(await cache.claim(record.calculationId), { kind: 'claimed' })
    t.same(await cache.keep(record), { kind: 'claimed' })
    t.equal(await cache.findAnswer(record.calculationId), null)
    t.same(await cache.journalDepth(), { entries: 0, oldestMs: 0 })
  })

  await t.test('withdrawing the last claim frees the key', async (t) => {
    const cache = await open()
    const record = aRecord()
    await cache.claim(record.calculationId)
    await cache.claim(record.calculationId)
    await cache.release(record.calculationId)
    t.same(await cache.keep(record), { kind: 'claimed' })
    await cache.release(record.calculationId)
    t.same(await cache.keep(record), { kind: 'kept' })
  })

  await t.test('withdrawing a missing claim changes nothing', async (t) => {
    const cache = await open()
    const record = aRecord()
    await cache.release(record.calculationId)
    await cache.claim(record.calculationId)
    t.same(await cache.keep(record), { kind: 'claimed' })
  })

  await t.test('claiming a key that was answered here returns the answer', async (t) => {
    const cache = await open()
    const record = aRecord()
    await cache.keep(record)
    const reply = await cache.claim(record.calculationId)
    t.same(reply.kind === 'known' && plain(reply.answer), plain({ digest: record.digest, packed: record.packed }))
    await cache.release(record.calculationId)
    t.same(plain((await cache.findJournalled(record.calculationId))!), plain(record))
  })

  await t.test('the answer of the ledger ends all claims', async (t) => {
    const cache = await open({ answerMs: 2_000 })
    const record = aRecord()
    await cache.claim(record.calculationId)
    await cache.remember(record.calculationId, anAnswer())
    t.equal((await cache.keep(record)).kind, 'known')
    const free = await until(
      () => cache.keep(record),
      (reply) => reply.kind === 'kept',
    )
    t.same(free, { kind: 'kept' })
  })

  await t.test('the claim of a dead gateway ends by itself', async (t) => {
    const cache = await open({ answerMs: 60 })
    const id = randomUUID()
    await cache.claim(id)
    const reply = await until(
      () => cache.keep(aRecord({ calculationId: id })),
      ({ kind }) => kind !== 'claimed',
    )
    t.equal(reply.kind, 'kept')
  })
}
