import type { Change, Ledger, StoredMember, StoredVenue } from '../../index.js'
import type { LookUps, MemberRow, VenueRow } from '../calculations/look-ups.js'
import type { LedgerOptions } from '../connection/options.js'
import { readRow } from '../connection/rows.js'
import { type Sql, sql, storable } from '../connection/sql.js'

/** Changes told at once; a cache that is further behind starts anew. */
export const changesMax = 10_000

type Facts = Pick<Ledger, 'findVenue' | 'findMember' | 'findChanges' | 'ping'>

/** Venues and members of a ledger, and what has changed of them (benefits 1). */
export function createFacts(database: Sql, lookUps: LookUps, { readMs }: Required<LedgerOptions>): Facts {
  const terms = { effect: 'reads', withinMs: readMs } as const
  return {
    async findVenue(venueId) {
      const row = storable(venueId) === null ? null : await lookUps.find('venue', venueId)
      return row ? venueFromRow(venueId, row) : null
    },
    async findMember(loyaltyId) {
      const row = storable(loyaltyId) === null ? null : await lookUps.find('member', loyaltyId)
      return row ? memberFromRow(row) : null
    },
    async findChanges(revision) {
      const row = await readRow<{ revision: number; changes: readonly Change[] | null }>(
        database,
        sql`
          with feed as (select coalesce(min(c.revision), 0) as oldest, coalesce(max(c.revision), 0) as newest from change c),
            news as (
              select c.revision, c.kind, c.id from change c
              where c.revision > ${revision}::bigint order by c.revision limit ${changesMax + 1}::integer
            )
          select feed.newest as revision, case
            when feed.newest >= ${revision}::bigint and feed.oldest <= ${revision}::bigint + 1
              and (select count(*) from news) <= ${changesMax}::integer
            then (select coalesce(json_agg(json_build_object('kind', n.kind, 'id', n.id) order by n.revision), '[]') from news n)
          end as changes
          from feed`,
        terms,
      )
      return row
    },
    async ping() {
      await readRow(database, sql`select 1`, terms)
    },
  }
}

function venueFromRow(venueId: string, { body, baxIds }: VenueRow): StoredVenue {
  return { ...(JSON.parse(body) as Omit<StoredVenue, 'venueId' | 'baxIds'>), venueId, baxIds }
}

function memberFromRow({ memberId, body, loyaltyIds }: MemberRow): StoredMember {
  return { ...(JSON.parse(body) as Omit<StoredMember, 'memberId' | 'loyaltyIds'>), memberId, loyaltyIds }
}
