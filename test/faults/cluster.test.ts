import t from 'tap'
import { startPostgres } from '../servers/start-postgres.js'
import { clusterCases } from './cases/cluster-cases.js'
import { type FaultCase, runCase } from './run-case.js'

/** Few calls and much time, for a busy machine, as in subset.test.ts. */
const rate = 25
const patience = 12
const env = { LOYALTY_DEADLINE_MS: '1000' }

t.setTimeout(1_800_000)

/** Both in one run, because a cluster takes seconds to start: slots are moved, then a master dies and returns as a replica. */
const chosen = ['cluster-reshard', 'cluster-kill'].map((id) => clusterCases.find((each) => each.id === id)!)
const both: FaultCase = {
  ...chosen[0]!,
  id: 'cluster-share',
  title: chosen.map(({ title }) => title).join('; then '),
  gateways: 2,
  // Nodes of a busy machine must not count as dead.
  cluster: { nodeTimeoutMs: 8_000 },
  cacheFails: true,
  async run(stage) {
    for (const { run } of chosen) await run(stage)
  },
}

t.test(`every invariant holds through ${both.title}`, async (t) => {
  const postgres = await startPostgres()
  t.teardown(() => postgres.stop())
  const { violations, missed, attempts } = await runCase(both, { postgres, seed: 1, rate, patience, full: false, env })
  t.same(violations, [])
  t.same(missed, [])
  t.ok(attempts > 50, `${attempts} requests were sent`)
})
