import type { Timestamp } from '@bufbuild/protobuf/wkt'
import {
  CacheReach,
  type Gateway,
  type GetStoresResponse,
  type LedgerStore,
} from '../../../../gateway/gen/loyalty/v1/system_service_pb.js'
import type { Words } from '../../i18n/words.js'
import { countText, figureText } from '../../parts/scaled.js'
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

export interface HealthPart {
  readonly name: string
  readonly text: string
  readonly isWell: boolean
}

/** The contract's p99 of a whole answer: a store that takes as long for one call leaves it no room. */
const storeMsMax = 250
/** Calculations need a second or so on their way to the ledger; older ones are stuck. */
const journalMsMax = 10_000

export function storeParts(t: Words, { ledger, cache, journal }: GetStoresResponse): readonly HealthPart[] {
  const entries = (journal?.entries ?? 0n) + (cache === undefined ? (journal?.copies ?? 0n) : 0n)
  const oldestMs = journal?.oldestMs ?? 0
  return [
    ledgerPart(t, ledger!),
    ...(cache === undefined ? [] : [cachePart(t, cache)]),
    {
      name: t('health.journal'),
      text:
        entries === 0n
          ? t('health.journalEmpty')
          : t('health.journalWaits', { count: countText(t, entries), seconds: figureText(t, oldestMs / 1_000) }),
      isWell: oldestMs <= journalMsMax,
    },
  ]
}

type Reach = Pick<LedgerStore, 'up' | 'answerMs'>

export function ledgerPart(t: Words, ledger: Reach & Pick<LedgerStore, 'embedded'>): HealthPart {
  return { name: t(ledger.embedded ? 'health.embedded' : 'health.ledger'), ...reachOf(t, ledger) }
}

export function cachePart(t: Words, cache: Reach): HealthPart {
  return { name: t('gateways.cache'), ...reachOf(t, cache) }
}

function reachOf(t: Words, { up, answerMs }: Reach): Pick<HealthPart, 'text' | 'isWell'> {
  if (!up) return { text: t('health.away'), isWell: false }
  const isWell = answerMs <= storeMsMax
  return { text: t(isWell ? 'health.answers' : 'health.slow', { ms: figureText(t, answerMs) }), isWell }
}
