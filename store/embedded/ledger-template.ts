import { existsSync, readdirSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'

/** Made by the build (`.ci/ledger-template.mjs`) with the version of PGlite that it builds for. */
const file = join(import.meta.dirname, 'ledger-template.tar.gz')

/**
 * What an empty folder starts from: the files that initdb makes, packed by the build, in 0.4 s instead of 1.6 s. null: the folder holds
 * a ledger already, or the build has packed none, so that initdb runs.
 */
export async function ledgerTemplate(folder: string): Promise<Blob | null> {
  const isEmpty = !existsSync(folder) || readdirSync(folder).length === 0
  return isEmpty && existsSync(file) ? new Blob([await readFile(file)]) : null
}
