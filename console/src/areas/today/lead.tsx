import { Link } from '@tanstack/react-router'
import { Fragment, type ReactNode } from 'react'
import type { WatchTodayResponse } from '../../../../gateway/gen/loyalty/v1/report_service_pb.js'
import { useIsToday } from '../../api/venues.js'
import { useWords } from '../../i18n/words.js'
import { dateOf } from '../../parts/time.js'
import styles from './today.module.css'
import type { HealthOfAll } from './use-health.js'

interface LeadProps {
  readonly today: WatchTodayResponse
  readonly health: HealthOfAll
}

/** What matters, in one sentence: what is amiss, what runs out before tonight, what disagrees; else that all is well. */
export function Lead({ today: { limits, disagreeingSales: disagreeing }, health }: LeadProps) {
  const t = useWords()
  const isToday = useIsToday()
  const gone = limits.filter(({ taken, maximum }) => taken >= maximum).length
  const going = limits.filter(
    ({ taken, maximum, runsOutAt }) => taken < maximum && runsOutAt !== undefined && isToday(dateOf(runsOutAt)),
  ).length
  const amiss = health.parts.filter(({ isWell }) => !isWell)
  const clauses: readonly ReactNode[] = [
    ...amiss.map(({ name, text }) => (
      <Link key={name} to="/system">
        {t('lead.amiss', { name, text })}
      </Link>
    )),
    ...(going === 0
      ? []
      : [
          <Link key="going" to="/limits">
            {t('lead.going', { count: going })}
          </Link>,
        ]),
    ...(gone === 0
      ? []
      : [
          <Link key="gone" to="/limits">
            {t('lead.gone', { count: gone })}
          </Link>,
        ]),
    ...(disagreeing === 0n
      ? []
      : [
          <Link key="disagree" to="/sales" search={{ discrepancy: 'any' }}>
            {t('lead.disagree', { count: disagreeing })}
          </Link>,
        ]),
  ]
  return (
    <p className={styles['lead']} role="status">
      {clauses.map((clause, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: clauses have no other order than this
        <Fragment key={at}>
          {clause}
          {'; '}
        </Fragment>
      ))}
      {t(clauses.length === 0 ? 'lead.well' : 'lead.elseWell')}
    </p>
  )
}
