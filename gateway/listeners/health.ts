import type { Readiness } from '../background/upkeep.js'

export const livePage = JSON.stringify({ status: 'live' })

export function readinessPage({ ready, parts }: Readiness): Pick<Readiness, 'parts'> & { readonly status: string } {
  return { status: ready ? 'ready' : 'not_ready', parts }
}
