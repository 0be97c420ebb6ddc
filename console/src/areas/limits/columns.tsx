import { LimitScope } from '../../../../gateway/gen/loyalty/v1/enums_pb.js'
import type { LimitCounter } from '../../../../gateway/gen/loyalty/v1/limit_service_pb.js'
import type { Venue } from '../../../../gateway/gen/loyalty/v1/venue_service_pb.js'
import type { Words } from '../../i18n/words.js'
import { TakenBar } from '../../parts/shares.js'
import type { Column } from '../../parts/table.js'
import { dateOf } from '../../parts/time.js'
import styles from './limits.module.css'
import { leftOf, ofMaximum, paceText, RunsOut, takenOf, unitsText } from './units.js'

interface Shown {
  /** Whether only counters are listed that many take from. */
  readonly isShared: boolean
  readonly venues: readonly Venue[]
}

/** Whether many take from a counter. */
export function isSharedCounter({ scope }: Pick<LimitCounter, 'scope'>): boolean {
  return scope === LimitScope.EVERYONE || scope === LimitScope.VENUE
}

/** The columns of the list; how fast it goes and when it runs out only of what many take from. */
export function limitColumns(t: Words, { isShared, venues }: Shown): readonly Column<LimitCounter>[] {
  const nameOf = ({ subject, scope }: LimitCounter) =>
    (scope === LimitScope.VENUE && venues.find(({ venueId }) => venueId === subject)?.name) || subject
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
    head: t(isShared ? 'limits.runsOut' : 'limits.state'),
    cell: (row) => (
      <span className={styles['out']}>
        <RunsOut
          left={leftOf(row)}
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
