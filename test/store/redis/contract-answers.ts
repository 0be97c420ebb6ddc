import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import type { Test } from 'tap'
import type { Cache } from '../../../store/cache.js'
import type { CalculationRecord } from '../../../store/ledger/calculations.js'
import { aCounter, anAnswer, aRecord, aWant, plain, type Suite, until } from './caches.js'

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
