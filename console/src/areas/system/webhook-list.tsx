import { useQuery } from '@connectrpc/connect-query'
import { Link, Outlet, useNavigate, useParams } from '@tanstack/react-router'
import { useState } from 'react'
import { EventService, type Webhook } from '../../../../gateway/gen/loyalty/v1/event_service_pb.js'
import { useMay } from '../../api/use-commands.js'
import { useWords, type Words } from '../../i18n/words.js'
import { ErrorPanel } from '../../parts/error-panel.js'
import { Split } from '../../parts/split.js'
import { Empty, Skeleton } from '../../parts/states.js'
import { type Column, Table } from '../../parts/table.js'
import { Time } from '../../parts/time.js'
import { AddWebhookDialog } from './add-webhook-dialog.js'

/** How often is asked how deliveries go, in milliseconds. */
const againMs = 10_000

/** Where events are sent, and how it goes. */
export function WebhookList() {
  const t = useWords()
  const navigate = useNavigate()
  const { webhookId } = useParams({ strict: false })
  const may = useMay()
  const [isAdding, setAdding] = useState(false)
  const query = useQuery(EventService.method.listWebhooks, {}, { refetchInterval: againMs })
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
      filters={
        may('EventService/CreateWebhook') && (
          <button type="button" onClick={() => setAdding(true)}>
            {t('addWebhook.open')}
          </button>
        )
      }
    />
  )
  const failing = query.data?.webhooks.filter((webhook) => webhook.failing || webhook.disabledAt !== undefined).length
  return (
    <>
      <Split
        title={t('system.webhooks')}
        lead={
          query.isSuccess ? t('webhooks.lead', { count: query.data.webhooks.length, failing: failing ?? 0 }) : undefined
        }
        list={list}
        open={webhookId === undefined ? null : <Outlet />}
      />
      {isAdding && <AddWebhookDialog onClose={() => setAdding(false)} />}
    </>
  )
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
      cell: (row) => (
        <span className={row.failing || row.disabledAt !== undefined ? 'lost' : undefined}>{state(row)}</span>
      ),
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
