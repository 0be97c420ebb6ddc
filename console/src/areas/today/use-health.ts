import { useQuery } from '@connectrpc/connect-query'
import { ProgrammeService } from '../../../../gateway/gen/loyalty/v1/programme_service_pb.js'
import type { WatchTodayResponse } from '../../../../gateway/gen/loyalty/v1/report_service_pb.js'
import { type GetStoresResponse, SystemService } from '../../../../gateway/gen/loyalty/v1/system_service_pb.js'
import { useWords, type Words } from '../../i18n/words.js'
import { countText, figureText } from '../../parts/figures.js'
import { expectedVersion, faultsOf, gatewaysAgainMs } from '../system/gateway-faults.js'

/** A part of the service, and how it is. */
export interface HealthPart {
  readonly name: string
  readonly text: string
  readonly isWell: boolean
}

export interface HealthOfAll {
  readonly parts: readonly HealthPart[]
  /** Gateways that run; 0: not known yet. */
  readonly gateways: number
}

/** A publication counts as everywhere, or not, only half a minute later. */
const programmeAgainMs = 30_000
/** Calculations wait a second or so on their way to the ledger; what waits longer is stuck. */
const journalMsMax = 10_000

/** How each part of the service is, in a line: gateways, programme, Redis, Postgres, what waits for it. */
export function useHealth({ programmeVersion }: WatchTodayResponse): HealthOfAll {
  const t = useWords()
  const again = { refetchInterval: gatewaysAgainMs }
  const gateways = useQuery(SystemService.method.listGateways, {}, again)
  const stores = useQuery(SystemService.method.getStores, {}, again)
  const newest = useQuery(
    ProgrammeService.method.getProgramme,
    { version: 0, withoutDocument: true },
    { refetchInterval: programmeAgainMs },
  )
  const programme = newest.data?.programme
  const expected = expectedVersion(programme, gateways.data?.at)
  const running = gateways.data?.gateways.filter(({ silent }) => !silent) ?? []
  const amiss = gateways.data?.gateways.filter((gateway) => faultsOf(t, gateway, expected).length > 0).length ?? 0
  const behind = running.filter((gateway) => expected !== undefined && gateway.programmeVersion < expected).length
  return {
    gateways: running.length,
    parts: [
      ...(gateways.isSuccess
        ? [
            {
              name: t('gateways.title'),
              text: `${t('health.gateways', { count: running.length })}${amiss === 0 ? '' : `, ${t('gateways.amiss', { count: amiss })}`}`,
              isWell: amiss === 0,
            },
          ]
        : []),
      {
        name: t('health.programme'),
        text:
          behind === 0
            ? t('health.programmeEverywhere', { version: String(programmeVersion) })
            : t('health.programmeBehind', { version: String(programme?.version), count: behind }),
        isWell: behind === 0,
      },
      ...(stores.isSuccess ? storeParts(t, stores.data) : []),
    ],
  }
}

function storeParts(t: Words, { ledger, cache, journal }: GetStoresResponse): readonly HealthPart[] {
  const answers = (up: boolean, ms: number) => (up ? t('health.answers', { ms: figureText(t, ms) }) : t('health.away'))
  const entries = (journal?.entries ?? 0n) + (cache === undefined ? (journal?.copies ?? 0n) : 0n)
  const oldestMs = journal?.oldestMs ?? 0
  return [
    {
      name: ledger?.embedded ? t('health.embedded') : t('health.ledger'),
      text: answers(ledger?.up ?? false, ledger?.answerMs ?? 0),
      isWell: ledger?.up ?? false,
    },
    ...(cache === undefined
      ? []
      : [{ name: t('gateways.cache'), text: answers(cache.up, cache.answerMs), isWell: cache.up }]),
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
