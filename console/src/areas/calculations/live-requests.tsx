import { createClient } from '@connectrpc/connect'
import { useTransport } from '@connectrpc/connect-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useMemo, useState } from 'react'
import { type AnsweredRequest, RequestService } from '../../../../gateway/gen/loyalty/v1/request_service_pb.js'
import { useStream } from '../../api/use-stream.js'
import { useVenueNames } from '../../api/venues.js'
import { useWords, type Words } from '../../i18n/words.js'
import { Button, Select, TextLink, VenueSelect } from '../../parts/controls.js'
import { Split } from '../../parts/page.js'
import type { Column } from '../../parts/rows.js'
import { Empty, ErrorPanel, Skeleton } from '../../parts/states.js'
import { Table } from '../../parts/table.js'
import { Time } from '../../parts/values.js'
import type { RequestSearch } from '../../search.js'

const keptMax = 500
const outcomes = [
  ...['applied', 'unchanged', 'member_not_found', 'replay', 'recorded', 'duplicate', 'unknown_calculation'],
  ...['refused', 'unavailable', 'failed', 'aborted'],
]
const codes = [
  ...['invalid_request', 'invalid_signature', 'stale_timestamp', 'idempotency_conflict', 'venue_not_configured'],
  ...['too_many_lines', 'unknown_currency', 'arithmetic_mismatch', 'rate_limited', 'internal_error', 'unavailable'],
]

/** Requests of POSs as they are answered, newest first; held still by Pause, which loses none of the last ones. */
export function LiveRequests() {
  const t = useWords()
  const navigate = useNavigate()
  const search = useSearch({ from: '/requests' })
  const venueName = useVenueNames()
  const { latest, cause, again } = useRequests(search)
  const [held, setHeld] = useState<Held | null>(null)
  const still = held !== null && held.search === search ? held.rows : null
  const isHeld = still !== null
  const rows = still ?? latest ?? none
  const columns = useMemo(() => columnsOf(t, venueName), [t, venueName])
  const waiting =
    cause === null ? (
      latest === null ? (
        <Skeleton />
      ) : (
        <Empty why={t('requests.empty')}>{t('requests.emptyWhat')}</Empty>
      )
    ) : (
      <ErrorPanel cause={cause} onRetry={again} />
    )
  const list = (
    <>
      <div className="flow" role="status">
        <span className={cause === null ? 'muted' : 'lost'}>
          {t(cause !== null ? 'requests.notLive' : isHeld ? 'requests.paused' : 'requests.live')}
        </span>
        <Button
          onClick={() => setHeld(isHeld ? null : { search, rows })}
          text={t(isHeld ? 'imports.resume' : 'requests.pause')}
        />
      </div>
      <Table
        label={t('requests.title')}
        rows={rows}
        columns={columns}
        keyOf={keyOf}
        onOpen={({ calculationId, ...request }) => {
          if (isPriced(request)) void navigate({ to: '/calculations/$calculationId', params: { calculationId } })
        }}
        filters={<Filters search={search} />}
        empty={waiting}
      />
    </>
  )
  return <Split title={t('requests.title')} lead={t('requests.lead')} list={list} open={null} />
}

/** The rows that stay during a pause, which another filter ends. */
interface Held {
  readonly search: RequestSearch
  readonly rows: readonly AnsweredRequest[]
}

const none: readonly AnsweredRequest[] = []

/** A POS may name one calculation in several requests. */
function keyOf({ requestId, at }: AnsweredRequest): string {
  return `${requestId}/${at?.seconds}/${at?.nanos}`
}

/** A refused basket has no calculation; a sale may come before its own. */
function isPriced({ endpoint, status }: Pick<AnsweredRequest, 'endpoint' | 'status'>): boolean {
  return status === 200 && (endpoint === 'basket' || endpoint === 'sale')
}

function useRequests({ venueId = '', outcome = '', code = '' }: RequestSearch) {
  const transport = useTransport()
  const open = useMemo(() => {
    const client = createClient(RequestService, transport)
    let rows = none
    return async function* (signal: AbortSignal) {
      for await (const { request } of client.watchRequests({ venueId, outcome, code }, { signal })) {
        if (request !== undefined) rows = [request, ...rows].slice(0, keptMax)
        yield rows
      }
    }
  }, [transport, venueId, outcome, code])
  return useStream(open)
}

function Filters({ search }: { readonly search: RequestSearch }) {
  const t = useWords()
  const navigate = useNavigate()
  const set = (change: Partial<Record<keyof RequestSearch, string | undefined>>) =>
    void navigate({ to: '.', search: { ...search, ...change } })
  const choice = (name: 'outcome' | 'code', words: readonly string[], any: string) => (
    <Select
      aria-label={t(`requests.${name}`)}
      value={search[name] ?? ''}
      onText={(text) => set({ [name]: text || undefined })}
      options={[['', any], ...words.map((word) => [word, t.of(name, word)] as const)]}
    />
  )
  return (
    <>
      <VenueSelect value={search.venueId ?? ''} onText={(venueId) => set({ venueId: venueId || undefined })} />
      {choice('outcome', outcomes, t('requests.anyOutcome'))}
      {choice('code', codes, t('requests.anyCode'))}
    </>
  )
}

function columnsOf(t: Words, venueName: (venueId: string) => string): readonly Column<AnsweredRequest>[] {
  const codeOf = ({ code }: AnsweredRequest) => (code === '' ? '' : t.of('code', code))
  return [
    {
      key: 'at',
      head: t('calculation.at'),
      cell: ({ at, venueId, calculationId, ...request }) =>
        isPriced(request) ? (
          <TextLink
            to="/calculations/$calculationId"
            params={{ calculationId }}
            text={<Time at={at} venueId={venueId} show="time" />}
          />
        ) : (
          <Time at={at} venueId={venueId} show="time" />
        ),
      value: ({ at }) => Number(at?.seconds ?? 0n),
    },
    { key: 'endpoint', head: t('requests.endpoint'), value: ({ endpoint }) => t.of('endpoint', endpoint) },
    {
      key: 'outcome',
      head: t('requests.outcome'),
      cell: ({ outcome, status }) => (
        <span className={status === 200 ? undefined : 'lost'}>{t.of('outcome', outcome)}</span>
      ),
      value: ({ outcome }) => t.of('outcome', outcome),
    },
    {
      key: 'code',
      head: t('requests.code'),
      cell: (row) =>
        row.code !== '' && (
          <>
            {codeOf(row)} {row.field !== '' && <code>{row.field}</code>} {row.cause !== '' && <code>{row.cause}</code>}
          </>
        ),
      value: (row) => `${codeOf(row)} ${row.field} ${row.cause}`,
    },
    { key: 'venue', head: t('sale.venue'), value: ({ venueId }) => venueName(venueId) },
    { key: 'register', head: t('sale.register'), value: ({ cashRegisterId }) => cashRegisterId, isExtra: true },
    {
      key: 'took',
      head: t('requests.took'),
      cell: ({ durationMs }) => t('answers.ms', { ms: Math.round(durationMs) }),
      value: ({ durationMs }) => durationMs,
      isNumber: true,
    },
    { key: 'request', head: t('error.requestId'), value: ({ requestId }) => requestId, isExtra: true },
  ]
}
