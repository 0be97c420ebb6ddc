import type { Address, Config } from './config.js'
import { isLoopback } from './networks.js'

/**
 * Warnings of a start on production, a line each: it accepts these settings, but should not run with them (wire decisions 7).
 *
 * @param isSample  true: the sample programme is in force
 */
export function startWarnings(config: Config, isSample: boolean): readonly string[] {
  const sample = 'LOYALTY_PROGRAM: the sample programme is in force, whose venues, members and benefits are invented'
  return [...plainAddresses(config), ...embeddedStores(config), ...(isSample ? [sample] : [])]
}

/** The warning for a Redis that may evict keys, by its maxmemory-policy. */
export function evictionWarning(policy: string): string {
  return `REDIS_URL: Redis may evict keys (maxmemory-policy ${policy}): set noeviction`
}

function plainAddresses({ tls, http, grpc }: Config): string[] {
  const listeners: [string, Address][] = [
    ['LOYALTY_HTTP', http],
    ['LOYALTY_GRPC', grpc],
  ]
  const open = listeners.filter(([, { host }]) => !isLoopback(host)).map(([name]) => name)
  if (tls !== null || open.length === 0) return []
  return [
    `${open.join(', ')}: plain HTTP beyond this machine: set LOYALTY_TLS_CERT, or let only a proxy with TLS reach it`,
  ]
}

function embeddedStores({ databaseUrl, redisUrl }: Config): string[] {
  const missing = [...(databaseUrl === null ? ['DATABASE_URL'] : []), ...(redisUrl === null ? ['REDIS_URL'] : [])]
  if (missing.length === 0) return []
  return [`${missing.join(', ')}: embedded stores serve one process, and are for trying the service out`]
}
