import { useQuery } from '@connectrpc/connect-query'
import { Outlet } from '@tanstack/react-router'
import { AccessService } from '../../../../gateway/gen/loyalty/v1/access_service_pb.js'
import { ProgrammeService } from '../../../../gateway/gen/loyalty/v1/programme_service_pb.js'
import {
  CacheReach,
  type CacheStore,
  type Gateway,
  type GetStoresResponse,
  type JournalState,
  type LedgerStore,
  type Setting,
  SystemService,
} from '../../../../gateway/gen/loyalty/v1/system_service_pb.js'
import { useMay } from '../../api/use-commands.js'
import { useWords, type Words } from '../../i18n/words.js'
import { TextLink } from '../../parts/controls.js'
import { Facts, Page, Part, Tabs } from '../../parts/page.js'
import { type Column, Rows } from '../../parts/rows.js'
import { bytesText, countText, figureText } from '../../parts/scaled.js'
import { Empty, Waiting } from '../../parts/states.js'
import { Badge, Time, wordOf } from '../../parts/values.js'
import { useAnswerFaults } from '../today/answers.js'
import todayStyles from '../today/today.module.css'
import {
  cachePart,
  expectedVersion,
  faultsOf,
  gatewaysAgainMs,
  type HealthPart,
  ledgerPart,
  type Newest,
  storeParts,
} from './gateway-faults.js'
import styles from './system.module.css'

