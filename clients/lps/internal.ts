import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { MethodOptions_IdempotencyLevel } from '@bufbuild/protobuf/wkt'
import { Code, ConnectError, type Interceptor, type Transport } from '@connectrpc/connect'
import { createGrpcTransport } from '@connectrpc/connect-node'
import type { Command } from 'commander'
import type { RoleName } from '../../gateway/config/config.js'
import { BadRequestSchema, ErrorInfoSchema } from '../../gateway/gen/google/rpc/error_details_pb.js'
import { rolesOf } from '../../gateway/internal/access.js'
import { tlsFaultOf, tlsHint } from './certificates.js'
import { printError, WrongUse } from './screen.js'

const { env } = process

const callMs = 60_000
const attemptsMax = 5
const pauseMs = 1_000

export interface InternalOptions {
  readonly internal?: string
  readonly token?: string
  readonly tokenFile?: string
}

export function withInternal(command: Command): Command {
  return command
    .option('--internal <url>', 'the internal services. Default: LOYALTY_GRPC, else http://127.0.0.1:9090')
    .option(
      '--token <text>',
      'a bearer token. Default: LOYALTY_TOKENS, else the file that the service writes to its data folder',
    )
    .option('--token-file <file>', 'a file of role:token lines. Default: .data/tokens')
}

/**
 * Runs work against the internal services: those of the options, the environment, or what `npm start` starts. Each call has a token
 * whose role may make it. Prints a refusal and its details, exit code 1; throws WrongUse where no service answers or accepts the token.
 */
export async function onInternal(
  options: InternalOptions,
  work: (transport: Transport) => Promise<number>,
): Promise<number> {
  const url = urlOf(options)
  const authorize: Interceptor = (next) => (request) => {
    request.header.set('authorization', `Bearer ${tokenOf(options, rolesOf(request.method))}`)
    return next(request)
  }
  const interceptors = [authorize, repeatWhileUnreachable]
  try {
    return await work(createGrpcTransport({ baseUrl: url, interceptors, defaultTimeoutMs: callMs }))
  } catch (error) {
    if (!(error instanceof ConnectError)) throw error
    if (error.cause instanceof WrongUse) throw error.cause
    return explain(url, error)
  }
}

function explain(url: string, error: ConnectError): number {
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
  printError(`${reasonOf(error)}: ${error.rawMessage}`)
  for (const { field, description } of violationsOf(error)) printError(`  ${field}: ${description}`)
  return 1
}

function urlOf({ internal }: InternalOptions): string {
  const named = internal ?? (env['LOYALTY_GRPC'] || '127.0.0.1:9090')
  const url = named.includes('://') ? named.replace(/\/+$/, '') : `http://${named}`
  if (URL.canParse(url)) return url
  throw new WrongUse(`--internal: expected such as https://loyalty.example:9090, received ${named}`)
}

function tokenOf({ token, tokenFile }: InternalOptions, roles: readonly RoleName[]): string {
  if (token !== undefined) return token.trim()
  const file = tokenFile ?? join(env['LOYALTY_DATA'] || '.data', 'tokens')
  const listed = tokenFile === undefined ? env['LOYALTY_TOKENS'] : undefined
  const text = listed || (existsSync(file) ? readFileSync(file, 'utf8') : '')
  const entries = text.split(/[\n,]/).map((entry) => entry.trim())
  for (const role of roles) {
    const found = entries.find((entry) => entry.startsWith(`${role}:`))
    if (found !== undefined) return found.slice(role.length + 1)
  }
  throw new WrongUse(
    `There is no token of the role ${roles[0]} in ${listed ? 'LOYALTY_TOKENS' : file}. The service logs their path at the start; name the file with --token-file.`,
  )
}

const repeatWhileUnreachable: Interceptor = (next) => async (request) => {
  const isRepeatable = request.method.idempotency === MethodOptions_IdempotencyLevel.IDEMPOTENT
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await next(request)
    } catch (error) {
      if (!isRepeatable || attempt === attemptsMax || !isUnreachable(error)) throw error
    }
    await sleep(pauseMs)
  }
}

/** The service reports it, or did not answer: it may be restarting. A refused certificate stays refused. */
function isUnreachable(error: unknown): boolean {
  if (!(error instanceof ConnectError)) return false
  return reasonOf(error) === 'UNAVAILABLE' || (reasonOf(error) === null && tlsFaultOf(error) === null)
}

export function reasonOf(error: unknown): string | null {
  return error instanceof ConnectError ? (error.findDetails(ErrorInfoSchema)[0]?.reason ?? null) : null
}

export function isLost(error: unknown): boolean {
  if (!(error instanceof ConnectError)) return false
  return reasonOf(error) === null || error.code === Code.Unavailable || error.code === Code.DeadlineExceeded
}

export function violationsOf(error: unknown): readonly { readonly field: string; readonly description: string }[] {
  return error instanceof ConnectError
    ? error.findDetails(BadRequestSchema).flatMap((each) => each.fieldViolations)
    : []
}
