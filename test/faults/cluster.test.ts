import t from 'tap'
import { startPostgres } from '../support/servers/start-postgres.js'
import { clusterCases } from './cases/cluster-cases.js'
import { type FaultCase, runCase } from './run-case.js'

/** As in faults.test.ts: few calls, and time, for a machine that is busy with something else. */
const rate = 25
const patience = 12
const env = { LOYALTY_DEADLINE_MS: '1000' }

t.setTimeout(1_800_000)

/** Both in one run, for a cluster takes seconds to stand: slots are moved, then a master dies and comes back as a replica. */
const chosen = ['cluster-reshard', 'cluster-kill'].map((id) => clusterCases.find((each) => each.id === id)!)
const both: FaultCase = {
  ...chosen[0]!,
  id: 'cluster-share',
  title: chosen.map(({ title }) => title).join('; then '),
  gateways: 2,
  // Nodes of a machine that is busy with something else must not count as dead.
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