export function Overview() {
  const t = useWords()
  const access = useQuery(AccessService.method.getAccess, {})
  const programme = useQuery(ProgrammeService.method.getProgramme, { version: 0, withoutDocument: true })
  const version = programme.data?.programme
  const may = useMay()
  return (
    <Page title={t('area.system')}>
      <AnswersLead />
      <Waiting query={access} lines={4} />
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
      <Stores />
      {may('SystemService/ListSettings') && <Settings />}
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

function AnswersLead() {
  const t = useWords()
  const answers = useAnswerFaults()
  const stores = useStores()
  if (answers === null) return null
  const amiss = stores.isSuccess ? storeParts(t, stores.data).filter(({ isWell }) => !isWell) : []
  const faults = [...answers, ...amiss.map(({ name, text }) => t('lead.amiss', { name, text }))]
  return (
    <p className={todayStyles['lead']} role="status">
      <TextLink
        to="/today"
        text={faults.length === 0 ? t('system.answersWell') : <span className="lost">{faults.join('; ')}</span>}
      />
    </p>
  )
}

export function System() {
  const t = useWords()
  return (
    <>
      <Tabs
        label={t('area.system')}
        tabs={[
          { to: '/system', title: t('system.overview'), exact: true },
          { to: '/system/venues', title: t('system.venues') },
          { to: '/system/audit', title: t('system.audit') },
          { to: '/system/webhooks', title: t('system.webhooks') },
        ]}
      />
      <Outlet />
    </>
  )
}

function Settings() {
  const t = useWords()
  const query = useQuery(SystemService.method.listSettings, {}, { staleTime: Number.POSITIVE_INFINITY })
  return (
    <Part level={2} title={t('settings.title')}>
      {!query.isSuccess ? <Waiting query={query} lines={3} /> : <SettingList settings={query.data.settings} />}
    </Part>
  )
}

function SettingList({ settings }: { readonly settings: readonly Setting[] }) {
  const t = useWords()
  const set = settings.filter(({ value }) => value !== '')
  return (
    <>
      <p>{t('settings.lead', { count: set.length })}</p>
      <p>
        <a href="/docs/settings">{t('settings.docs')}</a>
      </p>
      {set.length > 0 && <SettingTable label={t('settings.set')} settings={set} />}
      <details>
        <summary>{t('settings.others', { count: settings.length - set.length })}</summary>
        <SettingTable label={t('settings.title')} settings={settings.filter(({ value }) => value === '')} />
      </details>
    </>
  )
}

function SettingTable({ label, settings }: { readonly label: string; readonly settings: readonly Setting[] }) {
  const t = useWords()
  return <Rows label={label} columns={settingColumns(t)} rows={settings} keyOf={({ name }) => name} />
}

function settingColumns(t: Words) {
  return [
    { key: 'name', head: t('settings.name'), cell: ({ name }: Setting) => <code>{name}</code> },
    {
      key: 'value',
      head: t('settings.value'),
      cell: ({ value, secret }: Setting) =>
        value === '' ? '–' : secret ? <span className="muted">{t('settings.hidden')}</span> : <code>{value}</code>,
    },
    {
      key: 'default',
      head: t('settings.default'),
      cell: ({ default: fallback }: Setting) => (fallback === '' ? '–' : <code>{fallback}</code>),
    },
  ]
}

function useStores() {
  return useQuery(SystemService.method.getStores, {}, { refetchInterval: gatewaysAgainMs })
}

function Stores() {
  const t = useWords()
  const query = useStores()
  return (
    <Part level={2} title={t('stores.title')}>
      {!query.isSuccess ? <Waiting query={query} lines={3} /> : <StoreList stores={query.data} />}
    </Part>
  )
}

interface StoreRow {
  readonly health: HealthPart
  readonly version: string
  readonly size: string
}

function StoreList({ stores: { ledger, cache, journal } }: { readonly stores: GetStoresResponse }) {
  const t = useWords()
  const rows = [ledgerRow(t, ledger!), ...(cache === undefined ? [] : [cacheRow(t, cache)])]
  return (
    <>
      <Rows
        label={t('stores.title')}
        columns={[
          { key: 'name', head: t('stores.store'), cell: ({ health }) => health.name },
          {
            key: 'reach',
            head: t('gateways.state'),
            cell: ({ health: { text, isWell } }) => <Badge text={text} tone={isWell ? 'live' : 'wrong'} />,
          },
          { key: 'version', head: t('gateways.version'), cell: ({ version }) => version },
          { key: 'size', head: t('stores.size'), cell: ({ size }) => size, isNumber: true },
        ]}
        rows={rows}
        keyOf={({ health }) => health.name}
      />
      <p>{journalText(t, journal!, cache !== undefined)}</p>
    </>
  )
}

function ledgerRow(t: Words, ledger: LedgerStore): StoreRow {
  return {
    health: ledgerPart(t, ledger),
    version: ledger.version,
    size: ledger.up ? bytesText(t, ledger.bytes) : '',
  }
}

function cacheRow(t: Words, cache: CacheStore): StoreRow {
  const used = bytesText(t, cache.bytes)
  const size = cache.bytesMax === 0n ? used : t('stores.of', { used, most: bytesText(t, cache.bytesMax) })
  return { health: cachePart(t, cache), version: cache.version, size: cache.up ? size : '' }
}

function journalText(t: Words, { entries, oldestMs, copies }: JournalState, hasCache: boolean): string {
  const waiting = hasCache ? entries : copies
  if (waiting === 0n) return t('stores.journalEmpty')
  return t('stores.journal', { count: countText(t, waiting), seconds: figureText(t, oldestMs / 1_000) })
}

interface GatewaysProps {
  /** The version published last; undefined: not known yet. */
  readonly newest: Newest | undefined
}

function Gateways({ newest }: GatewaysProps) {
  const t = useWords()
  const query = useQuery(SystemService.method.listGateways, {}, { refetchInterval: gatewaysAgainMs })
  return (
    <Part level={2} title={t('gateways.title')}>
      {!query.isSuccess ? (
        <Waiting query={query} lines={3} />
      ) : query.data.gateways.length === 0 ? (
        <Empty why={t('gateways.empty')}>{t('gateways.emptyWhat')}</Empty>
      ) : (
        <GatewayList gateways={query.data.gateways} expected={expectedVersion(newest, query.data.at)} />
      )}
    </Part>
  )
}

interface GatewayListProps {
  readonly gateways: readonly Gateway[]
  readonly expected: number | undefined
}

function GatewayList({ gateways, expected }: GatewayListProps) {
  const t = useWords()
  const running = gateways.filter(({ silent }) => !silent).length
  const amiss = gateways.filter((gateway) => faultsOf(t, gateway, expected).length > 0).length
  return (
    <>
      <p>
        {t('gateways.running', { count: running })}{' '}
        {amiss === 0 ? t('gateways.sound') : <span className="lost">{t('gateways.amiss', { count: amiss })}</span>}
      </p>
      <Rows label={t('gateways.title')} columns={gatewayColumns(t, expected)} rows={gateways} keyOf={nameOf} />
    </>
  )
}

function nameOf({ host, port, pid }: Gateway): string {
  return `${host}:${port} (${pid})`
}

function gatewayColumns(t: Words, expected: number | undefined): readonly Column<Gateway>[] {
  return [
    { key: 'gateway', head: t('gateways.gateway'), cell: (row) => <code>{nameOf(row)}</code> },
    {
      key: 'state',
      head: t('gateways.state'),
      cell(row) {
        const faults = faultsOf(t, row, expected)
        return faults.length === 0 ? (
          <Badge text={t('gateways.fine')} tone="live" />
        ) : (
          <span className="lost">{faults.join(', ')}</span>
        )
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
