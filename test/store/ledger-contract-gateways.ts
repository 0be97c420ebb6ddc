import { randomUUID } from 'node:crypto'
import type { Test } from 'tap'
import { type Sql, sql } from '../../store/postgres/connection/sql.js'
import { aRecord, digestOf, type Subject } from './ledger-builders.js'

const nobody = Number.POSITIVE_INFINITY

/** Gateways register, wait for each other's answers, and detect differing answers. */
export async function gatewayPromises(t: Test, { ledger, database }: Subject): Promise<void> {
  const meet = (gatewayId: string, flushedThrough: number, more: { usesCache?: boolean; wishes?: boolean } = {}) =>
    ledger.gateways.meet({ gatewayId, flushedThrough, usesCache: true, wishes: false, ...more })
  async function alone(): Promise<[string, string]> {
    await run(database, sql`delete from gateway`)
    return [randomUUID(), randomUUID()]
  }

  await t.test('a journalled record under a key with another answer is reported', async (t) => {
    const [kept, same, fresh] = [aRecord(ledger), aRecord(ledger), aRecord(ledger)]
    t.same(await ledger.calculations.store([kept, same]), [])
    const other = { ...kept, packed: Buffer.from('other'), digest: digestOf('other') }
    t.same(await ledger.calculations.store([other, same, fresh]), [kept.calculationId])
  })

  await t.test('a single gateway waits for no other', async (t) => {
    const [one] = await alone()
    const { wished, flushedByOthers } = await meet(one, 0, { wishes: true })
    t.equal(flushedByOthers, nobody)
    t.equal((await meet(one, wished)).wished, wished)
  })

  await t.test('a flush wish is fulfilled once every other gateway has flushed through it', async (t) => {
    const [one, two] = await alone()
    const { wished: before } = await meet(two, 0)
    const { wished, flushedByOthers } = await meet(one, 0, { wishes: true })
    t.equal(wished, before + 1)
    t.ok(flushedByOthers < wished)
    t.equal((await meet(two, before)).wished, wished, 'the other sees it')
    t.ok((await meet(one, wished)).flushedByOthers < wished)
    await meet(two, wished)
    t.equal((await meet(one, wished)).flushedByOthers, wished)
  })

  await t.test('no gateway waits for one that does not use Redis, has left, or is gone', async (t) => {
    const [one, two] = await alone()
    const { wished } = await meet(one, 0, { wishes: true })
    await meet(two, 0, { usesCache: false })
    t.equal((await meet(one, wished)).flushedByOthers, nobody)
    await meet(two, 0)
    t.ok((await meet(one, wished)).flushedByOthers < wished)
    await ledger.gateways.leave(two)
    t.equal((await meet(one, wished)).flushedByOthers, nobody)
    await meet(two, 0)
    await run(
      database,
      sql`update gateway set held_until = clock_timestamp() - interval '1 second' where gateway_id = ${two}::uuid`,
    )
    await run(
      database,
      sql`update gateway set held_since = held_since - interval '10 seconds' where gateway_id = ${one}::uuid`,
    )
    t.equal((await meet(one, wished)).flushedByOthers, nobody)
  })

  await t.test('one that is gone stays so for a gateway that rests meanwhile', async (t) => {
    const [one, two] = await alone()
    await meet(one, 0)
    await meet(two, 0)
    await run(
      database,
      sql`
        update gateway set held_since = held_since - interval '1 minute',
          held_until = case when gateway_id = ${two}::uuid then held_until - interval '1 minute' else held_until end`,
    )
    await meet(one, 0, { usesCache: false })
    await run(database, sql`update gateway set held_until = held_until - interval '1 minute'`)
    t.equal((await meet(one, 0)).flushedByOthers, nobody)
  })

  await t.test('after an outage of the ledger no gateway counts as gone for a whole lease', async (t) => {
    const [one, two] = await alone()
    const { wished } = await meet(one, 0, { wishes: true })
    await meet(two, 0)
    await run(
      database,
      sql`update gateway set held_since = held_since - interval '1 minute', held_until = held_until - interval '1 minute'`,
    )
    t.ok((await meet(one, wished)).flushedByOthers < wished)
  })

  await t.test('flushes for wishes that a promoted standby lacks do not count', async (t) => {
    const [one, two] = await alone()
    const { wished } = await meet(one, 0, { wishes: true })
    await meet(two, wished + 100)
    t.equal((await meet(one, wished)).flushedByOthers, 0)
  })
}

async function run(database: Sql, statement: ReturnType<typeof sql>): Promise<void> {
  await database.run(statement, { effect: 'writes', withinMs: 60_000 })
}
