import { createHash } from 'node:crypto'
import type {
  FilePublication,
  Ledger,
  PreparedProgramme,
  PublishedProgramme,
  StoredMember,
  StoredProgramme,
  StoredVenue,
} from '../../index.js'
import { canonicalJson } from '../calculations/canonical-json.js'
import type { LedgerOptions } from '../connection/options.js'
import { findRow, readRow } from '../connection/rows.js'
import { type Sql, sql } from '../connection/sql.js'

/** Time to publish a programme with its venues and members, in milliseconds. */
const publishMs = 30_000

type Programmes = Pick<Ledger, 'newestProgramme' | 'findProgramme' | 'publishProgramme'>

/** The programme versions of a ledger (benefits 1). */
export function createProgrammes(database: Sql, { readMs }: Required<LedgerOptions>): Programmes {
  const terms = { effect: 'reads', withinMs: readMs } as const
  return {
    async newestProgramme() {
      const row = await findRow<StoredProgramme>(
        database,
        sql`select version, benefits from programme_version order by version desc limit 1`,
        terms,
      )
      return row
    },
    async findProgramme(version) {
      const row = await findRow<StoredProgramme>(
        database,
        sql`select version, benefits from programme_version where version = ${version}::integer`,
        terms,
      )
      return row
    },
    async publishProgramme(programme, onlyIfEmpty = false) {
      const { digest, venues, members } = prepareProgramme(programme)
      const { document, benefits } = programme.stored ?? programme
      const row = await readRow<FilePublication>(
        database,
        sql`
          select f.version, f.published, f.because, f.published_by as "publishedBy"
          from publish_file(
            ${digest}, ${document}, ${benefits}, ${venues}::text::json, ${members}::text::json, ${onlyIfEmpty}::boolean
          ) f`,
        { effect: 'writes', withinMs: publishMs },
      )
      return row
    },
  }
}

/** Makes a programme ready for its publication. */
export function prepareProgramme(programme: PublishedProgramme): PreparedProgramme {
  const { document, benefits, venues, members } = programme
  return {
    digest: contentDigest(programme),
    document,
    benefits,
    venues: JSON.stringify(venues.map(rowFromVenue)),
    members: JSON.stringify(members.map(rowFromMember)),
  }
}

/** The same for every way to write the same document: white space, order of names, escapes. */
function contentDigest({ document }: PublishedProgramme): Uint8Array {
  return createHash('sha256')
    .update(canonicalJson(JSON.parse(document)))
    .digest()
}

/** A row of `store_venues`. What is not a key or a reference stays JSON text: a name may hold what Postgres cannot hold as text. */
export function rowFromVenue({ venueId, baxIds, ...rest }: StoredVenue) {
  return { venue_id: venueId, body: JSON.stringify(rest), bax_ids: [...new Set(baxIds)] }
}

/** A row of `store_members`. */
export function rowFromMember({ memberId, loyaltyIds, ...rest }: StoredMember) {
  return { member_id: memberId, body: JSON.stringify(rest), loyalty_ids: [...new Set(loyaltyIds)] }
}
