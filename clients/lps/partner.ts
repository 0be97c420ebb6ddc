import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Command } from 'commander'
import { objectFromJson } from '../pos-js/calculate.js'
import type { Service } from '../pos-js/call.js'
import { WrongUse } from './screen.js'
import { readBytes } from './words.js'

const { env } = process

export interface PartnerOptions {
  readonly url?: string
  readonly secret?: string
  readonly secretFile?: string
}

export function withPartner(command: Command): Command {
  return command
    .option('--url <url>', 'default: LOYALTY_HTTP, else http://127.0.0.1:8080')
    .option('--secret <text>', 'default: LOYALTY_SECRETS, else the file that the service writes to its data folder')
    .option(
      '--secret-file <file>',
      'a file with the secret in its first line that is not `revoked:`. Default: LOYALTY_SECRETS_FILE, else .data/secret',
    )
}

export function findPartner({ url, secret, secretFile }: PartnerOptions): Service {
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

export interface PartnerBody {
  readonly body: Buffer
  readonly key: string
  readonly path: '/v1/pos/basket' | '/v1/pos/sale' | '/v1/pos/return'
}

export function readPartnerBody(file: string): PartnerBody {
  const body = readBytes(file)
  const value = objectFromJson(body.toString('utf8'))
  const { returnId, calculationId, lines } = value ?? {}
  if (typeof returnId === 'string') return { body, key: returnId, path: '/v1/pos/return' }
  if (typeof calculationId === 'string') {
    return { body, key: calculationId, path: lines === undefined ? '/v1/pos/sale' : '/v1/pos/basket' }
  }
  throw new WrongUse(`${file}: expected a JSON object with a calculationId or returnId`)
}
