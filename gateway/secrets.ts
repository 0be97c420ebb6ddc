import { randomBytes, randomUUID } from 'node:crypto'
import { link, readFile, unlink, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { makeFolder } from '../store/embedded/make-folder.js'
import type { Config, Token } from './config.js'
import { every } from './every.js'
import type { Log } from './log.js'
import { StartFault } from './start-fault.js'

/** The signing secrets that are active (contract 5). */
export interface Secrets {
  /** Never empty. */
  active(): readonly Uint8Array[]
  /** The file they are read from; null: the environment alone. Safe to print. */
  readonly file: string | null
  close(): void
}

/** Secrets or tokens that a person has to be told the place of. */
export interface Tokens {
  readonly tokens: readonly Token[]
  /** The file they were made in or found in; null: the environment. Safe to print. */
  readonly file: string | null
}

/** At most this many secrets are active at once: each one costs an HMAC over every body. */
export const secretsMax = 16
const secretsFileBytesMax = 65_536
/** Random bytes of a secret that is made here. */
export const secretBytes = 32

/**
 * Opens the signing secrets: those of LOYALTY_SECRETS and those of LOYALTY_SECRETS_FILE together; on staging without
 * either, one that is made in the data folder, readable by its owner alone. The file is read again and again, and a change
 * is taken once two readings in a row agree, or for some seconds where it looks half-written (it has lost its final line
 * feed); an empty or unreadable file leaves the last good set in place, and is logged.
 *
 * Rejects with StartFault where there is no secret to start with.
 */
export async function openSecrets(
  config: Pick<Config, 'secrets' | 'secretsFile' | 'dataFolder'>,
  log: Log,
  pollMs = 250,
): Promise<Secrets> {
  const own = config.secrets.map((secret) => Buffer.from(secret))
  const file =
    config.secretsFile ??
    (own.length > 0 ? null : await madeFile(config.dataFolder, 'secret', () => `${newSecret()}\n`))
  if (file === null) return { active: () => own, file, close() {} }

  let good = await readFile(file, 'utf8')
  const first = readSecrets(good)
  if (first === null) throw new StartFault(`signing secrets: expected 1 to ${secretsMax}, one a line, in ${file}`)
  let active = [...own, ...first]
  let candidate = good
  let readings = 1

  async function look(): Promise<void> {
    const text = await readFile(file!, 'utf8').catch(() => '')
    readings = text === candidate ? readings + 1 : 1
    candidate = text
    if (text === good || readings !== readingsUntilWhole(text, good)) return
    const read = readSecrets(text)
    if (read === null) {
      log.warn({ file }, 'the secrets file is empty, unreadable or holds too many: the last good secrets stay active')
      return
    }
    good = text
    active = [...own, ...read]
    log.info({ secrets: active.length }, 'signing secrets changed')
  }
  return { active: () => active, file, close: every(pollMs, look) }
}

/** Secrets one a line, blank lines skipped; null where there is none, too many, or something that is no text. */
export function readSecrets(text: string): Uint8Array[] | null {
  if (text.length > secretsFileBytesMax || text.includes('\u0000') || text.includes('\ufffd')) return null
  const lines = text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
  return lines.length >= 1 && lines.length <= secretsMax ? lines.map((line) => Buffer.from(line)) : null
}

/** Equal readings in a row until a file is taken: more where it used to end with a line feed and does not, as if half-written. */
function readingsUntilWhole(text: string, before: string): number {
  return text.endsWith('\n') || !before.endsWith('\n') ? 2 : 12
}

/** The tokens of internal services: LOYALTY_TOKENS, or on staging one a role, made in the data folder. */
export async function openTokens(config: Pick<Config, 'tokens' | 'dataFolder'>): Promise<Tokens> {
  if (config.tokens.length > 0) return { tokens: config.tokens, file: null }
  const file = await madeFile(config.dataFolder, 'tokens', () => `reader:${newSecret()}\nadmin:${newSecret()}\n`)
  const read = readTokens((await readFile(file, 'utf8')).split('\n').filter((line) => line !== ''))
  if (read === null || read.length === 0) throw new StartFault(`expected role:token lines in ${file}`)
  return { tokens: read, file }
}

/** Reads `role:token` entries: visible ASCII, every token once; null where one is not of that form. */
export function readTokens(entries: readonly string[]): Token[] | null {
  const tokens: Token[] = []
  for (const entry of entries) {
    const match = /^(reader|admin):([\x21-\x2b\x2d-\x7e]+)$/.exec(entry.trim())
    if (match === null || tokens.some(({ token }) => token === match[2])) return null
    tokens.push({ role: match[1] as Token['role'], token: match[2]! })
  }
  return tokens
}

/** A secret that nobody has seen; hex, for base64url may begin with a dash, and a command line would take it for an option. */
export function newSecret(): string {
  return randomBytes(secretBytes).toString('hex')
}

/** Makes a file whole or not at all; where another process was first, its file stands. */
async function madeFile(folder: string, name: string, content: () => string): Promise<string> {
  const file = path.resolve(folder, name)
  const draft = `${file}.${randomUUID()}`
  try {
    await makeFolder(path.resolve(folder), 0o700)
    await writeFile(draft, content(), { mode: 0o600, flag: 'wx', flush: true })
    await link(draft, file)
      .catch(unlessExisting)
      .finally(() => unlink(draft))
  } catch (error) {
    throw new StartFault(`LOYALTY_DATA: cannot write in ${folder} (${(error as NodeJS.ErrnoException).code})`, {
      cause: error,
    })
  }
  return file
}

function unlessExisting(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EEXIST') throw error
}
