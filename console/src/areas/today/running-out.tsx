import { Link } from '@tanstack/react-router'
import type { FullLimit } from '../../../../gateway/gen/loyalty/v1/report_service_pb.js'
import { useProgrammeNames } from '../../api/programme.js'
import { useVenueName } from '../../api/venues.js'
import { useWords, type Words } from '../../i18n/words.js'
import { TakenBar } from '../../parts/charts.js'
import { type Column, Rows } from '../../parts/rows.js'
import { ofMaximum, paceText, RunsOut } from '../limits/units.js'
import styles from './today.module.css'

export function RunningOut({ limits }: { readonly limits: readonly FullLimit[] }) {
  const t = useWords()
  const { benefits } = useProgrammeNames(0)
  const names = new Map(
    [...benefits.values()].flatMap((one) => (one.limits ?? []).map((limit) => [limit.limitId, one.text])),
  )
  if (limits.length === 0) return <p className="muted">{t('today.limitsNone')}</p>
  return (
    <Rows
      label={t('today.limits')}
      columns={columnsOf(t, names)}
      rows={limits}
      keyOf={({ limitId, subject, period }) => `${limitId}/${subject}/${period}`}
    />
  )
}

function columnsOf(t: Words, names: ReadonlyMap<string, string | undefined>): readonly Column<FullLimit>[] {
  return [
    {
      key: 'limit',
      head: t('limit.id'),
      cell: ({ limitId, subject, period }) => (
        <Link
          to="/limits/$openId"
          params={{ openId: limitId }}
          search={{ ...(subject === '' ? {} : { subject }), ...(period === '' ? {} : { period }) }}
        >
          {limitId}
          {names.has(limitId) && <span className={styles['benefit']}>{names.get(limitId)}</span>}
          {subject !== '' && (
            <span className={styles['whose']}>
              <Whose venueId={subject} />
            </span>
          )}
        </Link>
      ),
    },
    { key: 'subject', head: t('limits.subject'), cell: ({ subject }) => <Whose venueId={subject} />, isExtra: true },
    { key: 'period', head: t('limit.period'), cell: ({ period }) => period || t('period.ever'), isExtra: true },
    {
      key: 'taken',
      head: t('limits.taken'),
      cell: (row) => (
        <>
          {ofMaximum(t, row, row.taken)}
          <TakenBar
            whole={Number(row.maximum)}
            parts={[{ key: 'taken', size: Number(row.taken), colour: 'var(--accent)' }]}
          />
        </>
      ),
      isNumber: true,
    },
    { key: 'pace', head: t('limits.rate'), cell: (row) => paceText(t, row, { hour: row.lastHour }), isExtra: true },
    {
      key: 'out',
      head: t('limits.runsOut'),
      cell: ({ taken, held, maximum, runsOutAt, periodEndsAt, subject, lastHour }) => (
        <RunsOut
          left={maximum - taken}
          isHeld={taken - held < maximum}
          runsOutAt={runsOutAt}
          periodEndsAt={periodEndsAt}
          isShared
          venueId={subject}
          pace={lastHour}
        />
      ),
    },
  ]
}

function Whose({ venueId }: { readonly venueId: string }) {
  const t = useWords()
  const name = useVenueName(venueId)
  return venueId === '' ? t('why.everyone') : name
}
