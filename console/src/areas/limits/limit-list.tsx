import { useInfiniteQuery } from '@connectrpc/connect-query'
import { useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { useMemo, useState } from 'react'
import { LimitScope } from '../../../../gateway/gen/loyalty/v1/enums_pb.js'
import { type LimitCounter, LimitOwner, LimitService } from '../../../../gateway/gen/loyalty/v1/limit_service_pb.js'
import { useProgrammeNames } from '../../api/programme.js'
import { pages } from '../../api/use-pages.js'
import { useVenueNames } from '../../api/venues.js'
import { useWords, type Words } from '../../i18n/words.js'
import { TakenBar } from '../../parts/charts.js'
import { Select } from '../../parts/controls.js'
import { ListScreen } from '../../parts/list-screen.js'
import type { Column } from '../../parts/rows.js'
import { SavedViews } from '../../parts/saved-views.js'
import { dateOf } from '../../parts/values.js'
import type { LimitSearch } from '../../search.js'
import styles from './limits.module.css'
import { isHeld, isSharedCounter, leftOf, ofMaximum, paceText, RunsOut, takenOf, unitsText } from './units.js'

/** The number of shared limits is bounded by limits and venues: most programmes' fit one page, so that they can be sorted. */
const pageSize = 500
const againMs = 30_000

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
    // Counters of everyone whose period is over have no end.
    const counters = query.data?.pages.flatMap(({ counters }) => counters) ?? []
    const current = counters.filter(({ period, periodEndsAt }) => show === 'all' || period === '' || periodEndsAt)
    return owner === LimitOwner.SHARED ? current.toSorted(bySoonest) : current
  }, [query.data, owner, show])
  const venueName = useVenueNames()
  const columns = useMemo(
    () => limitColumns(t, { isShared: owner === LimitOwner.SHARED, venueName }),
    [t, owner, venueName],
  )
  return (
    <ListScreen
      title={t('area.limits')}
      lead={query.isSuccess ? leadText(t, rows, show) : undefined}
      query={query}
      columns={columns}
      rows={rows}
      keyOf={keyOf}
      openKey={openId === undefined ? undefined : keyOf({ limitId: openId, ...counterKeys(search) })}
      onOpen={(row) =>
        void navigate({
          to: '/limits/$openId',
          params: { openId: row.limitId },
          search: { ...filtersOf(search), ...counterOf(row) },
        })
      }
      empty={[t('limits.empty'), t('limits.emptyWhat')]}
      filters={
        <>
          <Filters search={search} />
          <SavedViews list="limits" />
        </>
      }
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

/** Exhausted ones first, then the next to run out, then the fullest. */
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

function leadText(t: Words, rows: readonly LimitCounter[], show: LimitSearch['show']): string {
  const gone = rows.filter((row) => leftOf(row) === 0n && !isHeld(row)).length
  if (show === 'member') return t('limits.leadOwn', { gone })
  const going = rows.filter((row) => leftOf(row) > 0n && row.runsOutAt !== undefined).length
  return t(show === 'all' ? 'limits.leadAll' : 'limits.lead', { count: rows.length, gone, going })
}

interface Shown {
  readonly isShared: boolean
  readonly venueName: (venueId: string) => string
}

function limitColumns(t: Words, { isShared, venueName }: Shown): readonly Column<LimitCounter>[] {
  const nameOf = ({ subject, scope }: LimitCounter) => (scope === LimitScope.VENUE ? venueName(subject) : subject)
  return [
    {
      key: 'limit',
      head: t('limit.id'),
      cell: (row) => (
        <>
          {row.limitId}
          {row.subject !== '' && <span className={styles['whose']}>{nameOf(row)}</span>}
        </>
      ),
      value: (row) => row.limitId,
    },
    {
      key: 'subject',
      head: t('limits.subject'),
      cell: (row) => nameOf(row) || <span className="muted">{t('why.everyone')}</span>,
      value: (row) => `${nameOf(row)} ${row.subject}`,
      isExtra: isShared,
    },
    {
      key: 'period',
      head: t('limit.period'),
      cell: (row) => row.period || t('period.ever'),
      value: (row) => row.period,
      isExtra: true,
    },
    {
      key: 'taken',
      head: t('limits.taken'),
      cell: (row) => (
        <>
          {ofMaximum(t, row, takenOf(row))}
          <TakenBar
            whole={Number(row.maximum)}
            parts={[{ key: 'taken', size: Number(takenOf(row)), colour: 'var(--accent)' }]}
          />
        </>
      ),
      value: (row) => (row.maximum === 0n ? 1 : Number(takenOf(row)) / Number(row.maximum)),
      isNumber: true,
    },
    {
      key: 'left',
      head: t('limits.left'),
      cell: (row) => unitsText(row, leftOf(row), t.locale),
      value: leftOf,
      isNumber: true,
      isExtra: true,
    },
    ...(isShared ? [paceColumn(t)] : []),
    outColumn(t, isShared),
  ]
}

function paceColumn(t: Words): Column<LimitCounter> {
  return {
    key: 'rate',
    head: t('limits.rate'),
    cell: (row) => paceText(t, row, { hour: row.lastHour, day: row.lastDay, week: row.lastWeek }),
    value: (row) => row.lastHour?.taken ?? 0n,
    isExtra: true,
  }
}

function outColumn(t: Words, isShared: boolean): Column<LimitCounter> {
  return {
    key: 'out',
    head: t(isShared ? 'limits.runsOut' : 'calculation.state'),
    cell: (row) => (
      <span className={styles['out']}>
        <RunsOut
          left={leftOf(row)}
          isHeld={isHeld(row)}
          runsOutAt={row.runsOutAt}
          periodEndsAt={row.periodEndsAt}
          isShared={isSharedCounter(row)}
          venueId={row.subject}
          pace={row.lastWeek}
        />
      </span>
    ),
    value: (row) =>
      leftOf(row) === 0n ? 0 : row.runsOutAt === undefined ? Number.MAX_SAFE_INTEGER : dateOf(row.runsOutAt).getTime(),
  }
}

function filtersOf({ show, limitId, who }: LimitSearch): LimitSearch {
  return {
    ...(show === undefined ? {} : { show }),
    ...(limitId === undefined ? {} : { limitId }),
    ...(who === undefined ? {} : { who }),
  }
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
      <Select
        aria-label={t('limits.show')}
        value={search.show ?? ''}
        onText={(text) => set({ show: text || undefined })}
        options={[
          ['', t('limits.showShared')],
          ['member', t('limits.showMember')],
          ['all', t('limits.showAll')],
        ]}
      />
      <Select
        aria-label={t('limit.id')}
        value={search.limitId ?? ''}
        onText={(text) => set({ limitId: text || undefined })}
        options={[
          ['', t('limits.anyLimit')],
          ...[...new Set([...limits, ...(search.limitId === undefined ? [] : [search.limitId])])].map(
            (limitId) => [limitId, limitId] as const,
          ),
        ]}
      />
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
