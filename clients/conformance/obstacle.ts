import { tlsFaultOf, tlsHint } from '../lps/tls-fault.js'
import { type Deployment, Probe } from './probe.js'

/**
 * One plain sentence on a problem that would fail every check: no connection, wrong secret, clock, unknown venue. null:
 * none.
 */
export async function obstacleTo(deployment: Deployment): Promise<string | null> {
  const probe = new Probe(deployment)
  try {
    const { body } = await probe.postBasket(probe.basket('TEST-NOT-FOUND'))
    const { code } = (body?.['error'] ?? {}) as { readonly code?: unknown }
    return obstacles.get(code) ?? null
  } catch (error) {
    const refusal = tlsFaultOf(error)
    if (refusal !== null) return refusal
    const { message, cause } = error as Error
    return `no answer (${cause instanceof Error && cause.message !== '' ? cause.message : message})${tlsHint(deployment.service.url, error)}`
  }
}

const obstacles: ReadonlyMap<unknown, string> = new Map([
  [
    'invalid_signature',
    'the secret is not one of the deployment (invalid_signature): name it with --secret or --secret-file',
  ],
  ['stale_timestamp', 'the clocks here and there are more than 300 s apart (stale_timestamp)'],
  [
    'venue_not_configured',
    'there is no such venue with this bax (venue_not_configured): name them with --venue and --bax',
  ],
  ['unknown_currency', 'this is not the currency of the venue (unknown_currency): name it with --currency'],
])
