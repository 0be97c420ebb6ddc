import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Test } from 'tap'
import type { ConsoleSessions } from '../../store/ledger/console-sessions.js'
import type { GatewayProcess } from '../../store/ledger/gateways.js'
import { type Sql, sql } from '../../store/postgres/connection/sql.js'
import { aRecord, digestOf, type Subject } from '../support/ledger-builders.js'

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

const listMax = 100

function aProcess(overrides: Partial<GatewayProcess> = {}): GatewayProcess {
  return {
    ...{ processId: randomUUID(), host: 'oslo-1', pid: 7, port: 8080, number: 1 },
    ...{ version: '1.2.3', nodeVersion: '24.1.0', processes: 2, programmeVersion: 5, cache: 'up', uptimeMs: 1_000 },
    traffic: { outcomes: {}, times: {}, calls: { all: 1 } },
    ...overrides,
  }
}

export async function processPromises(t: Test, { ledger, database }: Subject): Promise<void> {
  const { announce, listGateways, withdraw } = ledger.processes
  const forgetAll = () => run(database, sql`delete from gateway_process`)
  const age = ({ processId }: GatewayProcess, seconds: number) =>
    run(
      database,
      sql`update gateway_process set seen_at = seen_at - ${seconds}::integer * interval '1 second'
        where process_id = ${processId}::uuid`,
    )

  await t.test(
    'processes of one host, pid and port are one gateway: its oldest programme, its worst cache',
    async (t) => {
      await forgetAll()
      const first = aProcess({ uptimeMs: 60_000 })
      const second = aProcess({ number: 2, programmeVersion: 4, cache: 'down', version: '1.2.4' })
      const others = [aProcess({ port: 8081, cache: 'absent' }), aProcess({ host: 'oslo-0' }), aProcess({ pid: 6 })]
      const before = ledger.clock()
      for (const each of [first, second, ...others]) await announce(each)
      const listed = await listGateways(listMax)
      t.same(
        listed.map(({ host, port, pid, processes, cache }) => [host, port, pid, processes, cache]),
        [
          ['oslo-0', 8080, 7, 1, 'up'],
          ['oslo-1', 8080, 6, 1, 'up'],
          ['oslo-1', 8080, 7, 2, 'down'],
          ['oslo-1', 8081, 7, 1, 'absent'],
        ],
      )
      const { startedAtMs, seenAtMs, ...rest } = listed[2]!
      t.same(rest, {
        ...{
          host: 'oslo-1',
          pid: 7,
          port: 8080,
          version: '1.2.4',
          nodeVersion: '24.1.0',
          processes: 2,
          processesWanted: 2,
        },
        ...{ programmeVersion: 4, cache: 'down', isSilent: false },
      })
      // Clocks of test and database may be some ms apart.
      t.ok(Math.abs(startedAtMs - (before - 60_000)) < 30_000, 'started when the first of them did')
      t.ok(seenAtMs - startedAtMs > 59_000)
      t.equal((await listGateways(2)).length, 2)
    },
  )

  await t.test('a report again says what has changed, and keeps the start', async (t) => {
    await forgetAll()
    const one = aProcess()
    await announce(one)
    const [before] = await listGateways(listMax)
    await announce({ ...one, programmeVersion: 6, cache: 'down', uptimeMs: 90_000 })
    const [after, ...more] = await listGateways(listMax)
    t.same(more, [])
    t.match(after, { programmeVersion: 6, cache: 'down', startedAtMs: before!.startedAtMs, processes: 1 })
    t.ok(after!.seenAtMs >= before!.seenAtMs)
  })

  await t.test('a process that is silent counts no more; a gateway is silent when all of them are', async (t) => {
    await forgetAll()
    const [old, living] = [aProcess({ programmeVersion: 3, cache: 'down' }), aProcess({ number: 2 })]
    for (const each of [old, living]) await announce(each)
    await age(old, 61)
    t.match(await listGateways(listMax), [{ processes: 1, programmeVersion: 5, cache: 'up', isSilent: false }])
    t.same(await ledger.traffic.readLatest(), [living.traffic])
    await age(living, 61)
    t.match(await listGateways(listMax), [{ processes: 0, programmeVersion: 3, cache: 'down', isSilent: true }])
    await announce(living)
    t.match(await listGateways(listMax), [{ processes: 1, isSilent: false }], 'it is back')
  })

  await t.test('a process that takes the place of one that died counts alone, in one place', async (t) => {
    await forgetAll()
    for (const each of [aProcess({ uptimeMs: 9_000, cache: 'down' }), aProcess(), aProcess({ number: 2 })]) {
      await announce(each)
    }
    t.match(await listGateways(listMax), [{ processes: 2, cache: 'up' }])
  })

  await t.test(
    'one that ends in order is gone; one that was silent for a day is deleted with the next report',
    async (t) => {
      await forgetAll()
      const [ends, cut, living] = [aProcess({ pid: 1 }), aProcess({ pid: 2 }), aProcess({ pid: 3 })]
      for (const each of [ends, cut, living]) await announce(each)
      await withdraw(ends.processId)
      await age(cut, 86_401)
      t.match(await listGateways(listMax), [{ pid: 3 }])
      await announce(living)
      const left = await database.run<{ pid: number }>(sql`select pid from gateway_process`, {
        effect: 'reads',
        withinMs: 60_000,
      })
      t.same(left, [{ pid: 3 }])
    },
  )
}

