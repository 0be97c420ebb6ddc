import { setTimeout as sleep } from 'node:timers/promises'
import type { FaultCase, Stage } from '../run-case.js'

/** How long the standby receives nothing before the primary dies, in milliseconds: it lacks these commits. */
const lagMs = 1_500
/** Time until a watcher has seen the primary dead and decided. */
const decisionMs = 700

/** The primary dies and a standby replaces it: what was acknowledged stays, and no limit is exceeded. */
export const failoverCases: readonly FaultCase[] = [
  {
    id: 'F50',
    title: 'primary killed, a synchronous standby promoted',
    replication: 'synchronous',
    run: failOver,
  },
  {
    id: 'F51',
    title: 'primary killed, an asynchronous standby promoted that lacks the last 1.5 s',
    replication: 'asynchronous',
    async run(stage) {
      stage.world.standby!.line.hang()
      await sleep(lagMs)
      return await failOver(stage)
    },
  },
  {
    id: 'F52',
    title: 'asynchronous standby promoted, then the old primary comes back and takes writes',
    replication: 'asynchronous',
    async run(stage) {
      const missed = await failOver(stage)
      await stage.world.postgres.restart()
      await sleep(2_000)
      return missed
    },
  },
]

async function failOver({ world }: Stage): Promise<readonly string[]> {
  await world.postgres.kill()
  await sleep(decisionMs)
  await world.standby!.promote()
  // The gateways first restore what the standby lacks, and then take calls again.
  const sql = world.sql
  const promotedAt = performance.now()
  const [before] = await sql`select count(*)::int4 as sales from sale`
  for (;;) {
    const [now] = await sql`select count(*)::int4 as sales from sale`
    if (now!['sales'] > before!['sales'] + 20) return []
    if (performance.now() - promotedAt > takenUpWithinMs) return ['sales are recorded on the promoted standby']
    await sleep(100)
  }
}

/** Generous, for a busy machine. */
const takenUpWithinMs = 60_000
