import { StoreFault } from '../../fault.js'

export type SqlValue = string | number | boolean | null | Uint8Array

export interface Statement {
  readonly text: string
  readonly values: readonly SqlValue[]
}

/** Values become parameters. Arrays and JSON are passed as text and cast twice (`::text::uuid[]`), which both databases leave as is. */
export function sql(strings: TemplateStringsArray, ...values: readonly SqlValue[]): Statement {
  let text = texts.get(strings)
  if (text === undefined) {
    text = strings.reduce((whole, part, position) => `${whole}$${position}${part}`)
    texts.set(strings, text)
  }
  return { text, values }
}

const texts = new WeakMap<TemplateStringsArray, string>()

export function join(pieces: readonly Statement[], separator: string): Statement {
  const values: SqlValue[] = []
  const texts = pieces.map((piece) => {
    const before = values.length
    values.push(...piece.values)
    return piece.text.replace(/\$(\d+)/g, (_, place) => `$${before + Number(place)}`)
  })
  return { text: texts.join(separator), values }
}

export interface Terms {
  readonly effect: 'reads' | 'writes'
  readonly withinMs: number
}

export const adminReads: Terms = { effect: 'reads', withinMs: 5_000 }

export const adminChanges: Terms = { effect: 'writes', withinMs: 30_000 }

/**
 * Session settings under which our statements, which look up a few rows by an index, are planned: once for all values, since planning each
 * time took a third of a confirmation. Plans that read, join or sort whole tables are off: the statistics of a table that was empty a minute
 * ago would suggest them. `enrol_members` sets its own.
 */
export const planning = {
  plan_cache_mode: 'force_generic_plan',
  enable_seqscan: 'off',
  enable_bitmapscan: 'off',
  enable_hashjoin: 'off',
  enable_mergejoin: 'off',
  jit: 'off',
} as const

/** A database as the ledger uses it: every statement is a transaction of its own. int8 comes as number, bytea as bytes. */
export interface Sql {
  run<Row>(statement: Statement, terms: Terms): Promise<readonly Row[]>
  /** Runs `work` in one transaction, without a time limit. For migrations. */
  transaction<T>(work: (transaction: Transaction) => Promise<T>): Promise<T>
  /** Runs a statement on every connection in turn, those that have been idle for longest first. Absent where there is one. */
  runOnEach?(statement: Statement, terms: Terms): Promise<void>
  close(): Promise<void>
}

export interface Transaction {
  run<Row>(statement: Statement): Promise<readonly Row[]>
  runScript(script: string): Promise<void>
}

export function storable(text: string | null): string | null {
  return text === null || text.includes('\0') || loneSurrogate.test(text) ? null : text
}

/** The string with U+FFFD for characters that Postgres text cannot hold, for columns that always have a value. */
export function legible(text: string): string {
  if (plain.test(text)) return text
  return Buffer.from(text.replaceAll('\0', '\ufffd')).toString()
}

const plain = /^[\x20-\x7e]*$/

/** In a pattern with the flag `u` only lone ones are left over for this class. */
const loneSurrogate = /\p{Cs}/u

export async function readRow<Row>(database: Pick<Sql, 'run'>, statement: Statement, terms: Terms): Promise<Row> {
  return onlyRow(await database.run<Row>(statement, terms), terms)
}

/** One row at most. It is made to return one in either case, so that "not found" is the server's word. */
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
