import { join } from 'node:path'
import type { Test } from 'tap'
import { type RunningService, startService } from '../../e2e/service.js'
import { aGrpcClient, type GrpcClient } from './grpc-client.js'

/** A whole service as `npm start` starts it, and clients of its internal services. */
export interface Served {
  readonly service: RunningService
  /** host:port of the internal services. */
  readonly target: string
  reader(t: Test): GrpcClient
  admin(t: Test): GrpcClient
  /** The bearer token of a role. */
  readonly tokens: { readonly reader: string; readonly admin: string }
}

const tokens = { reader: 'token-of-a-reader', admin: 'token-of-an-admin' }

export const e2eProgramme = join(import.meta.dirname, '..', '..', 'e2e', 'programme.json')

/** @param stores  settings of the stores; none: embedded */
export async function startServed(stores: Record<string, string> = {}): Promise<Served> {
  const service = await startService({
    env: {
      LOYALTY_PROGRAM: e2eProgramme,
      LOYALTY_TOKENS: `reader:${tokens.reader},admin:${tokens.admin}`,
      LOYALTY_SECRETS: 'secret-of-the-tests-0123456789abcdef',
      ...stores,
    },
  })
  const target = new URL(service.internalUrl).host
  return {
    service,
    target,
    tokens,
    reader: (t) => aGrpcClient(t, target, tokens.reader),
    admin: (t) => aGrpcClient(t, target, tokens.admin),
  }
}
