import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import type { Test } from 'tap'
import type { Cache } from '../../../store/cache.js'
import { anAnswer, aRecord, plain, until } from './records.js'
import type { Suite } from './vouched-cache.js'

export const tokens: Suite = async (t, open) => {
  await t.test('a full bucket gives its burst and no more', async (t) => {
    const cache = await open()
    const replies = await Promise.all(
      Array.from({ length: 15 }, () => cache.takeToken({ endpoint: 'basket', rate: 0.01, burst: 10, ahead: 0 })),
    )
    t.equal(replies.filter((reply) => reply.taken).length, 10)
  })

  await t.test('a token comes back at the rate', async (t) => {
    const cache = await open()
    t.same(await cache.takeToken({ endpoint: 'basket', rate: 0.5, burst: 1, ahead: 0 }), { taken: true, ahead: 0 })
    t.match(await cache.takeToken({ endpoint: 'basket', rate: 0.5, burst: 1, ahead: 0 }), { taken: false })
    t.same(
      await until(
        () => cache.takeToken({ endpoint: 'basket', rate: 0.5, burst: 1, ahead: 0 }),
        (reply) => reply.taken,
      ),
      { taken: true, ahead: 0 },
    )
  })

  await t.test('sale events leave the last 40 % to baskets', async (t) => {
    const cache = await open()
    const sales = await Promise.all(
      Array.from({ length: 12 }, () => cache.takeToken({ endpoint: 'sale', rate: 0.01, burst: 10, ahead: 0 })),
    )
    t.equal(sales.filter((reply) => reply.taken).length, 6)
    const baskets = await Promise.all(
      Array.from({ length: 12 }, () => cache.takeToken({ endpoint: 'basket', rate: 0.01, burst: 10, ahead: 0 })),
    )
    t.equal(baskets.filter((reply) => reply.taken).length, 4)
  })

  await t.test('sale events get through a burst of 1', async (t) => {
    const cache = await open()
    t.match(await cache.takeToken({ endpoint: 'sale', rate: 1, burst: 1, ahead: 0 }), { taken: true, ahead: 0 })
  })

  await t.test('the wait is the whole seconds until a token is there', async (t) => {
    const cache = await open()
    await cache.takeToken({ endpoint: 'basket', rate: 0.001, burst: 2, ahead: 0 })
    await cache.takeToken({ endpoint: 'basket', rate: 0.001, burst: 2, ahead: 0 })
    isWait(t, await cache.takeToken({ endpoint: 'basket', rate: 0.001, burst: 2, ahead: 0 }), 1_000)
    isWait(t, await cache.takeToken({ endpoint: 'sale', rate: 0.001, burst: 2, ahead: 0 }), 1_000)
  })

  await t.test('a sale event waits until the baskets have their share again', async (t) => {
    const cache = await open()
    for (let token = 0; token < 5; token++)
      await cache.takeToken({ endpoint: 'basket', rate: 0.001, burst: 5, ahead: 0 })
    isWait(t, await cache.takeToken({ endpoint: 'sale', rate: 0.001, burst: 5, ahead: 0 }), 3_000)
  })

  await t.test('tokens are taken ahead from the upper half of the bucket alone', async (t) => {
    const cache = await open()
    const take = (ahead: number) => cache.takeToken({ endpoint: 'basket', rate: 0.001, burst: 20, ahead })
    t.same(await take(4), { taken: true, ahead: 4 })
    t.same(await take(64), { taken: true, ahead: 4 }, 'ten are left')
    t.same(await take(64), { taken: true, ahead: 0 })
    const rest = await Promise.all(Array.from({ length: 12 }, () => take(0)))
    t.equal(rest.filter((reply) => reply.taken).length, 9)
  })

  await t.test('other settings count from the next call on', async (t) => {
    const cache = await open()
    for (let token = 0; token < 10; token++)
      await cache.takeToken({ endpoint: 'basket', rate: 0.001, burst: 10, ahead: 0 })
    isWait(t, await cache.takeToken({ endpoint: 'basket', rate: 0.01, burst: 10, ahead: 0 }), 100)
  })
}

