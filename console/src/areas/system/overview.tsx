import { useQuery } from '@connectrpc/connect-query'
import { AccessService } from '../../../../gateway/gen/loyalty/v1/access_service_pb.js'
import { ProgrammeService } from '../../../../gateway/gen/loyalty/v1/programme_service_pb.js'
import type { WatchTodayResponse } from '../../../../gateway/gen/loyalty/v1/report_service_pb.js'
import { useToday } from '../../api/use-today.js'
import { useWords, type Words } from '../../i18n/words.js'
import { Facts, Part } from '../../parts/detail.js'
import { ErrorPanel } from '../../parts/error-panel.js'
import { Page } from '../../parts/page.js'
import { Rows } from '../../parts/rows.js'
import { Skeleton } from '../../parts/states.js'
import { Time } from '../../parts/time.js'
import { Gateways } from './gateways.js'
import styles from './system.module.css'

/** Where the console is, which gateways run, what the one that answers did lately, and what the token may do. */
export function Overview() {
  const t = useWords()
  const access = useQuery(AccessService.method.getAccess, {})
  const programme = useQuery(ProgrammeService.method.getProgramme, { version: 0, withoutDocument: true })
  const version = programme.data?.programme
  return (
    <Page title={t('area.system')}>
      {access.isPending && <Skeleton lines={4} />}
      {access.isError && <ErrorPanel cause={access.error} onRetry={() => void access.refetch()} />}
      {access.isSuccess && (
        <Facts
          facts={[
            [t('system.environment'), access.data.environment],
            [t('system.token'), access.data.name],
            [t('system.role'), access.data.role],
            [t('system.programme'), version === undefined ? '–' : version.version],
            [t('versions.at'), <Time key="at" at={version?.publishedAt} />],
          ]}
        />
      )}
      <Gateways newest={version} />
      <Traffic />
      {access.isSuccess && (
        <details>
          <summary>{t('system.calls', { count: access.data.calls.length })}</summary>
          <ul className={styles['calls']}>
            {access.data.calls.map((call) => (
              <li key={call}>
                <code>{call}</code>
              </li>
            ))}
          </ul>
        </details>
      )}
    </Page>
  )
}

/** What the gateway that answers was asked over the last minute, as it goes. */
function Traffic() {
  const t = useWords()
  const { today, cause, again } = useToday()
  return (
    <Part level={2} title={t('system.traffic')}>
      {cause !== null ? (
        <ErrorPanel cause={cause} onRetry={again} />
      ) : today?.traffic === undefined ? (
        <Skeleton lines={3} />
      ) : (
        <>
          <Facts facts={trafficFacts(t, today, today.traffic)} />
          {today.traffic.outcomes.length > 0 && (
            <Rows
              label={t('system.traffic')}
              columns={[
                { key: 'outcome', head: t('system.outcome'), cell: ({ outcome }) => outcome },
                { key: 'baskets', head: t('system.baskets'), cell: ({ baskets }) => String(baskets), isNumber: true },
              ]}
              rows={today.traffic.outcomes}
              keyOf={({ outcome }) => outcome}
            />
          )}
        </>
      )}
    </Part>
  )
}

function trafficFacts(
  t: Words,
  { at }: WatchTodayResponse,
  { seconds, baskets, p50Ms, p95Ms, p99Ms }: NonNullable<WatchTodayResponse['traffic']>,
) {
  const number = new Intl.NumberFormat(t.locale, { maximumFractionDigits: 1 })
  const time = (ms: number | undefined) => (ms === undefined ? '–' : `${number.format(ms)} ms`)
  return [
    [t('system.baskets'), t('system.basketsIn', { baskets, seconds: number.format(seconds) })],
    [t('system.p50'), time(p50Ms)],
    [t('system.p95'), time(p95Ms)],
    [t('system.p99'), time(p99Ms)],
    [t('system.ledgerTime'), <Time key="at" at={at} show="time" />],
  ] as const
}
