import { createHash, randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Test } from 'tap'
import type { RoleName } from '../../../gateway/config/config.js'
import type { BasketBody, BasketBuilder } from '../../e2e/basket.js'
import { type Answer, eventually, type RunningService, startService } from '../../e2e/service.js'
import { aGrpcClient, type GrpcClient } from './grpc-client.js'

/** A whole service as `npm start` starts it, and clients of its internal services. */
export interface Served {
  readonly service: RunningService
  /** host:port of the internal services. */
  readonly target: string
  /** Sends as a POS, which repeats while the answer is 503. */
  send(path: string, text: string): Promise<Answer>
  /** Prices a basket until its benefit is applied: a busy ledger may first omit limited benefits. Resolves to the basket sent. */
  applied(basket: BasketBuilder): Promise<BasketBody>
  reader(t: Test): GrpcClient
  admin(t: Test): GrpcClient
  /** A client with the token of this role. */
  as(t: Test, role: RoleName): GrpcClient
  /** The bearer token of a role. */
  readonly tokens: Readonly<Record<RoleName, string>>
}

const tokens = {
  reader: 'token-of-a-reader',
  support: 'token-of-support',
  marketing: 'token-of-marketing',
  admin: 'token-of-an-admin',
}

export const e2eProgramme = join(import.meta.dirname, '..', '..', 'e2e', 'programme.json')

/**
 * @param stores  settings of the stores; none: embedded
 * @param main    entry file; absent: the gateway of this build
 */
export async function startServed(stores: Record<string, string> = {}, main?: string): Promise<Served> {
  const service = await startService({
    ...(main && { main }),
    env: {
      LOYALTY_PROGRAM: e2eProgramme,
      LOYALTY_TOKENS: Object.entries(tokens)
        .map(([role, token]) => `${role}:${token}`)
        .join(),
      LOYALTY_SECRETS: 'secret-of-the-tests-0123456789abcdef',
      // A busy machine answers late; lateness is other tests' concern.
      LOYALTY_DEADLINE_MS: '10000',
      ...stores,
    },
  })
  const target = new URL(service.internalUrl).host
  const send = (path: string, text: string) => eventually(() => service.send(path, text))
  return {
    service,
    target,
    tokens,
    send,
    async applied(basket) {
      const until = performance.now() + patienceMs
      for (;;) {
        const sent = basket.with({ calculationId: randomUUID() })
        const { json } = await send('/v1/pos/basket', sent.text())
        if (json.status === 'applied') return sent.body()
        if (performance.now() > until) throw new Error(`not applied: ${JSON.stringify(json)}`)
        await sleep(50)
      }
    },
    reader: (t) => aGrpcClient(t, target, tokens.reader),
    admin: (t) => aGrpcClient(t, target, tokens.admin),
    as: (t, role) => aGrpcClient(t, target, tokens[role]),
  }
}

/** The name of a token in audit records. */
export function nameOfToken(role: string, token: string): string {
  return `${role}-${createHash('sha256').update(token).digest('hex').slice(0, 8)}`
}

/** Time for a change to reach every replica, with room for a busy machine. */
const changeMs = 2_000
const patienceMs = 20_000

/** Repeats until it holds and reports how long it took; a busy machine fails no test. */
export async function within2s(t: Test, holds: () => Promise<boolean>, what: string): Promise<void> {
  const from = performance.now()
  while (!(await holds())) {
    if (performance.now() - from > patienceMs) return void t.fail(`${what}: not after ${patienceMs} ms`)
    await sleep(20)
  }
  const tookMs = performance.now() - from
  t.pass(what)
  if (tookMs > changeMs) t.comment(`${what}: ${tookMs.toFixed(0)} ms`)
}
