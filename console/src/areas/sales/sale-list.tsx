import { timestampFromDate } from '@bufbuild/protobuf/wkt'
import { createClient } from '@connectrpc/connect'
import { useInfiniteQuery, useTransport } from '@connectrpc/connect-query'
import { Outlet, useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { useEffect, useMemo, useState } from 'react'
import { Discrepancy, SaleResult, SaleStatus } from '../../../../gateway/gen/loyalty/v1/enums_pb.js'
import { type Sale, SaleService } from '../../../../gateway/gen/loyalty/v1/sale_service_pb.js'
import { pageSize, pages } from '../../api/use-pages.js'
import { useStream } from '../../api/use-stream.js'
import { useDaySpan, useVenueNames } from '../../api/venues.js'
import { useWords, type Words } from '../../i18n/words.js'
import { Button, Select, TextLink, VenueSelect } from '../../parts/controls.js'
import { DayField } from '../../parts/day-field.js'
import { List } from '../../parts/list-screen.js'
import { Split } from '../../parts/page.js'
import { type Column, moneyColumn } from '../../parts/rows.js'
import { SavedViews } from '../../parts/saved-views.js'
import { digitsOf, formatScaled } from '../../parts/scaled.js'
import { contractWord, enumOf, Money, StateBadge, shortened, Time, wordOf } from '../../parts/values.js'
import type { SaleSearch } from '../../search.js'
import { Groups, saleBadge } from './groups.js'
import styles from './sales.module.css'

export function SaleList() {
  const t = useWords()
  const navigate = useNavigate()
  const search = useSearch({ from: '/sales' })
  const { calculationId } = useParams({ strict: false })
  const query = useSales(search)
  const isLive = search.receipt === undefined && search.day === undefined
  const feed = useSaleFeed(isLive ? (search.venueId ?? '') : null)
  const rows = useMemo(() => query.data?.pages.flatMap(({ sales }) => sales) ?? [], [query.data])
  const { unseen, markSeen } = useFresh(feed, rows, search)
  const { refetch, dataUpdatedAt } = query
  const isBehind = feed.sinceMs !== null && dataUpdatedAt > 0 && dataUpdatedAt < feed.sinceMs
  useEffect(() => {
    if (isBehind) void refetch()
  }, [isBehind, refetch])
  const show = () => {
    markSeen()
    void refetch()
  }
  const venueName = useVenueNames()
  const areDisagreeing = search.discrepancy !== undefined
  const columns = useMemo(() => columnsOf(t, venueName, areDisagreeing), [t, venueName, areDisagreeing])
  const list = (
    <div className={styles['list']}>
      <LiveBar feed={feed} unseen={unseen} onShow={show} isLive={isLive} />
      {search.discrepancy !== undefined && calculationId === undefined && <Groups search={search} />}
      <div className={styles['table']}>
        <List
          title={t('area.sales')}
          query={query}
          columns={columns}
          rows={rows}
          keyOf={(row) => row.calculationId}
          openKey={calculationId}
          onOpen={(row) =>
            void navigate({ to: '/sales/$calculationId', params: { calculationId: row.calculationId }, search })
          }
          empty={[t(search.discrepancy === undefined ? 'sales.empty' : 'sales.noDiscrepancies'), t('sales.emptyWhat')]}
          filters={
            <>
              <Filters search={search} />
              <SavedViews list="sales" />
            </>
          }
        />
      </div>
    </div>
  )
  const lead = search.day === undefined ? undefined : t('sales.onDay', { day: dayText(t, search.day) })
  return (
    <Split title={t('area.sales')} lead={lead} list={list} open={calculationId === undefined ? null : <Outlet />} />
  )
}

/** Counts new sales that are not in the list; they join it when it is read anew, because a row of the feed keeps its first state. */
function useFresh(feed: SaleFeed, loaded: readonly Sale[], search: SaleSearch) {
  const [seen, setSeen] = useState<Sale | null>(null)
  const fresh = useMemo(() => feed.sales.filter((sale) => fits(sale, search)), [feed.sales, search])
  const at = seen === null ? -1 : fresh.indexOf(seen)
  const ids = useMemo(() => new Set(loaded.map(({ calculationId }) => calculationId)), [loaded])
  const unseen = (at === -1 ? fresh : fresh.slice(0, at)).filter(({ calculationId }) => !ids.has(calculationId)).length
  return { unseen, markSeen: () => setSeen(fresh[0] ?? null) }
}

function useSales(search: SaleSearch) {
  const { venueId = '', registerId: cashRegisterId = '', status, discrepancy, receipt, day } = search
  const includeSettled = search.settled !== undefined
  const spanOf = useDaySpan(venueId)
  const span = day === undefined ? null : spanOf(day)
  const daySpan = span && { from: timestampFromDate(span.from), until: timestampFromDate(span.until) }
  const all = useInfiniteQuery(
    SaleService.method.listSales,
    {
      ...{ pageSize, pageToken: '', venueId, cashRegisterId, status: enumOf(SaleStatus, status) },
      ...daySpan,
      ...(receipt === undefined ? {} : { receiptNumber: BigInt(receipt) }),
    },
    { ...pages, meta: { comesByItself: receipt === undefined }, enabled: discrepancy === undefined },
  )
  const disagreeing = useInfiniteQuery(
    SaleService.method.listDiscrepancies,
    {
      ...{
        pageSize,
        pageToken: '',
        venueId,
        cashRegisterId,
        discrepancy: enumOf(Discrepancy, discrepancy),
        ...daySpan,
      },
      includeSettled,
    },
    { ...pages, enabled: discrepancy !== undefined },
  )
  return discrepancy === undefined ? all : disagreeing
}

function dayText({ locale }: Words, day: string): string {
  const format = { weekday: 'long', day: 'numeric', month: 'long', year: 'numeric', timeZone: 'UTC' } as const
  return new Intl.DateTimeFormat(locale, format).format(new Date(`${day}T00:00Z`))
}

function fits(sale: Sale, { venueId, registerId, status, discrepancy }: SaleSearch): boolean {
  const words = sale.discrepancies.map((one) => contractWord(Discrepancy, one))
  // A sale before its calculation may still disagree.
  const disagrees =
    (sale.result === SaleResult.UNKNOWN_CALCULATION && sale.joinedAt === undefined) ||
    (discrepancy === 'any' ? words.length > 0 : words.includes(discrepancy ?? ''))
  return (
    (venueId === undefined || sale.venueId === venueId) &&
    (registerId === undefined || sale.cashRegisterId === registerId) &&
    (status === undefined || contractWord(SaleStatus, sale.status) === status) &&
    (discrepancy === undefined || disagrees)
  )
}

function columnsOf(t: Words, venueName: (venueId: string) => string, areDisagreeing: boolean): readonly Column<Sale>[] {
  const discrepanciesOf = (sale: Sale) => sale.discrepancies.map((one) => discrepancyText(t, one, sale)).join(', ')
  return [
    {
      key: 'at',
      head: t('sale.recordedAt'),
      cell: (row) => (
        <TextLink
          to="/sales/$calculationId"
          params={{ calculationId: row.calculationId }}
          search
          text={<Time at={row.recordedAt} venueId={row.venueId} />}
        />
      ),
      value: (row) => Number(row.recordedAt?.seconds ?? 0n),
    },
    {
      key: 'status',
      head: t('sale.status'),
      cell: ({ status }) => <StateBadge {...saleBadge} value={status} />,
      value: (row) => wordOf(t, 'status', SaleStatus, row.status),
    },
    ...amountColumns(t, areDisagreeing),
    { key: 'venue', head: t('sale.venue'), value: (row) => venueName(row.venueId), isExtra: true },
    { key: 'register', head: t('sale.register'), value: (row) => row.cashRegisterId, isExtra: true },
    {
      key: 'receipt',
      head: t('sale.receipt'),
      cell: (row) => (row.receiptNumber === undefined ? '' : String(row.receiptNumber)),
      value: (row) => String(row.receiptNumber ?? ''),
      isNumber: true,
      isExtra: true,
    },
    {
      key: 'discrepancies',
      head: t('sale.discrepancies'),
      cell: (row) => (
        <>
          <span className={row.settled === undefined ? 'lost' : 'muted'}>{discrepanciesOf(row)}</span>
          {row.settled !== undefined && ` (${t('settle.isSettled')}: ${row.settled.note})`}
        </>
      ),
      value: discrepanciesOf,
    },
    {
      key: 'id',
      head: t('calculation.id'),
      cell: (row) => <code>{shortened(row.calculationId)}</code>,
      value: (row) => row.calculationId,
      isExtra: true,
    },
  ]
}

/** With its difference in money, where it has one. */
function discrepancyText(t: Words, one: Discrepancy, { paidDifference, discountDifference, currency }: Sale): string {
  const word = wordOf(t, 'discrepancy', Discrepancy, one)
  const minor =
    one === Discrepancy.PAID_TOTAL_MISMATCH
      ? paidDifference
      : one === Discrepancy.DISCOUNT_TOTAL_MISMATCH
        ? discountDifference
        : undefined
  return minor === undefined ? word : `${word} (${formatScaled(minor, digitsOf(currency), t.locale)})`
}

function amountColumns(t: Words, areDisagreeing: boolean): readonly Column<Sale>[] {
  const difference = (key: 'paidDifference' | 'discountDifference', head: string) =>
    moneyColumn<Sale>({
      key,
      head,
      currency: (row) => row.currency,
      minor: (row) => row[key] || undefined,
      isExtra: true,
    })
  return [
    {
      key: 'paid',
      head: t('sum.paid'),
      cell: (row) =>
        row.paidTotal === undefined ? null : <Money minor={row.paidTotal} currency={row.currency} withCurrency />,
      value: (row) => row.paidTotal ?? 0n,
      isNumber: true,
    },
    ...(areDisagreeing
      ? [
          difference('paidDifference', t('sale.paidDifference')),
          difference('discountDifference', t('sale.discountDifference')),
        ]
      : []),
    moneyColumn({
      key: 'discount',
      head: t('sum.discount'),
      currency: (row) => row.currency,
      minor: (row) => row.givenTotal,
      isExtra: true,
    }),
  ]
}

const discrepancies = Object.values(Discrepancy)
  .filter((value) => typeof value === 'number')
  .filter((value) => value !== Discrepancy.UNSPECIFIED)
  .map((value) => contractWord(Discrepancy, value))
const statuses = ['applied', 'unchanged', 'member_not_found', 'failed', 'cancelled']

function Filters({ search }: { readonly search: SaleSearch }) {
  const t = useWords()
  const navigate = useNavigate()
  const set = (change: Partial<Record<keyof SaleSearch, string | undefined>>) =>
    void navigate({ to: '.', search: { ...search, ...change } })
  const areAll = search.discrepancy === undefined
  return (
    <>
      <Select
        aria-label={t('sale.discrepancies')}
        value={search.discrepancy ?? ''}
        onText={(text) =>
          set({ discrepancy: text || undefined, status: undefined, receipt: undefined, settled: undefined })
        }
        options={[
          ['', t('filter.allSales')],
          ['any', t('filter.anyDiscrepancy')],
          ...discrepancies.map((word) => [word, t.of('discrepancy', word)] as const),
        ]}
      />
      {!areAll && (
        <Select
          aria-label={t('settle.isSettled')}
          value={search.settled ?? ''}
          onText={(text) => set({ settled: text || undefined })}
          options={[
            ['', t('filter.notSettled')],
            ['too', t('filter.settledToo')],
          ]}
        />
      )}
      {areAll && (
        <Select
          aria-label={t('sale.status')}
          value={search.status ?? ''}
          onText={(text) => set({ status: text || undefined })}
          options={[['', t('filter.anyStatus')], ...statuses.map((word) => [word, t.of('status', word)] as const)]}
        />
      )}
      <DayField
        aria-label={t('reports.day')}
        placeholder={t('filter.anyDay')}
        value={search.day ?? ''}
        onText={(day) => set({ day: day || undefined })}
      />
      <VenueSelect value={search.venueId ?? ''} onText={(venueId) => set({ venueId: venueId || undefined })} />
      <Field label={t('sale.register')} value={search.registerId} onSet={(registerId) => set({ registerId })} />
      {areAll && <Field label={t('filter.receipt')} value={search.receipt} onSet={(receipt) => set({ receipt })} />}
    </>
  )
}

interface FieldProps {
  readonly label: string
  readonly value: string | undefined
  readonly onSet: (value: string | undefined) => void
}

/** A typed filter: applied by Enter, or when the field is left. */
function Field({ label, value = '', onSet }: FieldProps) {
  const [typed, setTyped] = useState<string | null>(null)
  const apply = () => {
    if (typed !== null && typed.trim() !== value) onSet(typed.trim() || undefined)
    setTyped(null)
  }
  return (
    <input
      aria-label={label}
      placeholder={label}
      value={typed ?? value}
      maxLength={64}
      onChange={({ target }) => setTyped(target.value)}
      onBlur={apply}
      onKeyDown={({ key }) => key === 'Enter' && apply()}
    />
  )
}

interface LiveBarProps {
  readonly feed: SaleFeed
  readonly unseen: number
  readonly onShow: () => void
  /** false: a list by receipt is not followed. */
  readonly isLive: boolean
}

/** Shows that the list is live, and offers new sales: rows do not move while a person reads them. */
function LiveBar({ feed: { cause }, unseen, onShow, isLive }: LiveBarProps) {
  const t = useWords()
  if (!isLive) return null
  return (
    <div className={styles['live']} role="status">
      <span className={cause === null ? 'muted' : 'lost'}>{t(cause === null ? 'sales.live' : 'sales.notLive')}</span>
      {unseen > 0 && <Button onClick={onShow} text={t('sales.new', { count: unseen })} />}
    </div>
  )
}

export interface SaleFeed {
  /** Sales since the screen was opened, newest first. */
  readonly sales: readonly Sale[]
  /** This computer's time when the feed began: a list read before may lack sales in between. null: not yet. */
  readonly sinceMs: number | null
  /** The reason why no more come; null: they do. */
  readonly cause: unknown
}

const keptMax = 500
const none: readonly Sale[] = []

/**
 * Follows the feed of sales, and resumes after the last received one when it breaks, so that none is missed.
 *
 * @param venueId  '' for all venues; null: the feed is not followed
 */
function useSaleFeed(venueId: string | null): SaleFeed {
  const transport = useTransport()
  const open = useMemo(() => {
    const client = createClient(SaleService, transport)
    let cursor = ''
    let feed: Omit<SaleFeed, 'cause'> | null = null
    return async function* (signal: AbortSignal) {
      if (venueId === null) return await untilAborted(signal)
      for await (const message of client.watchSales({ cursor, venueId }, { signal })) {
        cursor = message.cursor
        const { sales, sinceMs }: Omit<SaleFeed, 'cause'> = feed ?? { sales: none, sinceMs: Date.now() }
        feed = { sales: message.sale === undefined ? sales : [message.sale, ...sales].slice(0, keptMax), sinceMs }
        yield feed
      }
    }
  }, [transport, venueId])
  const { latest, cause } = useStream(open)
  return { sales: latest?.sales ?? none, sinceMs: latest?.sinceMs ?? null, cause }
}

function untilAborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }))
}
