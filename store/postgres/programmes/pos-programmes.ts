import type {
  FilePublication,
  FixedFault,
  NewestProgramme,
  PosProgrammes,
  ProgrammeLookUps,
  StoredProgramme,
} from '../../ledger/programmes.js'
import type { LedgerOptions } from '../connection/options.js'
import { findRow, readRow } from '../connection/rows.js'
import { type Sql, sql } from '../connection/sql.js'
import { prepareProgramme } from './prepare-programme.js'

const publishMs = 30_000

type FileRow = Pick<FilePublication, 'version' | 'published' | 'publishedBy' | 'because'> & {
  readonly faults: readonly FixedFault[]
}

export function createPosProgrammes(database: Sql, { readMs }: Required<LedgerOptions>): PosProgrammes {
  return {
    ...createProgrammeLookUps(database, readMs),
    async publishFile(programme, onlyIfEmpty = false) {
      const { digest, venues, members, currencies, limits, experiments, digests } = prepareProgramme(programme)
      const { document, benefits } = programme.stored ?? programme
      const { faults, ...publication } = await readRow<FileRow>(
        database,
        sql`
          select f.version, f.published, f.because, f.published_by as "publishedBy", f.faults
          from publish_file(
            ${digest}, ${document}, ${benefits}, ${venues}::text::json, ${members}::text::json,
            ${currencies}::text::json, ${limits}::text::json, ${experiments}::text::json,
            ${digests}::text::json, ${onlyIfEmpty}::boolean
          ) f`,
        { effect: 'writes', withinMs: publishMs },
      )
      const { because } = publication
      return because === 'faulty' ? { ...publication, because, faults } : { ...publication, because }
    },
  }
}

export function createProgrammeLookUps(database: Sql, withinMs: number): ProgrammeLookUps {
  return {
    newest: () =>
      findRow<NewestProgramme>(
        database,
        sql`
          select v.version, v.benefits, (select encode(k.inner_key || k.outer_key, 'hex') from forgetting_key k) as key
          from programme_version v order by v.version desc limit 1`,
        { effect: 'reads', withinMs },
      ),
    lookUp: (version) =>
      findRow<StoredProgramme>(
        database,
        sql`select v.version, v.benefits from programme_version v where v.version = ${version}::integer`,
        { effect: 'reads', withinMs },
      ),
  }
}
