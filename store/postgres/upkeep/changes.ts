import type { Change, Changes } from '../../ledger/changes.js'
import type { LedgerOptions } from '../connection/options.js'
import { readRow } from '../connection/rows.js'
import { type Sql, sql } from '../connection/sql.js'

/** Changes returned at once; a cache that is further behind starts anew. */
export const changesMax = 10_000

/** What has changed of programmes, venues and members (benefits 1). */
export function createChanges(database: Sql, { readMs }: Required<LedgerOptions>): Changes {
  const terms = { effect: 'reads', withinMs: readMs } as const
  return {
    async since(revision) {
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
  }
}
