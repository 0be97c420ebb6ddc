import type {
  FilePublication,
  FixedFault,
  PosProgrammes,
  ProgrammeLookUps,
  StoredProgramme,
} from '../../ledger/programmes.js'
import type { LedgerOptions } from '../connection/options.js'
import { findRow, readRow } from '../connection/rows.js'
import { join, type Sql, type Statement, sql } from '../connection/sql.js'
import { prepareProgramme } from './prepare-programme.js'

const publishMs = 30_000

type FileRow = Pick<FilePublication, 'version' | 'published' | 'publishedBy' | 'because'> & {
  readonly faults: readonly FixedFault[]
}

export function createPosProgrammes(database: Sql, { readMs }: Required<LedgerOptions>): PosProgrammes {
  return {
    ...createProgrammeLookUps(database, readMs),
    async publishFile(programme, onlyIfEmpty = false) {
      const { digest, venues, members, currencies, limits } = prepareProgramme(programme)
      const { document, benefits } = programme.stored ?? programme
      const { faults, ...publication } = await readRow<FileRow>(
        database,
        sql`
          select f.version, f.published, f.because, f.published_by as "publishedBy", f.faults
          from publish_file(
            ${digest}, ${document}, ${benefits}, ${venues}::text::json, ${members}::text::json,
            ${currencies}::text::json, ${limits}::text::json, ${onlyIfEmpty}::boolean
          ) f`,
        { effect: 'writes', withinMs: publishMs },
      )
      const { because } = publication
      return because === 'faulty' ? { ...publication, because, faults } : { ...publication, because }
    },
  }
}

export function createProgrammeLookUps(database: Sql, withinMs: number): ProgrammeLookUps {
  const find = (which: Statement) =>
    findRow<StoredProgramme>(database, join([sql`select version, benefits from programme_version`, which], ' '), {
      effect: 'reads',
      withinMs,
    })
  return {
    newest: () => find(sql`order by version desc limit 1`),
    lookUp: (version) => find(sql`where version = ${version}::integer`),
  }
}
