import { useInfiniteQuery } from '@connectrpc/connect-query'
import { Outlet, useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { useMemo, useState } from 'react'
import { type LimitCounter, LimitService } from '../../../../gateway/gen/loyalty/v1/limit_service_pb.js'
import { useNow } from '../../api/clock.js'
import { useProgrammeNames } from '../../api/programme.js'
import { moreOf, pageSize, pages } from '../../api/use-pages.js'
import { useHouseZone } from '../../api/venues.js'
import { useWords, type Words } from '../../i18n/words.js'
import { ErrorPanel } from '../../parts/error-panel.js'
import { Split } from '../../parts/split.js'
import { Empty, Skeleton } from '../../parts/states.js'
import { type Column, Table } from '../../parts/table.js'
import { type Burn, burnOf, leftOf } from './burn.js'
import type { LimitSearch } from './search.js'
import { RunsOut, rateText, unitsText } from './units.js'

/** The rate of a counter, as it is now. */
type BurnOf = (row: LimitCounter) => Burn | null

/** Counters of limits: what is used, what open baskets hold, how fast it goes and how long it lasts. */
export function LimitList() {
  const t = useWords()
  const navigate = useNavigate()
  const search = useSearch({ from: '/limits' })
  const { openId } = useParams({ strict: false })
  const { limitId = '', who = '' } = search
  const query = useInfiniteQuery(
    LimitService.method.listLimits,
    { pageSize, pageToken: '', limitId, subject: who },
    pages,
  )
  const now = useNow()
  const zone = useHouseZone()
  const burn: BurnOf = (row) => burnOf(row, now, zone)
  const rows = useMemo(() => query.data?.pages.flatMap(({ counters }) => counters) ?? [], [query.data])
  const open = (row: LimitCounter) =>
    void navigate({
      to: '/limits/$openId',
      params: { openId: row.limitId },
      search: { ...filtersOf(search), ...counterOf(row) },
    })
  const list = query.isPending ? (
    <Skeleton lines={12} />
  ) : query.isError ? (
    <ErrorPanel cause={query.error} onRetry={() => void query.refetch()} />
  ) : (
    <Table
      label={t('area.limits')}
      columns={columnsOf(t, burn)}
      rows={rows}
      keyOf={keyOf}
      openKey={openId === undefined ? undefined : keyOf({ limitId: openId, ...counterKeys(search) })}
      onOpen={open}
      {...moreOf(query)}
      empty={<Empty why={t('limits.empty')}>{t('limits.emptyWhat')}</Empty>}
      filters={<Filters search={search} />}
    />
  )
  return (
    <Split
      title={t('area.limits')}
      lead={query.isSuccess ? leadText(t, rows, burn) : undefined}
      list={list}
      open={openId === undefined ? null : <Outlet />}
    />
  )
}

function filtersOf({ limitId, who }: LimitSearch): LimitSearch {
  return { ...(limitId === undefined ? {} : { limitId }), ...(who === undefined ? {} : { who }) }
}

function counterOf({ subject, period }: LimitCounter): LimitSearch {
  return { ...(subject === '' ? {} : { subject }), ...(period === '' ? {} : { period }) }
}

function counterKeys({ subject = '', period = '' }: LimitSearch) {
  return { subject, period }
}

function keyOf({ limitId, subject, period }: Pick<LimitCounter, 'limitId' | 'subject' | 'period'>): string {
  return JSON.stringify([limitId, subject, period])
}

/** How many of the loaded counters will be empty before their period ends. */
function leadText(t: Words, rows: readonly LimitCounter[], burn: BurnOf): string {
  const gone = rows.filter((row) => leftOf(row) === 0n).length
  const going = rows.filter((row) => leftOf(row) > 0n && burn(row)?.endsAt).length
  return t('limits.lead', { gone, going })
}

function columnsOf(t: Words, burn: BurnOf): readonly Column<LimitCounter>[] {
  const number = (key: 'maximum' | 'used' | 'open' | 'late', head: string, isExtra: boolean): Column<LimitCounter> => ({
    key,
    head,
    cell: (row) => unitsText(row, row[key], t.locale),
    value: (row) => row[key],
    isNumber: true,
    isExtra,
  })
  return [
    { key: 'limit', head: t('limit.id'), cell: (row) => row.limitId, value: (row) => row.limitId },
    {
      key: 'subject',
      head: t('limits.subject'),
      cell: (row) => row.subject || <span className="muted">{t('why.everyone')}</span>,
      value: (row) => row.subject,
      isExtra: true,
    },
    {
      key: 'period',
      head: t('limit.period'),
      cell: (row) => row.period || t('period.ever'),
      value: (row) => row.period,
      isExtra: true,
    },
    number('maximum', t('limit.maximum'), true),
    number('used', t('limit.used'), true),
    number('open', t('limit.held'), true),
    number('late', t('limits.late'), true),
    {
      key: 'left',
      head: t('limits.left'),
      cell: (row) => unitsText(row, leftOf(row), t.locale),
      value: leftOf,
      isNumber: true,
    },
    {
      key: 'rate',
      head: t('limits.rate'),
      cell: (row) => {
        const rate = burn(row)
        return rate === null ? null : rateText(t, row, rate)
      },
      value: (row) => burn(row)?.perDay ?? 0,
      isNumber: true,
      isExtra: true,
    },
    {
      key: 'out',
      head: t('limits.runsOut'),
      cell: (row) => <RunsOut left={leftOf(row)} burn={burn(row)} />,
      value: (row) => (leftOf(row) === 0n ? 0 : (burn(row)?.endsAt?.getTime() ?? Number.MAX_SAFE_INTEGER)),
    },
  ]
}

function Filters({ search }: { readonly search: LimitSearch }) {
  const t = useWords()
  const navigate = useNavigate()
  const { benefits } = useProgrammeNames(0)
  const limits = [...benefits.values()].flatMap((benefit) => benefit.limits ?? []).map(({ limitId }) => limitId)
  const [who, setWho] = useState(search.who ?? '')
  const set = (change: Partial<Record<keyof LimitSearch, string | undefined>>) =>
    void navigate({ to: '/limits', search: { ...filtersOf(search), ...change } as LimitSearch })
  return (
    <>
      <select
        aria-label={t('limit.id')}
        value={search.limitId ?? ''}
        onChange={(event) => set({ limitId: event.target.value || undefined })}
      >
        <option value="">{t('limits.anyLimit')}</option>
        {[...new Set([...limits, ...(search.limitId === undefined ? [] : [search.limitId])])].map((limitId) => (
          <option key={limitId} value={limitId}>
            {limitId}
          </option>
        ))}
      </select>
      <input
        value={who}
        aria-label={t('limits.who')}
        placeholder={t('limits.who')}
        onChange={(event) => setWho(event.target.value)}
        onKeyDown={(event) => event.key === 'Enter' && set({ who: who.trim() || undefined })}
        onBlur={() => who.trim() !== (search.who ?? '') && set({ who: who.trim() || undefined })}
      />
    </>
  )
}