/** `seconds`, less the time passed since: not more than a busy machine takes for a few calls. */
function isWait(t: Test, reply: Awaited<ReturnType<Cache['takeToken']>>, seconds: number): void {
  const received = reply.taken ? 0 : reply.retryAfterS
  t.ok(
    Number.isInteger(received) && received <= seconds && received > seconds - 60,
    `${seconds} s, received ${received}`,
  )
}

export const answers: Suite = async (t, open) => {
  await t.test('an answer that was never kept is not found', async (t) => {
    const cache = await open()
    t.equal(await cache.findAnswer(randomUUID()), null)
  })

  await t.test('a kept answer is found byte for byte', async (t) => {
    const cache = await open()
    const record = aRecord({ packed: Uint8Array.from({ length: 256 }, (_, byte) => byte) })
    t.same(await cache.keep(record), { kind: 'kept' })
    const found = await cache.findAnswer(record.calculationId)
    t.same(plain(found!), plain({ digest: record.digest, packed: record.packed }))
  })

  await t.test('the second to keep a key is given the answer of the first', async (t) => {
    const cache = await open()
    const first = aRecord()
    await cache.keep(first)
    const reply = await cache.keep(aRecord({ calculationId: first.calculationId }))
    t.equal(reply.kind, 'known')
    t.same(reply.kind === 'known' && plain(reply.answer), plain({ digest: first.digest, packed: first.packed }))
    t.equal((await cache.journalDepth()).entries, 1)
  })

  await t.test('of many different bodies under one key at once, one is kept and notified to all others', async (t) => {
    const cache = await open()
    const calculationId = randomUUID()
    const records = Array.from({ length: 50 }, () => aRecord({ calculationId }))
    const replies = await Promise.all(records.map((record) => cache.keep(record)))
    t.equal(replies.filter((reply) => reply.kind === 'kept').length, 1)
    const kept = records[replies.findIndex((reply) => reply.kind === 'kept')]!
    for (const reply of replies) {
      if (reply.kind === 'known') t.same(Buffer.from(reply.answer.packed), kept.packed)
    }
    t.same(plain((await cache.findJournalled(calculationId))!), plain(kept))
  })

  await t.test('a remembered answer is found until its lifetime is over', async (t) => {
    const cache = await open({ answerMs: 2_000 })
    const id = randomUUID()
    await cache.remember(id, anAnswer())
    t.same(plain((await cache.findAnswer(id))!), plain(anAnswer()))
    t.equal(
      await until(
        () => cache.findAnswer(id),
        (answer) => answer === null,
      ),
      null,
    )
  })

  await t.test('a remembered answer is not journalled, and claims its key', async (t) => {
    const cache = await open()
    const record = aRecord()
    await cache.remember(record.calculationId, anAnswer())
    t.equal((await cache.keep(record)).kind, 'known')
    t.equal(await cache.findJournalled(record.calculationId), null)
    t.same(await cache.journalDepth(), { entries: 0, oldestMs: 0 })
  })

  await t.test("the ledger's answer replaces one that is only hot", async (t) => {
    const cache = await open()
    const id = randomUUID()
    await cache.remember(id, anAnswer('older'))
    await cache.remember(id, anAnswer('newer'))
    t.same(plain((await cache.findAnswer(id))!), plain(anAnswer('newer')))
  })

  await t.test('remembering neither changes nor ends an answer that is still journalled', async (t) => {
    const cache = await open({ answerMs: 30 })
    const record = aRecord()
    await cache.keep(record)
    await cache.remember(record.calculationId, anAnswer())
    await pause(90)
    t.same(plain((await cache.findJournalled(record.calculationId))!), plain(record))
  })
}
