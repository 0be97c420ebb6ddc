import t from 'tap'
import { createPostgresSql } from '../../../store/postgres/connection/postgres-sql.js'
import { Dice } from '../../support/dice.js'
import { startPostgres } from '../../support/servers/start-postgres.js'
import { firstSeed } from '../../support/sized.js'
import { drawHistory } from './history.js'
import { mistakes } from './mistakes.js'
import { openPlayed } from './open-played.js'
import { plantMistake } from './plant-mistake.js'
import { type Deviation, type Played, play } from './play.js'
import { reconciled } from './reconciled.js'

// Databases start slowly on a busy machine.
t.setTimeout(1_800_000)

const historiesMax = 400
const stepsMax = 25
/** Histories that one mistake needed at most. */
let longest = 0

const server = await startPostgres()
t.teardown(() => server.stop())
const played = await openPlayed(createPostgresSql(await server.createDatabase(), 2))
t.teardown(() => played.ledger.close())

for (const { title, edits } of mistakes) {
  await t.test(`planted: ${title}`, async (t) => {
    const restore = await plantMistake(played, edits)
    const found = await firstDeviation(played)
    await restore()
    longest = Math.max(longest, found?.histories ?? 0)
    t.not(found, null, `not noticed in ${historiesMax} histories`)
    t.comment(`after ${found?.histories} histories: ${found?.deviation.fault}`)
    await reconciled(played)
  })
}

await t.test('without a mistake the same histories agree', async (t) => {
  for (let seed = firstSeed; seed < firstSeed + longest; seed++)
    t.equal(await play(played, drawHistory(new Dice(seed), stepsMax)), null, `seed ${seed}`)
  t.same(await reconciled(played), [])
})

async function firstDeviation(on: Played): Promise<{ histories: number; deviation: Deviation } | null> {
  for (let at = 0; at < historiesMax; at++) {
    const deviation = await play(on, drawHistory(new Dice(firstSeed + at), stepsMax))
    if (deviation !== null) return { histories: at + 1, deviation }
  }
  return null
}
