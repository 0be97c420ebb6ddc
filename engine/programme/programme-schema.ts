import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/**
 * The JSON Schema (draft 2020-12) of a programme document, as text. Its descriptions name what `readProgramme` checks
 * beyond it.
 */
export function programmeSchema(): string {
  return readFileSync(join(import.meta.dirname, 'programme.schema.json'), 'utf8')
}
