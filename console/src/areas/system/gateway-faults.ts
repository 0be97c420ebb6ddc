import type { Timestamp } from '@bufbuild/protobuf/wkt'
import { CacheReach, type Gateway } from '../../../../gateway/gen/loyalty/v1/system_service_pb.js'
import type { Words } from '../../i18n/words.js'
import { dateOf } from '../../parts/values.js'

/** The interval of the gateways' reports, in milliseconds. */
export const gatewaysAgainMs = 10_000
/** A publication reaches every gateway within 2 s, and this list with its next report: until then a gateway may show an older version. */
const spreadMs = 30_000

export interface Newest {
  readonly version: number
  readonly publishedAt?: Timestamp | undefined
}

/** The programme version that every gateway should have by now; undefined: not known. */
export function expectedVersion(newest: Newest | undefined, at: Timestamp | undefined): number | undefined {
  if (newest?.publishedAt === undefined || at === undefined) return undefined
  const ageMs = dateOf(at).getTime() - dateOf(newest.publishedAt).getTime()
  return ageMs > spreadMs ? newest.version : undefined
}

export function faultsOf(t: Words, gateway: Gateway, expected: number | undefined): readonly string[] {
  if (gateway.silent) return [t('gateways.silent')]
  return [
    ...(gateway.processes < gateway.processesWanted ? [t('gateways.processMissing')] : []),
    ...(expected !== undefined && gateway.programmeVersion < expected ? [t('gateways.behind')] : []),
    ...(gateway.cache === CacheReach.DOWN ? [t('gateways.cacheDown')] : []),
  ]
}
