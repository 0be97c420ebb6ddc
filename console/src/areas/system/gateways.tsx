import { useQuery } from '@connectrpc/connect-query'
import { CacheReach, type Gateway, SystemService } from '../../../../gateway/gen/loyalty/v1/system_service_pb.js'
import { useWords, type Words } from '../../i18n/words.js'
import { Part } from '../../parts/detail.js'
import { wordOf } from '../../parts/enum-word.js'
import { ErrorPanel } from '../../parts/error-panel.js'
import { Rows } from '../../parts/rows.js'
import { Empty, Skeleton } from '../../parts/states.js'
import type { Column } from '../../parts/table.js'
import { Time } from '../../parts/time.js'
import { expectedVersion, faultsOf, gatewaysAgainMs, type Newest } from './gateway-faults.js'

interface GatewaysProps {
  /** Published last; undefined: not known yet. */
  readonly newest: Newest | undefined
}

/** Which gateways run on the ledger, and what is wrong with one. */
export function Gateways({ newest }: GatewaysProps) {
  const t = useWords()
  const query = useQuery(SystemService.method.listGateways, {}, { refetchInterval: gatewaysAgainMs })
  return (
    <Part level={2} title={t('gateways.title')}>
      {query.isPending ? (
        <Skeleton lines={3} />
      ) : query.isError ? (
        <ErrorPanel cause={query.error} onRetry={() => void query.refetch()} />
      ) : query.data.gateways.length === 0 ? (
        <Empty why={t('gateways.empty')}>{t('gateways.emptyWhat')}</Empty>
      ) : (
        <List gateways={query.data.gateways} expected={expectedVersion(newest, query.data.at)} />
      )}
    </Part>
  )
}

interface ListProps {
  readonly gateways: readonly Gateway[]
  readonly expected: number | undefined
}

function List({ gateways, expected }: ListProps) {
  const t = useWords()
  const running = gateways.filter(({ silent }) => !silent).length
  const amiss = gateways.filter((gateway) => faultsOf(t, gateway, expected).length > 0).length
  return (
    <>
      <p>
        {t('gateways.running', { count: running })}{' '}
        {amiss === 0 ? t('gateways.sound') : <span className="lost">{t('gateways.amiss', { count: amiss })}</span>}
      </p>
      <Rows label={t('gateways.title')} columns={columnsOf(t, expected)} rows={gateways} keyOf={nameOf} />
    </>
  )
}

function nameOf({ host, port, pid }: Gateway): string {
  return `${host}:${port} (${pid})`
}

function columnsOf(t: Words, expected: number | undefined): readonly Column<Gateway>[] {
  return [
    { key: 'gateway', head: t('gateways.gateway'), cell: (row) => <code>{nameOf(row)}</code> },
    {
      key: 'state',
      head: t('gateways.state'),
      cell(row) {
        const faults = faultsOf(t, row, expected)
        return faults.length === 0 ? t('gateways.fine') : <span className="lost">{faults.join(', ')}</span>
      },
    },
    {
      key: 'processes',
      head: t('gateways.processes'),
      cell: ({ processes, processesWanted }) => t('gateways.processesOf', { processes, wanted: processesWanted }),
      isNumber: true,
    },
    {
      key: 'programme',
      head: t('system.programme'),
      cell: ({ programmeVersion }) => String(programmeVersion),
      isNumber: true,
    },
    { key: 'cache', head: t('gateways.cache'), cell: ({ cache }) => wordOf(t, 'cacheReach', CacheReach, cache) },
    {
      key: 'version',
      head: t('gateways.version'),
      cell: ({ version, commit, nodeVersion }) =>
        t('gateways.versions', { version: commit === '' ? version : `${version} (${commit})`, node: nodeVersion }),
    },
    { key: 'started', head: t('gateways.started'), cell: ({ startedAt }) => <Time at={startedAt} /> },
    { key: 'seen', head: t('gateways.seen'), cell: ({ seenAt }) => <Time at={seenAt} show="time" /> },
  ]
}
