import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'

/** One step of the tables: `migrations/NNNN-name.sql`. From the first release on it is never edited, only followed by another. */
export interface Migration {
  readonly number: number
  readonly name: string
  readonly script: string
  readonly digest: string
}

/** The schema of a release. */
export interface Schema {
  /** Numbered 1, 2, 3 and so on. */
  readonly migrations: readonly Migration[]
  /** All of `functions/`, as one script of `create or replace function`. */
  readonly functions: { readonly script: string; readonly digest: string }
}

/** Reads a folder with `migrations/`, numbered without a gap, and `functions/`. */
export async function readSchema(folder: string): Promise<Schema> {
  const migrations = (await readScripts(join(folder, 'migrations'))).map(({ file, script }) => ({
    number: Number(file.slice(0, 4)),
    name: file.slice(5, -'.sql'.length),
    script,
    digest: digestOf(script),
  }))
  const misplaced = migrations.find(({ number }, position) => number !== position + 1)
  if (misplaced) throw new Error(`migration ${misplaced.number} (${misplaced.name}) does not follow the one before it`)
  const functions = (await readScripts(join(folder, 'functions'))).map(({ script }) => script).join('\n')
  return {
    migrations,
    functions: { script: functions, digest: digestOf(functions) },
  }
}

/** One file after the other: all at once would need more open files than a small machine allows. */
async function readScripts(folder: string) {
  const files = (await readdir(folder)).filter((file) => file.endsWith('.sql')).sort()
  return files.map((file) => ({ file, script: readFileSync(join(folder, file), 'utf8') }))
}

/** SHA-256 without comments and white space: those may be edited after a release, and a checkout may change line ends. */
function digestOf(script: string): string {
  const statements = script.replaceAll(/--.*$/gm, '').replaceAll(/\s+/g, ' ').trim()
  return createHash('sha256').update(statements).digest('hex')
}
