import { createHash } from 'node:crypto'

/** What a secrets file holds, or why it does not count. */
export type SecretsFileRead =
  | { readonly kind: 'read'; readonly secrets: readonly string[]; readonly revoked: readonly string[] }
  | { readonly kind: 'refused'; readonly reason: SecretsFileFault }

/**
 * Why a secrets file does not count: it cannot be read, it holds no line, it is larger than any such file, a line has not the form of a
 * secret, it holds more secrets than may be active, or its end is missing.
 */
export type SecretsFileFault = 'unreadable' | 'empty' | 'too_large' | 'not_secrets' | 'too_many' | 'not_whole'

/** At most this many secrets stand in a file, and as many in LOYALTY_SECRETS: each one costs an HMAC over every body. */
export const secretsMax = 16
export const secretsFileBytesMax = 65_536
/** In words, for people. */
export const secretForm = '16 to 256 visible ASCII characters without quotes, commas, backslashes and brackets'

/**
 * A secret in a file. Shorter ones, spaces, quotes and brackets are left out because a file that holds something else (an error page,
 * JSON, a message) must not pass for secrets: `<html>`, `502 Bad Gateway`, `{"error":...}`, `null`.
 */
const secretPattern = /^[!#$%&*+\-./0-9:;=?@A-Z^_a-z|~]{16,256}$/
const revokedPrefix = 'revoked:'
const revokedLinesMax = 256

/**
 * Reads a file of secrets, one a line: white space around a line and blank lines are skipped. A line `revoked:` and a secret, or the
 * SHA-256 of one in hex, ends that secret. The file counts only where every line has one of these two forms.
 */
export function readSecretsFile(text: string): SecretsFileRead {
  const refused = (reason: SecretsFileFault): SecretsFileRead => ({ kind: 'refused', reason })
  if (text.length > secretsFileBytesMax) return refused('too_large')
  const lines = new Set(
    text
      .split('\n')
      .map((line) => line.trim())
      .filter((line) => line !== ''),
  )
  if (lines.size === 0) return refused('empty')
  const secrets: string[] = []
  const revoked: string[] = []
  for (const line of lines) {
    const isRevoked = line.startsWith(revokedPrefix)
    const value = isRevoked ? line.slice(revokedPrefix.length) : line
    if (!secretPattern.test(value)) return refused('not_secrets')
    if (isRevoked) revoked.push(value)
    else secrets.push(value)
  }
  if (secrets.length > secretsMax || revoked.length > revokedLinesMax) return refused('too_many')
  return { kind: 'read', secrets, revoked }
}

/** Whether one of these `revoked:` lines means the secret: by itself, or by its SHA-256 in hex, so that the secret need not be kept. */
export function isRevokedBy(revoked: ReadonlySet<string>, secret: string): boolean {
  return revoked.has(secret) || revoked.has(createHash('sha256').update(secret).digest('hex'))
}
