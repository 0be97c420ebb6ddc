import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type postgres from 'postgres'

/** The statements of the previous release: its gateways run during and after a migration. */
export interface Release {
  readonly version: string
  /** Its last migration. */
  readonly migration: number
  readonly statements: readonly ReleasedStatement[]
}

/** A statement as the server describes it; types by name. */
export interface ReleasedStatement {
  readonly text: string
  readonly parameters: readonly string[]
  readonly columns: Readonly<Record<string, string>>
}

/** In the sources, because it is committed. */
export const releaseFile = join(import.meta.dirname, '../../../..', 'test/store/release/release.json')

export async function readRelease(): Promise<Release> {
  return JSON.parse(await readFile(releaseFile, 'utf8')) as Release
}

/** Prepares a statement and returns its description; rejects where the server refuses it. */
export async function describe(sql: postgres.Sql, text: string): Promise<ReleasedStatement> {
  const { types, columns } = await sql.unsafe(text).describe()
  const nameOf = async (oid: number) => (await sql`select format_type(${oid}::oid, null) as name`)[0]!['name'] as string
  const named: [string, string][] = []
  for (const { name, type } of columns ?? []) named.push([name, await nameOf(type)])
  const parameters: string[] = []
  for (const type of types) parameters.push(await nameOf(type))
  return { text, parameters, columns: Object.fromEntries(named) }
}
