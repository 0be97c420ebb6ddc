import type { FaultCase } from '../run-case.js'
import { bothStoresCases } from './both-stores-cases.js'
import { clockCases } from './clock-cases.js'
import { clusterCases } from './cluster-cases.js'
import { connectionCases } from './connection-cases.js'
import { failpointCases } from './failpoint-cases.js'
import { gatewayCases } from './gateway-cases.js'
import { lostMemoryCases } from './lost-memory-cases.js'
import { posCases } from './pos-cases.js'
import { postgresCases } from './postgres-cases.js'
import { programmeCases } from './programme-cases.js'
import { redisCases } from './redis-cases.js'
import { secretsCases } from './secrets-cases.js'

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
