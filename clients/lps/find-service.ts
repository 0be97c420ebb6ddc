import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Service } from '../pos-js/call.js'
import { WrongUse } from './command.js'

const { env } = process

/** Arguments that name the service and its shared secret. */
export interface ServiceWords {
  readonly url?: string | undefined
  readonly secret?: string | undefined
  readonly 'secret-file'?: string | undefined
}

export const serviceOptions = {
  url: { type: 'string' },
  secret: { type: 'string' },
  'secret-file': { type: 'string' },
} as const

export const serviceHelp = `  --url URL           default: LOYALTY_HTTP, else http://127.0.0.1:8080
  --secret TEXT       default: LOYALTY_SECRETS, else the file that the service writes to its data folder
  --secret-file FILE  a file with the secret in its first line that is not \`revoked:\`. Default: LOYALTY_SECRETS_FILE, else .data/secret`

/** Finds the service: from arguments, else the environment, else the one that `npm start` starts. */
export function findService({ url, secret, 'secret-file': secretFile }: ServiceWords): Service {
  const base = url ?? `http://${env['LOYALTY_HTTP'] || '127.0.0.1:8080'}`
  if (!URL.canParse(base)) throw new WrongUse(`--url: expected such as https://loyalty.example, received ${base}`)
  return { url: base.replace(/\/+$/, ''), secret: secretOf(secret, secretFile) }
}

function secretOf(secret: string | undefined, named: string | undefined): string {
  const known = secret ?? (named === undefined ? env['LOYALTY_SECRETS']?.split(',')[0] : undefined)
  if (known) return known.trim()
  const file = named ?? (env['LOYALTY_SECRETS_FILE'] || join(env['LOYALTY_DATA'] || '.data', 'secret'))
  const lines = existsSync(file) ? readFileSync(file, 'utf8').split('\n') : []
  const first = lines.map((line) => line.trim()).find((line) => line !== '' && !line.startsWith('revoked:'))
  if (first !== undefined) return first
  throw new WrongUse(
    `There is no secret in ${file}. The service logs its path at the start; name it with --secret-file.`,
  )
}
