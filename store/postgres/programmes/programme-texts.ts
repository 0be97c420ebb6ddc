import type { AdminProgrammes, ProgrammeTexts } from '../../ledger/programmes.js'
import { findRow } from '../connection/rows.js'
import { adminChanges, adminReads, type Sql, sql } from '../connection/sql.js'

/** The texts of published programmes, for the forgetting of whom they name. */
export function createProgrammeTexts(database: Sql): Pick<AdminProgrammes, 'findTextsNaming' | 'replaceTexts'> {
  return {
    async findTextsNaming(version, ids) {
      // Where a text holds escapes, only who reads it can tell.
      const row = await findRow<ProgrammeTexts>(
        database,
        sql`
          select v.document, v.benefits from programme_version v
          where v.version = ${version}::integer
            and (position('\\' in v.document) > 0 or exists (
              select from json_array_elements_text(${JSON.stringify(ids)}::text::json) i (id)
              where strpos(v.document, i.id) > 0
            ))`,
        adminReads,
      )
      return row
    },
    async replaceTexts(version, { document, benefits }) {
      await database.run(
        sql`
          update programme_version v set document = ${document}, benefits = ${benefits}
          where v.version = ${version}::integer`,
        adminChanges,
      )
    },
  }
}
