import type { WatchTodayResponse } from '../../../../gateway/gen/loyalty/v1/report_service_pb.js'
import { useToday } from '../../api/use-today.js'
import { useWords } from '../../i18n/words.js'
import { Part } from '../../parts/detail.js'
import { ErrorPanel } from '../../parts/error-panel.js'
import { Skeleton } from '../../parts/states.js'
import { Time } from '../../parts/time.js'
import { Answers } from './answers.js'
import { Given } from './given.js'
import { Health } from './health.js'
import { Lead } from './lead.js'
import { Recent } from './recent.js'
import { RunningOut } from './running-out.js'
import styles from './today.module.css'
import { useHealth } from './use-health.js'

/** What matters now, as it goes: what is amiss, limits that run out, sales that disagree, traffic, what was given today. */
export function Today() {
  const t = useWords()
  const { today, cause, again } = useToday()
  return (
    <div className={styles['today']}>
      <h1>{t('area.today')}</h1>
      {cause !== null && <ErrorPanel cause={cause} onRetry={again} />}
      {cause !== null && today !== null && (
        <p role="status">
          {t('today.stale')} <Time at={today.at} show="time" />
        </p>
      )}
      {today === null ? cause === null && <Skeleton /> : <Now today={today} />}
      <Part level={2} title={t('today.recent')}>
        <Recent />
      </Part>
    </div>
  )
}

function Now({ today }: { readonly today: WatchTodayResponse }) {
  const t = useWords()
  const health = useHealth(today)
  return (
    <>
      <Lead today={today} health={health} />
      <Health parts={health} />
      <Part level={2} title={t('today.limits')}>
        <RunningOut limits={today.limits} />
      </Part>
      <Part level={2} title={t('today.answers')}>
        <Answers now={today.traffic} gateways={health.gateways} />
      </Part>
      <Part level={2} title={t('today.given')}>
        <Given today={today} />
      </Part>
    </>
  )
}
