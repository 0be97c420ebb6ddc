import { useInfiniteQuery, useQuery } from '@connectrpc/connect-query'
import { useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import {
  type Delivery,
  DeliveryState,
  EventService,
  type Webhook,
} from '../../../../gateway/gen/loyalty/v1/event_service_pb.js'
import { useChanged, useCommands, useMay } from '../../api/use-commands.js'
import { pageSize, pages } from '../../api/use-pages.js'
import { useWords, type Words } from '../../i18n/words.js'
import { CommandDialog } from '../../parts/command-dialog.js'
import { Button, Field, Select, TextLink } from '../../parts/controls.js'
import { ListScreen } from '../../parts/list-screen.js'
import { Detail, Facts, Part } from '../../parts/page.js'
import { type Column, Rows } from '../../parts/rows.js'
import { Empty, Waiting } from '../../parts/states.js'
import { useDraft } from '../../parts/use-draft.js'
import { Badge, enumOf, Id, StateBadge, Time } from '../../parts/values.js'
import styles from './system.module.css'

export function WebhookDetail() {
  const t = useWords()
  const { webhookId } = useParams({ from: '/system/webhooks/$webhookId' })
  const query = useQuery(EventService.method.listWebhooks, {})
  if (!query.isSuccess) return <Waiting query={query} />
  const webhook = query.data.webhooks.find((one) => one.webhookId === webhookId)
  if (webhook === undefined) return <Empty why={t('webhooks.gone')}>{t('webhooks.goneWhat')}</Empty>
  return <Shown key={webhookId} webhook={webhook} />
}

function Shown({ webhook }: { readonly webhook: Webhook }) {
  const t = useWords()
  const may = useMay()
  const [again, setAgain] = useState<{ readonly eventIds: readonly string[] } | null>(null)
  const [isDeleting, setDeleting] = useState(false)
  const { webhookId, url, types, createdAt, pending, failed, failingSince, disabledAt } = webhook
  const mayRedeliver = may('EventService/RedeliverEvents') && disabledAt === undefined
  return (
    <Detail
      title={url}
      closeTo="/system/webhooks"
      closeSearch={() => ({})}
      buttons={
        <>
          {mayRedeliver && (
            <Button disabled={failed === 0n} onClick={() => setAgain({ eventIds: [] })} text={t('redeliver.failed')} />
          )}
          {may('EventService/DeleteWebhook') && (
            <Button onClick={() => setDeleting(true)} text={t('deleteWebhook.open')} />
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

function State({ webhook }: { readonly webhook: Webhook }) {
  const t = useWords()
  const isAmiss = webhook.failing || webhook.disabledAt !== undefined
  return <Badge text={webhookState(t, webhook)} tone={isAmiss ? 'wrong' : 'live'} />
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
      <div className="row">
        <Select
          label={t('delivery.state')}
          value={state ?? ''}
          onText={(text) => void navigate({ to: '.', search: text === '' ? {} : { state: text } })}
          options={[
            ['', t('delivery.any')],
            ...['pending', 'delivered', 'failed'].map((word) => [word, t.of('deliveryState', word)] as const),
          ]}
        />
      </div>
      {!query.isSuccess ? (
        <Waiting query={query} lines={4} />
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
          <Button
            disabled={query.isFetchingNextPage}
            onClick={() => void query.fetchNextPage()}
            text={t('table.more')}
          />
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
        <StateBadge group="deliveryState" values={DeliveryState} value={state} wrong={[DeliveryState.FAILED]} />
      ),
    },
    { key: 'attempts', head: t('delivery.attempts'), cell: ({ attempts }) => attempts, isNumber: true },
    { key: 'outcome', head: t('delivery.outcome'), cell: ({ outcome }) => outcome },
    { key: 'due', head: t('delivery.due'), cell: ({ dueAt }) => <Time at={dueAt} /> },
    { key: 'event', head: t('delivery.event'), cell: ({ event }) => <Id id={event!.eventId} /> },
  ]
  if (onAgain === null) return columns
  const again = ({ event, state }: Delivery) =>
    state !== DeliveryState.PENDING && <Button onClick={() => onAgain(event!.eventId)} text={t('redeliver.one')} />
  return [...columns, { key: 'again', head: '', cell: again }]
}

function DeleteWebhookDialog({ webhook, onClose }: { readonly webhook: Webhook; readonly onClose: () => void }) {
  const t = useWords()
  const navigate = useNavigate()
  const { events } = useCommands()
  const { changed } = useChanged()
  const [isDone, setDone] = useState(false)
  const { webhookId, url, pending, failed } = webhook
  const close = () => {
    onClose()
    if (!isDone) return
    void changed()
    void navigate({ to: '/system/webhooks' })
  }
  return (
    <CommandDialog
      title={t('deleteWebhook.title')}
      verb={t('deleteWebhook.do')}
      draftKey={`deleteWebhook/${webhookId}`}
      withReason={false}
      refresh="later"
      onClose={close}
      run={async ({ requestId }) => {
        await events.deleteWebhook({ requestId, webhookId })
        // Closing this reads the list again, without the webhook.
        setDone(true)
        return <p>{t('deleteWebhook.done', { url })}</p>
      }}
    >
      <p className="box">{t('deleteWebhook.what', { url, pending, failed })}</p>
    </CommandDialog>
  )
}

interface RedeliverDialogProps {
  readonly webhook: Webhook
  /** Empty: those that were given up. */
  readonly eventIds: readonly string[]
  readonly onClose: () => void
}

/** The maximum of one call. */
const eventsMax = 1_000n

function RedeliverDialog({ webhook, eventIds, onClose }: RedeliverDialogProps) {
  const t = useWords()
  const { events } = useCommands()
  const { webhookId, url, failed } = webhook
  const count = eventIds.length > 0 ? BigInt(eventIds.length) : failed < eventsMax ? failed : eventsMax
  return (
    <CommandDialog
      title={t('redeliver.title')}
      verb={t('redeliver.do')}
      draftKey={`redeliver/${webhookId}`}
      withReason={false}
      onClose={onClose}
      run={async ({ requestId }) => {
        const reply = await events.redeliverEvents({ requestId, webhookId, eventIds: [...eventIds] })
        return <p>{t('redeliver.done', { count: reply.events })}</p>
      }}
    >
      <p className="box">{t('redeliver.what', { count, url })}</p>
    </CommandDialog>
  )
}

const againMs = 10_000

export function WebhookList() {
  const t = useWords()
  const navigate = useNavigate()
  const { webhookId } = useParams({ strict: false })
  const may = useMay()
  const [isAdding, setAdding] = useState(false)
  const query = useQuery(EventService.method.listWebhooks, {}, { refetchInterval: againMs })
  const webhooks = query.data?.webhooks ?? []
  const failing = webhooks.filter((webhook) => webhook.failing || webhook.disabledAt !== undefined).length
  return (
    <>
      <ListScreen
        title={t('system.webhooks')}
        lead={query.isSuccess ? t('webhooks.lead', { count: webhooks.length, failing }) : undefined}
        query={query}
        columns={webhookColumns(t)}
        rows={webhooks}
        keyOf={(row) => row.webhookId}
        openKey={webhookId}
        onOpen={(row) => void navigate({ to: '/system/webhooks/$webhookId', params: { webhookId: row.webhookId } })}
        empty={[t('webhooks.empty'), t('webhooks.emptyWhat')]}
        filters={
          may('EventService/CreateWebhook') && <Button onClick={() => setAdding(true)} text={t('addWebhook.open')} />
        }
      />
      {isAdding && <AddWebhookDialog onClose={() => setAdding(false)} />}
    </>
  )
}

function webhookState(t: Words, { failing, disabledAt, failingSince }: Webhook): string {
  if (disabledAt !== undefined) return t('webhooks.disabled')
  if (failing) return t('webhooks.failing')
  return t(failingSince === undefined ? 'webhooks.working' : 'webhooks.stumbling')
}

function webhookColumns(t: Words): readonly Column<Webhook>[] {
  const state = (webhook: Webhook) => webhookState(t, webhook)
  return [
    {
      key: 'url',
      head: t('webhooks.url'),
      cell: ({ webhookId, url }) => <TextLink to="/system/webhooks/$webhookId" params={{ webhookId }} text={url} />,
      value: ({ url }) => url,
    },
    {
      key: 'state',
      head: t('webhooks.state'),
      cell: (row) => <State webhook={row} />,
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

/** Types of events, as in docs/api.md. */
const types = [
  'value.earned',
  'value.opened',
  'value.expiring',
  'value.expired',
  'value.spent',
  'value.returned',
  'value.issued',
  'value.claimed',
  'value.adjusted',
  'value.transferred',
  'value.imported',
  'value.merged',
  'value.forfeited',
  'reward.activated',
  'reward.used',
  'reward.cancelled',
  'tier.changed',
  'budget.reached',
  'proposal.waiting',
  'publication.failed',
  'service.failing',
]

function AddWebhookDialog({ onClose }: { readonly onClose: () => void }) {
  const t = useWords()
  const { events } = useCommands()
  const [url, setUrl] = useDraft('webhook/url', '')
  const [chosen, setChosen] = useState<readonly string[]>([])
  const toggle = (type: string) =>
    setChosen(chosen.includes(type) ? chosen.filter((other) => other !== type) : [...chosen, type])
  return (
    <CommandDialog
      title={t('addWebhook.title')}
      verb={t('addWebhook.do')}
      draftKey="webhook"
      withReason={false}
      isReady={/^https?:\/\/./.test(url.trim())}
      onClose={onClose}
      run={async ({ requestId }) => {
        const { secret } = await events.createWebhook({ requestId, url: url.trim(), types: [...chosen] })
        return (
          <>
            <p>{t('addWebhook.done')}</p>
            <p>
              <code className={styles['secret']}>{secret}</code>
            </p>
          </>
        )
      }}
    >
      <Field label={t('webhooks.url')} type="url" value={url} required onText={setUrl} />
      <fieldset className={styles['types']}>
        <legend>{t('webhooks.types')}</legend>
        {types.map((type) => (
          <label key={type}>
            <input type="checkbox" checked={chosen.includes(type)} onChange={() => toggle(type)} />
            <code>{type}</code>
          </label>
        ))}
      </fieldset>
      <p className="box">
        {chosen.length === 0 ? t('addWebhook.whatAll') : t('addWebhook.what', { count: chosen.length })}
      </p>
    </CommandDialog>
  )
}
