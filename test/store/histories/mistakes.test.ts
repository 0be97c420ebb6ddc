import t from 'tap'
import { createPostgresSql } from '../../../store/postgres/connection/postgres-sql.js'
import { Dice } from '../../support/dice.js'
import { startPostgres } from '../../support/servers/start-postgres.js'
import { drawHistory } from './history.js'
import { mistakes, plantMistake, shownMistakes } from './mistakes.js'
import { type Deviation, play } from './play.js'
import { openPlayed, reconciled } from './played.js'

// Databases start slowly on a busy machine.
t.setTimeout(1_800_000)

/** Histories that are played until a mistake is noticed, from the first that shows it. */
const historiesMax = 400
const stepsMax = 25

const server = await startPostgres()
t.teardown(() => server.stop())
const played = await openPlayed(createPostgresSql(await server.createDatabase(), 2))
t.teardown(() => played.ledger.close())

for (const { title, edits, seed } of mistakes) {
  await t.test(`planted: ${title}`, async (t) => {
    const restore = await plantMistake(played, edits)
    const found = await firstDeviation(seed)
    await restore()
    if (found === null) return void t.fail(`not noticed in ${historiesMax} histories`)
    t.comment(`seed ${found.seed}: ${found.deviation.fault}`)
    t.equal(await play(played, drawHistory(new Dice(found.seed), stepsMax)), null, 'without it the same history agrees')
    await reconciled(played)
  })
}

for (const { title, edits, history } of shownMistakes) {
  await t.test(`planted: ${title}`, async (t) => {
    const restore = await plantMistake(played, edits)
    const deviation = await play(played, history)
    await restore()
    t.ok(deviation, 'noticed')
    t.comment(deviation?.fault)
    t.equal(await play(played, history), null, 'without it the same history agrees')
  })
}

async function firstDeviation(first: number): Promise<{ seed: number; deviation: Deviation } | null> {
  for (let seed = first; seed < first + historiesMax; seed++) {
    const deviation = await play(played, drawHistory(new Dice(seed), stepsMax))
    if (deviation !== null) return { seed, deviation }
  }
  return null
}
