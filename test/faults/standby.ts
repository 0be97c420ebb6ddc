import { setTimeout as sleep } from 'node:timers/promises'
import postgres from 'postgres'
import type { Dice } from '../support/dice.js'
import type { PostgresServer } from '../support/servers/start-postgres.js'
import { type StandbyServer, startStandby } from '../support/servers/start-standby.js'
import { type Link, openLink } from './link.js'

export type Replication = 'synchronous' | 'asynchronous'

/** A streaming standby beside the Postgres of a case. */
export interface Standby {
  /** Between the standby and the primary. */
  readonly line: Link
  /** Where the operator and the checker reach the current primary. */
  readonly operatorPort: number
  /** The further host of a DATABASE_URL: `,host:port`. */
  readonly alsoAt: string
  /** Promotes it; from then on the operator reaches it in place of the old primary. */
  promote(): Promise<void>
  close(): Promise<void>
}

export async function openStandby(primary: PostgresServer, replication: Replication, dice: Dice): Promise<Standby> {
  const line = await openLink(primary.port, dice)
  const operator = await openLink(primary.port, dice)
  const server: StandbyServer = await startStandby({ follows: line.port })
  if (replication === 'synchronous') await waitForStandby(primary.url)
  return {
    line,
    operatorPort: operator.port,
    alsoAt: `,127.0.0.1:${server.port}`,
    async promote() {
      line.cut()
      await server.promote()
      operator.lead(server.port)
    },
    async close() {
      await Promise.all([line.close(), operator.close(), server.stop()])
    },
  }
}

/** From now on no commit is acknowledged before the standby has it. */
async function waitForStandby(url: string): Promise<void> {
  const sql = postgres(url, { max: 1 })
  try {
    await sql`alter system set synchronous_standby_names = 'standby'`
    await sql`select pg_reload_conf()`
    while ((await sql`select 1 from pg_stat_replication where sync_state = 'sync'`).length === 0) await sleep(50)
  } finally {
    await sql.end()
  }
}
