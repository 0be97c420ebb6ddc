import { StoreFault } from '../../fault.js'
import type { Sql, Statement, Terms } from './sql.js'

/** Runs a statement that returns exactly one row. Anything else is a StoreFault: of a read `unreachable`, of a write `in_doubt`. */
export async function readRow<Row>(database: Pick<Sql, 'run'>, statement: Statement, terms: Terms): Promise<Row> {
  return onlyRow(await database.run<Row>(statement, terms), terms)
}

/**
 * Runs a statement that returns one row at most. It is made to return one in either case, so that "not found" is the server's word, and no
 * reply that went astray.
 */
export async function findRow<Row>(
  database: Pick<Sql, 'run'>,
  { text, values }: Statement,
  terms: Terms,
): Promise<Row | null> {
  const { isFound, ...row } = await readRow<{ readonly isFound: boolean | null }>(
    database,
    { text: withFlag(text), values },
    terms,
  )
  return isFound === true ? (row as Row) : null
}

export function onlyRow<Row>(rows: readonly Row[], { effect }: Pick<Terms, 'effect'>): Row {
  const [row] = rows
  if (rows.length !== 1 || row === undefined) throw wrongRows(effect, 1, rows.length)
  return row
}

export function wrongRows(effect: Terms['effect'], expected: number, received: number): StoreFault {
  const cause = new Error(`rows of a reply: expected ${expected}, received ${received}`)
  return new StoreFault('ledger', effect === 'writes' ? 'in_doubt' : 'unreachable', { cause })
}

function withFlag(text: string): string {
  const known = flagged.get(text)
  if (known !== undefined) return known
  const made = `select q.* from (values (1)) as asked left join lateral (select true as "isFound", r.* from (${text}) r) q on true`
  flagged.set(text, made)
  return made
}

/** Our statements are few, and each is prepared under its text. */
const flagged = new Map<string, string>()
