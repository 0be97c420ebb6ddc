import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type postgres from 'postgres'

/** What the release before this one asks of the database: its gateways go on while a new one migrates, and after. */
export interface Release {
  readonly version: string
  readonly statements: readonly ReleasedStatement[]
}

/** A statement and what the server makes of it; types by name. */
export interface ReleasedStatement {
  readonly text: string
  readonly parameters: readonly string[]
  readonly columns: Readonly<Record<string, string>>
}

/** In the sources, because both are committed. */
export const releaseFile = join(import.meta.dirname, '../../../..', 'test/store/release/release.json')

/** Its schema: `migrations/` as they were, and all of its functions in one file. */
export const releasedSchema = join(import.meta.dirname, '../../../..', 'test/store/release/schema')

export async function readRelease(): Promise<Release> {
  return JSON.parse(await readFile(releaseFile, 'utf8')) as Release
}

/** Has the server prepare a statement, and says what it made of it; rejects where it cannot. */
export async function describe(sql: postgres.Sql, text: string): Promise<ReleasedStatement> {
  const { types, columns } = await sql.unsafe(text).describe()
  const nameOf = async (oid: number) => (await sql`select format_type(${oid}::oid, null) as name`)[0]!['name'] as string
  const named: [string, string][] = []
  for (const { name, type } of columns ?? []) named.push([name, await nameOf(type)])
  const parameters: string[] = []
  for (const type of types) parameters.push(await nameOf(type))
  return { text, parameters, columns: Object.fromEntries(named) }
}
