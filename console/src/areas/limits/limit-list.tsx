import { useInfiniteQuery } from '@connectrpc/connect-query'
import { Outlet, useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { useMemo } from 'react'
import { type LimitCounter, LimitOwner, LimitService } from '../../../../gateway/gen/loyalty/v1/limit_service_pb.js'
import { moreOf, pages } from '../../api/use-pages.js'
import { useVenues } from '../../api/venues.js'
import { useWords, type Words } from '../../i18n/words.js'
import { ErrorPanel } from '../../parts/error-panel.js'
import { Split } from '../../parts/split.js'
import { Empty, Skeleton } from '../../parts/states.js'
import { Table } from '../../parts/table.js'
import { dateOf } from '../../parts/time.js'
import { limitColumns } from './columns.js'
import { Filters, filtersOf } from './filters.js'
import type { LimitSearch } from './search.js'
import { leftOf } from './units.js'

/** Shared limits are as many as there are limits and venues: those of most programmes come at once, so that they can be sorted. */
const pageSize = 500
const againMs = 30_000

/** Counters of limits: first those that many share, the next to run out before all others. */
export function LimitList() {
  const t = useWords()
  const navigate = useNavigate()
  const search = useSearch({ from: '/limits' })
  const { openId } = useParams({ strict: false })
  const { show, limitId = '', who = '' } = search
  const owner = show === 'all' ? LimitOwner.UNSPECIFIED : show === 'member' ? LimitOwner.MEMBER : LimitOwner.SHARED
  const query = useInfiniteQuery(
    LimitService.method.listLimits,
    { pageSize, pageToken: '', limitId, subject: who, owner, current: show !== 'all' },
    { ...pages, refetchInterval: againMs },
  )
  const rows = useMemo(() => {
    // Those of everyone whose period is over by now have no end.
    const counters = query.data?.pages.flatMap(({ counters }) => counters) ?? []
    const current = counters.filter(({ period, periodEndsAt }) => show === 'all' || period === '' || periodEndsAt)
    return owner === LimitOwner.SHARED ? current.toSorted(bySoonest) : current
  }, [query.data, owner, show])
  const venues = useVenues()
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
      columns={limitColumns(t, { isShared: owner === LimitOwner.SHARED, venues })}
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
      lead={query.isSuccess ? leadText(t, rows, show) : undefined}
      list={list}
      open={openId === undefined ? null : <Outlet />}
    />
  )
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

/** What is gone first, then what runs out next, then what is fullest. */
function bySoonest(left: LimitCounter, right: LimitCounter): number {
  return outMs(left) - outMs(right) || shareOf(right) - shareOf(left)
}

function outMs(counter: LimitCounter): number {
  if (leftOf(counter) === 0n) return 0
  return counter.runsOutAt === undefined ? Number.MAX_SAFE_INTEGER : dateOf(counter.runsOutAt).getTime()
}

function shareOf({ maximum, used, open, late }: LimitCounter): number {
  return maximum === 0n ? 1 : Number(used + open + late) / Number(maximum)
}

/** How many are exhausted, and how many will be before their period ends; of members' own that this is as it should be. */
function leadText(t: Words, rows: readonly LimitCounter[], show: LimitSearch['show']): string {
  const gone = rows.filter((row) => leftOf(row) === 0n).length
  if (show === 'member') return t('limits.leadOwn', { gone })
  const going = rows.filter((row) => leftOf(row) > 0n && row.runsOutAt !== undefined).length
  return t(show === 'all' ? 'limits.leadAll' : 'limits.lead', { count: rows.length, gone, going })
}
