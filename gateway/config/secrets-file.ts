import { createHash } from 'node:crypto'
import type { Config } from './config.js'

export type SecretsFileRead =
  | { readonly kind: 'read'; readonly secrets: readonly string[]; readonly revoked: readonly string[] }
  | ({ readonly kind: 'refused' } & SecretsFileRefusal)

export interface SecretsFileRefusal {
  readonly reason: SecretsFileFault
  /** 1 and up; null: no single line is at fault. */
  readonly line: number | null
}

/**
 * The reason why a secrets file does not count: it cannot be read, has no line, is larger than any such file, a line has not the form of
 * a secret or is too short for production, it has more secrets than may be active, or its end is missing.
 */
export type SecretsFileFault =
  | 'unreadable'
  | 'empty'
  | 'too_large'
  | 'not_secrets'
  | 'too_short'
  | 'too_many'
  | 'not_whole'

/** Secrets in a file, and as many in LOYALTY_SECRETS: each one costs an HMAC over every body. */
export const secretsMax = 16
export const secretsFileBytesMax = 65_536
/** Minimum characters of every secret and token on production (wire decisions 7): a shorter one could be found by trial. */
export const productionCharactersMin = 24

export function secretForm(environment: Config['environment']): string {
  const charactersMin = environment === 'production' ? productionCharactersMin : 16
  return `${charactersMin} to 256 visible ASCII characters without quotes, commas, backslashes and brackets`
}

/** True for a secret or token that this environment refuses for its length. */
export function isTooShort(text: string, environment: Config['environment']): boolean {
  return environment === 'production' && [...text].length < productionCharactersMin
}

/**
 * A secret in a file. Shorter ones, spaces, quotes and brackets are excluded so that a file with other content (an error page, JSON, a
 * message) does not pass for secrets: `<html>`, `502 Bad Gateway`, `{"error":...}`, `null`.
 */
const secretPattern = /^[!#$%&*+\-./0-9:;=?@A-Z^_a-z|~]{16,256}$/
const revokedPrefix = 'revoked:'
const revokedLinesMax = 256

/**
 * Reads a file of secrets, one a line: white space around a line and blank lines are skipped. A line `revoked:` and a secret, or the
 * SHA-256 of one in hex, ends that secret, which may be short. The file counts only where every line has one of these two forms.
 */
export function readSecretsFile(text: string, environment: Config['environment']): SecretsFileRead {
  const refused = (reason: SecretsFileFault, line: number | null = null): SecretsFileRead => ({
    kind: 'refused',
    reason,
    line,
  })
  if (text.length > secretsFileBytesMax) return refused('too_large')
  const secrets = new Set<string>()
  const revoked = new Set<string>()
  for (const [at, whole] of text.split('\n').entries()) {
    const line = whole.trim()
    if (line === '') continue
    const isRevoked = line.startsWith(revokedPrefix)
    const value = isRevoked ? line.slice(revokedPrefix.length) : line
    if (!secretPattern.test(value)) return refused('not_secrets', at + 1)
    if (!isRevoked && isTooShort(value, environment)) return refused('too_short', at + 1)
    ;(isRevoked ? revoked : secrets).add(value)
  }
  if (secrets.size + revoked.size === 0) return refused('empty')
  if (secrets.size > secretsMax || revoked.size > revokedLinesMax) return refused('too_many')
  return { kind: 'read', secrets: [...secrets], revoked: [...revoked] }
}

/** True when a `revoked:` line names the secret: itself, or its SHA-256 in hex, so that the secret need not be stored. */
export function isRevokedBy(revoked: ReadonlySet<string>, secret: string): boolean {
  return revoked.has(secret) || revoked.has(createHash('sha256').update(secret).digest('hex'))
}
