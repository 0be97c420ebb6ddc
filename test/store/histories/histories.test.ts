import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { createPgliteSql } from '../../../store/embedded/pglite-sql.js'
import { createPostgresSql } from '../../../store/postgres/connection/postgres-sql.js'
import { Dice } from '../../support/dice.js'
import { startPostgres } from '../../support/servers/start-postgres.js'
import { firstSeed, isFull, sized } from '../../support/sized.js'
import { drawHistory } from './history.js'
import { play } from './play.js'
import { openPlayed, type Played, reconciled } from './played.js'

// Databases start slowly on a busy machine.
t.setTimeout(7_200_000)

const embedded = 500
const real = sized(30, 3_000)
const stepsMax = 25

/** Histories of a ledger, then a recount of everything they left behind. */
async function agrees(t: Test, played: Played, histories: number): Promise<void> {
  t.teardown(() => played.ledger.close())
  for (let seed = firstSeed; seed < firstSeed + histories; seed++) {
    const deviation = await play(played, drawHistory(new Dice(seed), stepsMax))
    if (deviation !== null) t.fail(`seed ${seed}: ${JSON.stringify(deviation)}`)
  }
  t.same(await reconciled(played), [])
}

if (isFull)
  await t.test(
    `${embedded} random histories on the embedded ledger are as the model says, from seed ${firstSeed}`,
    async (t) => {
      const folder = await mkdtemp(join(tmpdir(), 'loyalty-histories-'))
      t.teardown(() => rm(folder, { recursive: true, force: true }))
      await agrees(t, await openPlayed(await createPgliteSql(folder)), embedded)
    },
  )

await t.test(`${real} random histories on real Postgres are as the model says, from seed ${firstSeed}`, async (t) => {
  const server = await startPostgres()
  t.teardown(() => server.stop())
  await agrees(t, await openPlayed(createPostgresSql(await server.createDatabase(), 2)), real)
})
