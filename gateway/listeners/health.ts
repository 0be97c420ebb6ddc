import type { Readiness } from '../background/upkeep.js'

/** The body of `GET /health/live`. */
export const livePage = JSON.stringify({ status: 'live' })

/** What `GET /health/ready` says. */
export function readinessPage({ ready, parts }: Readiness): Pick<Readiness, 'parts'> & { readonly status: string } {
  return { status: ready ? 'ready' : 'not_ready', parts }
}
