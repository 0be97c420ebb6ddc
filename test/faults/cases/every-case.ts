import type { FaultCase } from '../run-case.js'
import { clusterCases } from './cluster-cases.js'
import { failpointCases } from './failpoint-cases.js'
import { clockCases, gatewayCases, programmeCases, secretsCases } from './gateway-cases.js'
import { posCases } from './pos-cases.js'
import { connectionCases, redisCases } from './redis-cases.js'
import { bothStoresCases, lostMemoryCases, postgresCases } from './store-cases.js'

/** Every fault that can be made from outside, by what is broken. */
export const casesByKind: Readonly<Record<string, readonly FaultCase[]>> = {
  gateways: gatewayCases,
  failpoints: failpointCases,
  redis: redisCases,
  'lost-memory': lostMemoryCases,
  postgres: postgresCases,
  connections: connectionCases,
  clocks: clockCases,
  'both-stores': bothStoresCases,
  pos: posCases,
  programmes: programmeCases,
  secrets: secretsCases,
  cluster: clusterCases,
}

/** The same in the order of the matrix. */
export const everyCase: readonly FaultCase[] = Object.values(casesByKind)
  .flat()
  .sort((left, right) => rank(left.id) - rank(right.id) || left.id.localeCompare(right.id))

/** Those of clocks and of several gateways on a cluster have no number and come last. */
function rank(id: string): number {
  return Number(/\d+/.exec(id)?.[0] ?? Number.MAX_SAFE_INTEGER)
}
