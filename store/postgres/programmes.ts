import { createHash } from 'node:crypto'
import type { Ledger, PublishedProgramme, StoredMember, StoredProgramme, StoredVenue } from '../index.js'
import { canonicalJson } from './canonical-json.js'
import type { LedgerOptions } from './options.js'
import { type Sql, sql } from './sql.js'

/** Time to publish a programme with its venues and members, in milliseconds. */
const publishMs = 30_000

type Programmes = Pick<Ledger, 'newestProgramme' | 'findProgramme' | 'publishProgramme'>

/** The programme versions of a ledger (benefits 1). */
export function createProgrammes(database: Sql, { readMs }: Required<LedgerOptions>): Programmes {
  const terms = { effect: 'reads', withinMs: readMs } as const
  return {
    async newestProgramme() {
      const [row] = await database.run<StoredProgramme>(
        sql`select version, benefits from programme_version order by version desc limit 1`,
        terms,
      )
      return row ?? null
    },
    async findProgramme(version) {
      const [row] = await database.run<StoredProgramme>(
        sql`select version, benefits from programme_version where version = ${version}::integer`,
        terms,
      )
      return row ?? null
    },
    async publishProgramme(programme) {
      const [row] = await database.run<{ version: number; published: boolean }>(
        sql`
          select * from publish_programme(
            ${contentDigest(programme)}, ${programme.document}, ${programme.benefits},
            ${JSON.stringify(programme.venues.map(rowFromVenue))}::text::json,
            ${JSON.stringify(programme.members.map(rowFromMember))}::text::json
          )`,
        { effect: 'writes', withinMs: publishMs },
      )
      return row!
    },
  }
}

/** The same for every way to write the same document: white space, order of names, escapes. */
function contentDigest({ document }: PublishedProgramme): Uint8Array {
  return createHash('sha256')
    .update(canonicalJson(JSON.parse(document)))
    .digest()
}

/** What is not a key or a reference stays JSON text: a name may hold what Postgres cannot hold as text. */
function rowFromVenue({ venueId, baxIds, ...rest }: StoredVenue) {
  return { venue_id: venueId, body: JSON.stringify(rest), bax_ids: [...new Set(baxIds)] }
}

function rowFromMember({ memberId, loyaltyIds, ...rest }: StoredMember) {
  return { member_id: memberId, body: JSON.stringify(rest), loyalty_ids: [...new Set(loyaltyIds)] }
}
