import { useInfiniteQuery, useQuery } from '@connectrpc/connect-query'
import { useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import {
  type Delivery,
  DeliveryState,
  EventService,
  type Webhook,
} from '../../../../gateway/gen/loyalty/v1/event_service_pb.js'
import { useMay } from '../../api/use-commands.js'
import { pageSize, pages } from '../../api/use-pages.js'
import { useWords, type Words } from '../../i18n/words.js'
import { Detail, Facts, Part } from '../../parts/detail.js'
import { enumOf, wordOf } from '../../parts/enum-word.js'
import { ErrorPanel } from '../../parts/error-panel.js'
import { Id } from '../../parts/id.js'
import { Rows } from '../../parts/rows.js'
import { Empty, Skeleton } from '../../parts/states.js'
import type { Column } from '../../parts/table.js'
import { Time } from '../../parts/time.js'
import { DeleteWebhookDialog } from './delete-webhook-dialog.js'
import { RedeliverDialog } from './redeliver-dialog.js'
import styles from './system.module.css'
import { webhookState } from './webhook-list.js'

/** A webhook: how it goes, what was sent to it, and sending again. */
export function WebhookDetail() {
  const t = useWords()
  const { webhookId } = useParams({ from: '/system/webhooks/$webhookId' })
  const query = useQuery(EventService.method.listWebhooks, {})
  if (query.isPending) return <Skeleton />
  if (query.isError) return <ErrorPanel cause={query.error} onRetry={() => void query.refetch()} />
  const webhook = query.data.webhooks.find((one) => one.webhookId === webhookId)
  if (webhook === undefined) return <Empty why={t('webhooks.gone')}>{t('webhooks.goneWhat')}</Empty>
  return <Shown key={webhookId} webhook={webhook} />
}

function Shown({ webhook }: { readonly webhook: Webhook }) {
  const t = useWords()
  const navigate = useNavigate()
  const may = useMay()
  const [again, setAgain] = useState<{ readonly eventIds: readonly string[] } | null>(null)
  const [isDeleting, setDeleting] = useState(false)
  const { webhookId, url, types, createdAt, pending, failed, failingSince, disabledAt } = webhook
  const mayRedeliver = may('EventService/RedeliverEvents') && disabledAt === undefined
  return (
    <Detail
      title={url}
      closeTo="/system/webhooks"
      onClose={() => void navigate({ to: '/system/webhooks' })}
      buttons={
        <>
          {mayRedeliver && (
            <button type="button" disabled={failed === 0n} onClick={() => setAgain({ eventIds: [] })}>
              {t('redeliver.failed')}
            </button>
          )}
          {may('EventService/DeleteWebhook') && (
            <button type="button" onClick={() => setDeleting(true)}>
              {t('deleteWebhook.open')}
            </button>
          )}
        </>
      }
    >
      <Facts
        facts={[
          [t('webhooks.state'), <State key="state" webhook={webhook} />],
          [t('webhooks.types'), types.length === 0 ? t('webhooks.everyType') : types.join(', ')],
          [t('webhooks.pending'), String(pending)],
          [t('webhooks.failed'), String(failed)],
          [t('webhooks.failingSince'), failingSince === undefined ? '–' : <Time key="since" at={failingSince} />],
          [t('webhooks.created'), <Time key="created" at={createdAt} />],
          [t('webhooks.id'), <Id key="id" id={webhookId} />],
        ]}
      />
      <Deliveries
        webhookId={webhookId}
        onAgain={mayRedeliver ? (eventId) => setAgain({ eventIds: [eventId] }) : null}
      />
      {isDeleting && <DeleteWebhookDialog webhook={webhook} onClose={() => setDeleting(false)} />}
      {again !== null && <RedeliverDialog webhook={webhook} eventIds={again.eventIds} onClose={() => setAgain(null)} />}
    </Detail>
  )
}

/** In a word; red where nothing is taken any more. */
function State({ webhook }: { readonly webhook: Webhook }) {
  const t = useWords()
  const isAmiss = webhook.failing || webhook.disabledAt !== undefined
  return <span className={isAmiss ? 'lost' : undefined}>{webhookState(t, webhook)}</span>
}

interface DeliveriesProps {
  readonly webhookId: string
  /** null: the person may not. */
  readonly onAgain: ((eventId: string) => void) | null
}

function Deliveries({ webhookId, onAgain }: DeliveriesProps) {
  const t = useWords()
  const navigate = useNavigate()
  const { state } = useSearch({ from: '/system/webhooks' })
  const query = useInfiniteQuery(
    EventService.method.listDeliveries,
    { pageSize, pageToken: '', webhookId, state: enumOf(DeliveryState, state) },
    pages,
  )
  const rows = query.data?.pages.flatMap(({ deliveries }) => deliveries) ?? []
  return (
    <Part title={t('webhooks.deliveries')}>
      <div className={styles['form']}>
        <label>
          {t('delivery.state')}
          <select
            value={state ?? ''}
            onChange={(event) =>
              void navigate({ to: '.', search: event.target.value === '' ? {} : { state: event.target.value } })
            }
          >
            <option value="">{t('delivery.any')}</option>
            {['pending', 'delivered', 'failed'].map((word) => (
              <option key={word} value={word}>
                {t.of('deliveryState', word)}
              </option>
            ))}
          </select>
        </label>
      </div>
      {query.isPending ? (
        <Skeleton lines={4} />
      ) : query.isError ? (
        <ErrorPanel cause={query.error} onRetry={() => void query.refetch()} />
      ) : rows.length === 0 ? (
        <Empty why={t('delivery.empty')}>{t('delivery.emptyWhat')}</Empty>
      ) : (
        <Rows
          label={t('webhooks.deliveries')}
          columns={columnsOf(t, onAgain)}
          rows={rows}
          keyOf={({ event }) => event!.eventId}
        />
      )}
      {query.hasNextPage && (
        <p>
          <button type="button" disabled={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
            {t('table.more')}
          </button>
        </p>
      )}
    </Part>
  )
}

function columnsOf(t: Words, onAgain: DeliveriesProps['onAgain']): readonly Column<Delivery>[] {
  const columns: Column<Delivery>[] = [
    { key: 'at', head: t('delivery.at'), cell: ({ event }) => <Time at={event?.at} /> },
    { key: 'type', head: t('delivery.type'), cell: ({ event }) => event?.type },
    {
      key: 'state',
      head: t('delivery.state'),
      cell: ({ state }) => (
        <span className={state === DeliveryState.FAILED ? 'lost' : undefined}>
          {wordOf(t, 'deliveryState', DeliveryState, state)}
        </span>
      ),
    },
    { key: 'attempts', head: t('delivery.attempts'), cell: ({ attempts }) => attempts, isNumber: true },
    { key: 'outcome', head: t('delivery.outcome'), cell: ({ outcome }) => outcome },
    { key: 'due', head: t('delivery.due'), cell: ({ dueAt }) => <Time at={dueAt} /> },
    { key: 'event', head: t('delivery.event'), cell: ({ event }) => <Id id={event!.eventId} /> },
  ]
  if (onAgain === null) return columns
  const again = ({ event, state }: Delivery) =>
    state !== DeliveryState.PENDING && (
      <button type="button" onClick={() => onAgain(event!.eventId)}>
        {t('redeliver.one')}
      </button>
    )
  return [...columns, { key: 'again', head: '', cell: again }]
}
