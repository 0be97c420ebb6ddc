import { useQuery } from '@connectrpc/connect-query'
import { Link, Outlet, useNavigate, useParams } from '@tanstack/react-router'
import { EventService, type Webhook } from '../../../../gateway/gen/loyalty/v1/event_service_pb.js'
import { useWords, type Words } from '../../i18n/words.js'
import { ErrorPanel } from '../../parts/error-panel.js'
import { Split } from '../../parts/split.js'
import { Empty, Skeleton } from '../../parts/states.js'
import { type Column, Table } from '../../parts/table.js'
import { Time } from '../../parts/time.js'

/** Where events are sent, and how it goes. */
export function WebhookList() {
  const t = useWords()
  const navigate = useNavigate()
  const { webhookId } = useParams({ strict: false })
  const query = useQuery(EventService.method.listWebhooks, {})
  const list = query.isPending ? (
    <Skeleton lines={6} />
  ) : query.isError ? (
    <ErrorPanel cause={query.error} onRetry={() => void query.refetch()} />
  ) : (
    <Table
      label={t('system.webhooks')}
      columns={columnsOf(t)}
      rows={query.data.webhooks}
      keyOf={(row) => row.webhookId}
      openKey={webhookId}
      onOpen={(row) => void navigate({ to: '/system/webhooks/$webhookId', params: { webhookId: row.webhookId } })}
      empty={<Empty why={t('webhooks.empty')}>{t('webhooks.emptyWhat')}</Empty>}
    />
  )
  return <Split title={t('system.webhooks')} list={list} open={webhookId === undefined ? null : <Outlet />} />
}

/** The state of a webhook in a word. */
export function webhookState(t: Words, { failing, disabledAt, failingSince }: Webhook): string {
  if (disabledAt !== undefined) return t('webhooks.disabled')
  if (failing) return t('webhooks.failing')
  return t(failingSince === undefined ? 'webhooks.working' : 'webhooks.stumbling')
}

function columnsOf(t: Words): readonly Column<Webhook>[] {
  const state = (webhook: Webhook) => webhookState(t, webhook)
  return [
    {
      key: 'url',
      head: t('webhooks.url'),
      cell: ({ webhookId, url }) => (
        <Link to="/system/webhooks/$webhookId" params={{ webhookId }}>
          {url}
        </Link>
      ),
      value: ({ url }) => url,
    },
    {
      key: 'state',
      head: t('webhooks.state'),
      cell: (row) => <span className={row.failing ? 'lost' : undefined}>{state(row)}</span>,
      value: state,
    },
    {
      key: 'pending',
      head: t('webhooks.pending'),
      cell: ({ pending }) => String(pending),
      value: ({ pending }) => pending,
      isNumber: true,
      isExtra: true,
    },
    {
      key: 'failed',
      head: t('webhooks.failed'),
      cell: ({ failed }) => String(failed),
      value: ({ failed }) => failed,
      isNumber: true,
      isExtra: true,
    },
    {
      key: 'created',
      head: t('webhooks.created'),
      cell: ({ createdAt }) => <Time at={createdAt} />,
      value: ({ createdAt }) => Number(createdAt?.seconds ?? 0n),
      isExtra: true,
    },
  ]
}