const aDay = 86_400_000
const anna = { role: 'support', name: 'anna (1)', issuer: 'https://id.example' }

/** Sessions of the console, and tickets that begin one. @param again  the same sessions, as another gateway has them */
export async function consolePromises(t: Test, sessions: ConsoleSessions, again: ConsoleSessions): Promise<void> {
  const begun = async (isTicket: boolean, lifetimeMs = aDay) => {
    const digest = randomUUID()
    await sessions.begin({ ...anna, digest, isTicket, lifetimeMs })
    return digest
  }

  await t.test('a session that one gateway began is found by another, until either ends it', async (t) => {
    const [own, other] = [await begun(false), await begun(false)]
    const { endsAtMs, nowMs, ...found } = (await again.find(own))!
    t.same(found, anna)
    t.ok(Math.abs(nowMs - Date.now()) < 60_000, 'the clock of the ledger comes with it')
    t.ok(Math.abs(endsAtMs - nowMs - aDay) < 60_000, 'it ends when it was to')
    await again.end(own)
    t.equal(await sessions.find(own), null)
    t.equal(await again.find(own), null)
    t.match(await sessions.find(other), anna, 'no other session ends')
    await again.end(own)
  })

  await t.test('a session ends by itself', async (t) => {
    const digest = await begun(false, 1)
    await sleep(20)
    t.equal(await sessions.find(digest), null)
    t.match(await again.find(await begun(false)), anna, 'the next one drops it')
  })

  await t.test('a ticket begins one session, for one of many callers', async (t) => {
    const ticket = await begun(true)
    t.equal(await sessions.find(ticket), null, 'it is no session')
    await sessions.end(ticket)
    const digests = Array.from({ length: 8 }, () => randomUUID())
    const replies = await Promise.all(
      digests.map((digest, at) => [sessions, again][at % 2]!.redeem(ticket, { digest, lifetimeMs: aDay })),
    )
    t.equal(replies.filter(Boolean).length, 1)
    const found = await Promise.all(digests.map((digest) => again.find(digest)))
    t.same(
      found.map((session) => session !== null),
      replies,
    )
    t.match(found.find(Boolean), anna)
  })

  await t.test('a ticket that has ended, and one that never was, begin nothing', async (t) => {
    const ticket = await begun(true, 1)
    await sleep(20)
    for (const each of [ticket, randomUUID(), await begun(false)]) {
      const digest = randomUUID()
      t.equal(await sessions.redeem(each, { digest, lifetimeMs: aDay }), false)
      t.equal(await sessions.find(digest), null)
    }
  })
}
