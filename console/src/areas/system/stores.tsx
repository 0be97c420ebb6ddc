import { useQuery } from '@connectrpc/connect-query'
import {
  type CacheStore,
  type GetStoresResponse,
  type JournalState,
  type LedgerStore,
  SystemService,
} from '../../../../gateway/gen/loyalty/v1/system_service_pb.js'
import { useWords, type Words } from '../../i18n/words.js'
import { Part } from '../../parts/detail.js'
import { ErrorPanel } from '../../parts/error-panel.js'
import { bytesText, countText, figureText } from '../../parts/figures.js'
import { Rows } from '../../parts/rows.js'
import { Skeleton } from '../../parts/states.js'
import { gatewaysAgainMs } from './gateway-faults.js'

/** What the gateway that answers stands on: Postgres, Redis, and what waits between them. */
export function Stores() {
  const t = useWords()
  const query = useQuery(SystemService.method.getStores, {}, { refetchInterval: gatewaysAgainMs })
  return (
    <Part level={2} title={t('stores.title')}>
      {query.isPending ? (
        <Skeleton lines={3} />
      ) : query.isError ? (
        <ErrorPanel cause={query.error} onRetry={() => void query.refetch()} />
      ) : (
        <List stores={query.data} />
      )}
    </Part>
  )
}

interface Row {
  readonly name: string
  readonly reach: string
  readonly isUp: boolean
  readonly version: string
  readonly size: string
}

function List({ stores: { ledger, cache, journal } }: { readonly stores: GetStoresResponse }) {
  const t = useWords()
  const rows = [ledgerRow(t, ledger!), ...(cache === undefined ? [] : [cacheRow(t, cache)])]
  return (
    <>
      <Rows
        label={t('stores.title')}
        columns={[
          { key: 'name', head: t('stores.store'), cell: ({ name }) => name },
          {
            key: 'reach',
            head: t('gateways.state'),
            cell: ({ reach, isUp }) => <span className={isUp ? undefined : 'lost'}>{reach}</span>,
          },
          { key: 'version', head: t('gateways.version'), cell: ({ version }) => version },
          { key: 'size', head: t('stores.size'), cell: ({ size }) => size, isNumber: true },
        ]}
        rows={rows}
        keyOf={({ name }) => name}
      />
      <p>{journalText(t, journal!, cache !== undefined)}</p>
    </>
  )
}

function reachOf(t: Words, { up, answerMs }: Pick<LedgerStore, 'up' | 'answerMs'>) {
  return { isUp: up, reach: up ? t('health.answers', { ms: figureText(t, answerMs) }) : t('health.away') }
}

function ledgerRow(t: Words, ledger: LedgerStore): Row {
  return {
    name: t(ledger.embedded ? 'health.embedded' : 'health.ledger'),
    ...reachOf(t, ledger),
    version: ledger.version,
    size: ledger.up ? bytesText(t, ledger.bytes) : '',
  }
}

function cacheRow(t: Words, cache: CacheStore): Row {
  const used = bytesText(t, cache.bytes)
  const size = cache.bytesMax === 0n ? used : t('stores.of', { used, most: bytesText(t, cache.bytesMax) })
  return { name: t('gateways.cache'), ...reachOf(t, cache), version: cache.version, size: cache.up ? size : '' }
}

function journalText(t: Words, { entries, oldestMs, copies }: JournalState, hasCache: boolean): string {
  const waiting = hasCache ? entries : copies
  if (waiting === 0n) return t('stores.journalEmpty')
  return t('stores.journal', { count: countText(t, waiting), seconds: figureText(t, oldestMs / 1_000) })
}
