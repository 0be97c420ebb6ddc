import { randomBytes, randomUUID } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { link, readFile, unlink, writeFile } from 'node:fs/promises'
import path from 'node:path'
import type { Logger } from 'pino'
import { makeFolder } from '../../store/embedded/folder.js'
import { ActiveSecrets } from './active-secrets.js'
import { type Config, type FileState, roleNames, StartFault, type Token } from './config.js'
import { every } from './every.js'
import {
  productionCharactersMin,
  readSecretsFile,
  type SecretsFileFault,
  type SecretsFileRefusal,
  secretForm,
  secretsFileBytesMax,
  secretsMax,
} from './secrets-file.js'

export interface Secrets {
  /** Empty only where `revoked:` lines have ended every one. */
  active(): readonly Uint8Array[]
  /** Their file; null: only the environment. Safe to print. */
  readonly file: string | null
  /** State of the file; null: there is none. */
  state(): FileState | null
  close(): void
}

export interface Tokens {
  readonly tokens: readonly Token[]
  /** The file that has them; null: the environment. Safe to print. */
  readonly file: string | null
}

export const secretBytes = 32

/**
 * Opens the signing secrets: those of LOYALTY_SECRETS and those of LOYALTY_SECRETS_FILE together; on staging without either, one made in
 * the data folder, readable only by its owner. The file is read again and again. A new content counts once two readings in a row agree and
 * it is whole: every line has the form of a secret, and the final line feed is there. A file that had none when it was last good may stay
 * without one; a new content must then stay the same for some seconds. A refused content leaves the secrets as they are, and the log and
 * `state` report it. A secret that left the file stays active for LOYALTY_SECRET_OVERLAP_S (`ActiveSecrets`).
 *
 * Rejects with StartFault where there is no secret to start with.
 */
export async function openSecrets(
  config: Pick<Config, 'environment' | 'secrets' | 'secretsFile' | 'secretOverlapS' | 'dataFolder'>,
  log: Pick<Logger, 'info' | 'warn' | 'error'>,
  { pollMs = 250, nowMs = () => performance.now() }: SecretsClock = {},
): Promise<Secrets> {
  const { environment, secrets: own, dataFolder } = config
  const set = new ActiveSecrets(own, config.secretOverlapS * 1_000, nowMs)
  const file =
    config.secretsFile ?? (own.length > 0 ? null : await madeFile(dataFolder, 'secret', () => `${newSecret()}\n`))
  if (file === null) return { active: () => set.active(), file, state: () => null, close() {} }

  const first = await readFile(file, 'utf8')
  const content = readSecretsFile(first, environment)
  // A file may hold only `revoked:` lines where the environment has secrets.
  if (content.kind === 'refused' || content.secrets.length + own.length === 0) {
    throw new StartFault(
      `signing secrets: expected 1 to ${secretsMax}, one a line, each ${secretForm(environment)}, in ${file}`,
    )
  }
  const refused = set.take(content)
  if (refused !== null) {
    throw new StartFault(`signing secrets: a line in ${file} is the beginning of a secret of LOYALTY_SECRETS`)
  }
  let good = first
  let goodAtMs = nowMs()
  let candidate: string | null = first
  let readings = 1
  let fault: SecretsFileRefusal | null = null

  async function look(): Promise<void> {
    const text = await readWithin(file!)
    readings = text === candidate ? readings + 1 : 1
    candidate = text
    if (readings < readingsUntilSettled(text)) return
    const found = text === good ? null : takeText(text)
    if (found === null) goodAtMs = nowMs()
    else if (found.reason !== fault?.reason || found.line !== fault.line) logRefusal(found)
    fault = found
  }

  function logRefusal(refusal: SecretsFileRefusal): void {
    const { reason, line } = refusal
    const short = `line ${line} is a secret of fewer than ${productionCharactersMin} characters, too short for production`
    const why = reason === 'too_short' ? `: ${short}` : ''
    // A weak secret is a person's mistake; other contents may be half-written, and whole a moment later.
    log[reason === 'too_short' ? 'error' : 'warn'](
      { file, reason, ...(line === null ? {} : { line }) },
      `the secrets file is refused, and the last good secrets stay active${why}`,
    )
  }

  /** null: taken. */
  function takeText(text: string | null): SecretsFileRefusal | null {
    const refusal = (reason: SecretsFileFault) => ({ reason, line: null })
    if (text === null) return refusal('unreadable')
    const read = readSecretsFile(text, environment)
    if (read.kind === 'refused') return read
    if (good.endsWith('\n') && !text.endsWith('\n')) return refusal('not_whole')
    const refused = set.take(read)
    if (refused !== null) return refusal(refused)
    good = text
    log.info({ secrets: set.active().length, leaving: set.leaving }, 'signing secrets changed')
    return null
  }

  return {
    active: () => set.active(),
    file,
    state: () => ({ goodAgeS: (nowMs() - goodAtMs) / 1_000, fault: fault?.reason ?? null }),
    close: every(pollMs, look),
  }
}

export interface SecretsClock {
  readonly pollMs?: number
  /** Never steps back; milliseconds. */
  readonly nowMs?: () => number
}

/** Equal readings in a row that settle a content: more without a final line feed, because more text may follow. */
function readingsUntilSettled(text: string | null): number {
  return text === null || text.endsWith('\n') ? 2 : 12
}

/** The text of a file; null where it cannot be read. Reads only the beginning of one larger than any secrets file. */
async function readWithin(file: string): Promise<string | null> {
  const bytes = createReadStream(file, { end: secretsFileBytesMax })
  try {
    return Buffer.concat(await bytes.toArray()).toString()
  } catch {
    return null
  }
}

/** The tokens of internal services: LOYALTY_TOKENS, or on staging one for each role, made in the data folder. */
export async function openTokens(config: Pick<Config, 'tokens' | 'dataFolder'>): Promise<Tokens> {
  if (config.tokens.length > 0) return { tokens: config.tokens, file: null }
  const file = await madeFile(config.dataFolder, 'tokens', () =>
    roleNames.map((role) => `${role}:${newSecret()}\n`).join(''),
  )
  const read = readTokens((await readFile(file, 'utf8')).split('\n').filter((line) => line !== ''))
  if (read === null || read.length === 0) throw new StartFault(`expected role:token lines in ${file}`)
  return { tokens: read, file }
}

/** The key of the partner page: LOYALTY_PARTNER_KEY, or on staging one made in the data folder. */
export async function openPartnerKey({ partnerKey, dataFolder }: Pick<Config, 'partnerKey' | 'dataFolder'>) {
  if (partnerKey !== null) return partnerKey
  const file = await madeFile(dataFolder, 'partner-key', () => `${newSecret()}\n`)
  return (await readFile(file, 'utf8')).trim()
}

const tokenForm = new RegExp(`^(${roleNames.join('|')}):([\\x21-\\x2b\\x2d-\\x7e]+)$`)

/** Reads `role:token` entries: visible ASCII, every token once; null for any other form. */
export function readTokens(entries: readonly string[]): Token[] | null {
  const tokens: Token[] = []
  for (const entry of entries) {
    const match = tokenForm.exec(entry.trim())
    if (match === null || tokens.some(({ token }) => token === match[2])) return null
    tokens.push({ role: match[1] as Token['role'], token: match[2]! })
  }
  return tokens
}

/** A new secret; hex, because base64url may begin with a dash, which command lines take for an option. */
export function newSecret(): string {
  return randomBytes(secretBytes).toString('hex')
}

/** Makes a file completely or not at all; the file of another process that was first stays. */
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
