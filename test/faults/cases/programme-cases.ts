import { readFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { readProgramme } from '../../../engine/programme/read-programme.js'
import { createPostgresLedger } from '../../support/open-ledger.js'
import { maxima, programmeFile } from '../programme-limits.js'
import type { FaultCase, Stage } from '../run-case.js'

const lowered = 40
const raised = 160
const limitId = 'bun-everyone'

/** The greatest maximum of every limit during the case, and the last one. */
export const raisedMaxima: ReadonlyMap<string, number> = new Map([...maxima, [limitId, raised]])

/** The programme changes during traffic: a maximum is lowered and raised, a bax moves to another venue and back. */
export const programmeCases: readonly FaultCase[] = [
  {
    id: 'F43',
    title: 'a programme published every 200 ms, a maximum lowered and raised, a bax moved',
    maxima: { greatest: raisedMaxima, last: raisedMaxima },
    run: publishAgainAndAgain,
  },
]

export async function publishAgainAndAgain({ world, full }: Stage): Promise<readonly string[]> {
  const file = await readFile(programmeFile, 'utf8')
  const ledger = await createPostgresLedger({
    url: world.databaseUrl,
    expiryS: 5,
    idempotencyS: 86_400,
    connections: 1,
  })
  const rounds = full ? 60 : 20
  try {
    for (let round = 0; round < rounds; round += 1) {
      const maximum = round % 2 === 0 ? lowered : raised
      const moved = round % 4 === 1 ? file.replace('"bax-2"', '"bax-2","bax-9"') : file
      const read = readProgramme(moved.replace('"units","maximum":100}', `"units","maximum":${maximum}}`))
      if (read.kind === 'faulty') return ['the programme of the case can be read']
      const { document, benefitsJson: benefits, venues, members, currencies, exchanges, rules } = read.programme
      const programme = { document, benefits, venues, members, currencies, exchanges, rules }
      await ledger.programmes.publishFile(programme)
      await sleep(200)
    }
    await sleep(1_500)
    const [row] = await world.sql`select count(distinct version)::int4 as versions from programme_version`
    return row!['versions'] > rounds ? [] : [`${rounds} versions are published, there are ${row!['versions']}`]
  } finally {
    await ledger.close()
  }
}
