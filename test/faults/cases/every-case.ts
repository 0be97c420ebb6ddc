import type { FaultCase } from '../run-case.js'
import { bothStoresCases } from './both-stores-cases.js'
import { clockCases } from './clock-cases.js'
import { clusterCases } from './cluster-cases.js'
import { connectionCases } from './connection-cases.js'
import { failoverCases } from './failover-cases.js'
import { failpointCases } from './failpoint-cases.js'
import { gatewayCases } from './gateway-cases.js'
import { lostMemoryCases } from './lost-memory-cases.js'
import { posCases } from './pos-cases.js'
import { postgresCases } from './postgres-cases.js'
import { programmeCases } from './programme-cases.js'
import { redisCases } from './redis-cases.js'
import { secretsCases } from './secrets-cases.js'

/** Every fault, in the order of the matrix in reliability.md. */
export const everyCase: readonly FaultCase[] = [
  ...gatewayCases,
  ...failpointCases,
  ...redisCases,
  ...lostMemoryCases,
  ...postgresCases,
  ...connectionCases,
  ...clockCases,
  ...failoverCases,
  ...bothStoresCases,
  ...posCases,
  ...programmeCases,
  ...secretsCases,
  ...clusterCases,
].sort((left, right) => rank(left.id) - rank(right.id) || left.id.localeCompare(right.id))

/** Clock and cluster cases have no number and come last. */
function rank(id: string): number {
  return Number(/\d+/.exec(id)?.[0] ?? Number.MAX_SAFE_INTEGER)
}
