import { useQuery } from '@connectrpc/connect-query'
import { type Setting, SystemService } from '../../../../gateway/gen/loyalty/v1/system_service_pb.js'
import { useWords, type Words } from '../../i18n/words.js'
import { Part } from '../../parts/detail.js'
import { ErrorPanel } from '../../parts/error-panel.js'
import { Rows } from '../../parts/rows.js'
import { Skeleton } from '../../parts/states.js'

/** What the gateway that answers was started with, without secrets. */
export function Settings() {
  const t = useWords()
  const query = useQuery(SystemService.method.listSettings, {}, { staleTime: Number.POSITIVE_INFINITY })
  return (
    <Part level={2} title={t('settings.title')}>
      {query.isPending ? (
        <Skeleton lines={3} />
      ) : query.isError ? (
        <ErrorPanel cause={query.error} onRetry={() => void query.refetch()} />
      ) : (
        <List settings={query.data.settings} />
      )}
    </Part>
  )
}

function List({ settings }: { readonly settings: readonly Setting[] }) {
  const t = useWords()
  const set = settings.filter(({ value }) => value !== '')
  return (
    <>
      <p>{t('settings.lead', { count: set.length })}</p>
      <p>
        <a href="/docs/settings">{t('settings.docs')}</a>
      </p>
      {set.length > 0 && <Table label={t('settings.set')} settings={set} />}
      <details>
        <summary>{t('settings.others', { count: settings.length - set.length })}</summary>
        <Table label={t('settings.title')} settings={settings.filter(({ value }) => value === '')} />
      </details>
    </>
  )
}

function Table({ label, settings }: { readonly label: string; readonly settings: readonly Setting[] }) {
  const t = useWords()
  return <Rows label={label} columns={columnsOf(t)} rows={settings} keyOf={({ name }) => name} />
}

function columnsOf(t: Words) {
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
