import { randomBytes } from 'node:crypto'
import postgres from 'postgres'

interface Wanted {
  /** Absent: a name of its own. */
  readonly name?: string
  /** The database that it copies; absent: an empty one. */
  readonly template?: string
}

/** @returns the new database's URL, by that of the server's database `postgres` */
export async function createDatabase(url: string, { name, template = 'template1' }: Wanted = {}): Promise<string> {
  const chosen = name ?? `test_${randomBytes(6).toString('hex')}`
  const client = postgres(url, { max: 1 })
  try {
    await client.unsafe(`create database ${chosen} template ${template} strategy file_copy`)
  } finally {
    await client.end()
  }
  return url.replace(/postgres$/, chosen)
}
