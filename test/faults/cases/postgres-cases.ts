import { readFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import postgres from 'postgres'
import type { FaultCase, Stage } from '../run-case.js'

/** Postgres dies, restarts, stops, or has no connections left: nothing acknowledged is lost, and nothing unconfirmed is promised. */
export const postgresCases: readonly FaultCase[] = [
  {
    id: 'F19',
    title: 'postmaster killed, Postgres restarted',
    async run({ world }) {
      const backends = await childrenOf(world.postgres.pid)
      world.postgres.signal('SIGKILL')
      await gone([world.postgres.pid, ...backends])
      await sleep(1_500)
      await world.postgres.restart()
    },
  },
  {
    id: 'F20',
    title: 'fast, then immediate restart of Postgres',
    async run({ world }) {
      for (const signal of ['SIGINT', 'SIGQUIT'] as const) {
        const { pid } = world.postgres
        world.postgres.signal(signal)
        await gone([pid])
        await sleep(700)
        await world.postgres.restart()
        await sleep(1_000)
      }
    },
  },
  {
    id: 'F23',
    title: 'checkpointer, then all of Postgres stopped for 3 s',
    async run({ world }) {
      const backends = await childrenOf(world.postgres.pid)
      const names = await Promise.all(backends.map(commandOf))
      const checkpointer = backends.filter((_, at) => names[at]!.includes('checkpointer'))
      await stopped(checkpointer, 1_500)
      await sleep(500)
      await stopped([...(await childrenOf(world.postgres.pid)), world.postgres.pid], 3_000)
    },
  },
  {
    id: 'F25',
    title: 'backends terminated at random every 300 ms',
    async run({ world, full }) {
      for (let round = full ? 30 : 12; round > 0; round -= 1) {
        await world.sql`
          select pg_terminate_backend(pid) from pg_stat_activity
          where datname = current_database() and application_name = 'loyalty' and random() < 0.4`
        await sleep(300)
      }
    },
  },
  { id: 'F27', title: 'max_connections exhausted by another client', run: connectionsExhausted },
  {
    id: 'F23b',
    title: 'commits held up: WAL writer and every backend stopped in turns',
    async run({ world, dice, full }) {
      for (let round = full ? 30 : 12; round > 0; round -= 1) {
        const backends = await childrenOf(world.postgres.pid)
        await stopped(
          backends.filter(() => dice.chance(0.3)),
          dice.between(100, 700),
        )
        await sleep(50)
      }
    },
  },
]

async function connectionsExhausted({ world }: Stage): Promise<void> {
  const hogs: postgres.Sql[] = []
  const more = async (): Promise<boolean> => {
    const hog = postgres(world.databaseUrl, { max: 1, onnotice: () => {}, connect_timeout: 2, fetch_types: false })
    hogs.push(hog)
    return await hog`select 1`.then(
      () => true,
      () => false,
    )
  }
  while (await more());
  // The gateways must reconnect, and find no free connection.
  await world.sql`
    select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and application_name = 'loyalty'`
  while (await more());
  await sleep(2_500)
  await Promise.all(hogs.map((hog) => hog.end({ timeout: 1 })))
}

async function stopped(pids: readonly number[], ms: number): Promise<void> {
  for (const pid of pids) signal(pid, 'SIGSTOP')
  await sleep(ms)
  for (const pid of pids) signal(pid, 'SIGCONT')
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name)
  } catch {
    // It may have ended meanwhile.
  }
}

async function childrenOf(pid: number): Promise<readonly number[]> {
  const text = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8').catch(() => '')
  return text.trim().split(' ').filter(Boolean).map(Number)
}

async function commandOf(pid: number): Promise<string> {
  return await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')
}

/** Waits until none of these processes is left, as Postgres refuses to start before. A zombie counts as gone. */
async function gone(pids: readonly number[]): Promise<void> {
  const untilMs = performance.now() + 120_000
  for (;;) {
    const states = await Promise.all(pids.map((pid) => readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')))
    if (states.every((state) => state === '' || / Z /.test(state)) || performance.now() > untilMs) return
    await sleep(30)
  }
}
