import { sql } from '../../../store/postgres/connection/sql.js'
import { plenty } from '../ledger-builders.js'
import type { Played } from './played.js'

/** One text in a function of the ledger, and its replacement. */
export type Edit = readonly [name: string, text: string, instead: string]

const writes = { effect: 'writes', withinMs: plenty } as const

/** Plants a mistake into the functions of a database; resolves to a function that removes it. Rejects unless each text is there once. */
export async function plantMistake({ database }: Played, edits: readonly Edit[]): Promise<() => Promise<void>> {
  const originals: string[] = []
  for (const [name, text, instead] of edits) {
    const [row] = await database.run<{ definition: string }>(
      sql`select pg_get_functiondef(p.oid) as definition from pg_proc p where p.proname = ${name}`,
      { effect: 'reads', withinMs: plenty },
    )
    const definition = row?.definition ?? ''
    if (definition.split(text).length !== 2) throw new Error(`${name} has ${JSON.stringify(text)} not once`)
    originals.push(definition)
    await database.run({ text: definition.replace(text, () => instead), values: [] }, writes)
  }
  return async () => {
    for (const definition of originals.toReversed()) await database.run({ text: definition, values: [] }, writes)
  }
}
