import { Link } from '@tanstack/react-router'
import type { GetCalculationResponse } from '../../../../gateway/gen/loyalty/v1/calculation_service_pb.js'
import { CalculationState } from '../../../../gateway/gen/loyalty/v1/enums_pb.js'
import { useWords } from '../../i18n/words.js'
import { Part } from '../../parts/detail.js'
import { wordOf } from '../../parts/enum-word.js'
import { Time } from '../../parts/time.js'
import styles from './calculation.module.css'

/** The states of a calculation with their times, and the way to its sale. */
export function History({ answer: { history, calculation } }: { readonly answer: GetCalculationResponse }) {
  const t = useWords()
  const { calculationId, venueId } = calculation!
  return (
    <Part title={t('calculation.history')}>
      <ol className={styles['history']}>
        {history.map(({ state, at, cause }) => (
          <li key={state}>
            <Time at={at} venueId={venueId} show="time" />
            <span>{wordOf(t, 'state', CalculationState, state)}</span>
            {cause !== '' && (
              <Link to="/calculations/$calculationId" params={{ calculationId: cause }}>
                {t('calculation.superseding')}
              </Link>
            )}
          </li>
        ))}
      </ol>
      <p>
        <Link to="/sales/$calculationId" params={{ calculationId }}>
          {t('calculation.sale')}
        </Link>
      </p>
    </Part>
  )
}
