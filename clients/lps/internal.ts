import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Code, ConnectError, type Interceptor, type Transport } from '@connectrpc/connect'
import { createGrpcTransport } from '@connectrpc/connect-node'
import { BadRequestSchema, ErrorInfoSchema } from '../../gateway/gen/google/rpc/error_details_pb.js'
import { authorityHelp } from './authority.js'
import { type Screen, WrongUse } from './command.js'
import { tlsFaultOf, tlsHint } from './tls-fault.js'

const { env } = process

/** Timeout of a call, in milliseconds: the service's own default. */
const callMs = 60_000

/** Arguments that name the internal services and a token. */
export interface InternalWords {
  readonly internal?: string | undefined
  readonly token?: string | undefined
  readonly 'token-file'?: string | undefined
}

export const internalOptions = {
  internal: { type: 'string' },
  token: { type: 'string' },
  'token-file': { type: 'string' },
} as const

export const internalHelp = `  --internal URL      the internal services. Default: LOYALTY_GRPC, else http://127.0.0.1:9090
  --token TEXT        a bearer token. Default: LOYALTY_TOKENS, else the file that the service writes to its data folder
  --token-file FILE   a file of role:token lines. Default: .data/tokens
${authorityHelp}`

type Role = 'reader' | 'support' | 'marketing' | 'admin'

/**
 * Finds the internal services and a token of this role: from arguments, the environment, or what `npm start` starts.
 */
export function findInternal(
  words: InternalWords,
  role: Role,
): { readonly url: string; readonly transport: Transport } {
  const named = words.internal ?? (env['LOYALTY_GRPC'] || '127.0.0.1:9090')
  const url = named.includes('://') ? named.replace(/\/+$/, '') : `http://${named}`
  if (!URL.canParse(url))
    throw new WrongUse(`--internal: expected such as https://loyalty.example:9090, received ${named}`)
  const token = tokenOf(words, role)
  const authorize: Interceptor = (next) => (request) => {
    request.header.set('authorization', `Bearer ${token}`)
    return next(request)
  }
  return { url, transport: createGrpcTransport({ baseUrl: url, interceptors: [authorize], defaultTimeoutMs: callMs }) }
}

function tokenOf({ token, 'token-file': named }: InternalWords, role: Role): string {
  if (token !== undefined) return token.trim()
  const file = named ?? join(env['LOYALTY_DATA'] || '.data', 'tokens')
  const listed = named === undefined ? env['LOYALTY_TOKENS'] : undefined
  const text = listed || (existsSync(file) ? readFileSync(file, 'utf8') : '')
  const entries = text.split(/[\n,]/).map((entry) => entry.trim())
  // Every token may read, and an admin token may do everything.
  const roles = role === 'reader' ? ['reader', 'support', 'marketing', 'admin'] : [role, 'admin']
  for (const wanted of roles.map((each) => `${each}:`)) {
    const found = entries.find((entry) => entry.startsWith(wanted))
    if (found !== undefined) return found.slice(wanted.length)
  }
  throw new WrongUse(
    `There is no token of the role ${role} in ${listed ? 'LOYALTY_TOKENS' : file}. The service logs their path at the start; name the file with --token-file.`,
  )
}

/** The reason of a refused call; null: not a refusal of the service. */
export function reasonOf(error: unknown): string | null {
  return error instanceof ConnectError ? (error.findDetails(ErrorInfoSchema)[0]?.reason ?? null) : null
}

/** Whether a stream ended because its connection did, or by its deadline after a day: it may be asked for again. */
export function isLost(error: unknown): boolean {
  if (!(error instanceof ConnectError)) return false
  return reasonOf(error) === null || error.code === Code.Unavailable || error.code === Code.DeadlineExceeded
}

export function violationsOf(error: unknown): readonly { readonly field: string; readonly description: string }[] {
  return error instanceof ConnectError
    ? error.findDetails(BadRequestSchema).flatMap((each) => each.fieldViolations)
    : []
}

/**
 * Runs a command against the internal services. Prints a refusal and its details, exit code 1. Turns invalid arguments
 * into `WrongUse`.
 */
export async function orExplained(url: string, { tell }: Screen, work: () => Promise<number>): Promise<number> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof ConnectError)) throw error
    if (error.code === Code.Unauthenticated)
      throw new WrongUse(`${url} rejects this token; name another with --token or --token-file`)
    if (error.code === Code.PermissionDenied)
      throw new WrongUse(`${error.rawMessage}; name one with --token or --token-file`)
    if (reasonOf(error) === null) {
      const refusal = tlsFaultOf(error)
      if (refusal !== null) throw new WrongUse(`${url}: ${refusal}`)
      throw new WrongUse(
        `${url} does not answer (${error.rawMessage}). Is it running? Name it with --internal${tlsHint(url, error)}`,
      )
    }
    tell(`${reasonOf(error)}: ${error.rawMessage}`)
    for (const { field, description } of violationsOf(error)) tell(`  ${field}: ${description}`)
    return 1
  }
}
