import { randomUUID } from 'node:crypto'
import type { Test } from 'tap'
import type { GatewayProcess } from '../../store/ledger/gateways.js'
import { type Sql, sql } from '../../store/postgres/connection/sql.js'
import type { Subject } from './ledger-builders.js'

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
  const nobody = () => run(database, sql`delete from gateway_process`)
  const age = ({ processId }: GatewayProcess, seconds: number) =>
    run(
      database,
      sql`update gateway_process set seen_at = seen_at - ${seconds}::integer * interval '1 second'
        where process_id = ${processId}::uuid`,
    )

  await t.test(
    'processes of one host, pid and port are one gateway: its oldest programme, its worst cache',
    async (t) => {
      await nobody()
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
    await nobody()
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
    await nobody()
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
    await nobody()
    for (const each of [aProcess({ uptimeMs: 9_000, cache: 'down' }), aProcess(), aProcess({ number: 2 })]) {
      await announce(each)
    }
    t.match(await listGateways(listMax), [{ processes: 2, cache: 'up' }])
  })

  await t.test(
    'one that ends in order is gone; one that was silent for a day is deleted with the next report',
    async (t) => {
      await nobody()
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

async function run(database: Sql, statement: ReturnType<typeof sql>): Promise<void> {
  await database.run(statement, { effect: 'writes', withinMs: 60_000 })
}
