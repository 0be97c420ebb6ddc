import { Link } from '@tanstack/react-router'
import type { GetCalculationResponse } from '../../../../gateway/gen/loyalty/v1/calculation_service_pb.js'
import { CalculationState } from '../../../../gateway/gen/loyalty/v1/enums_pb.js'
import { useWords } from '../../i18n/words.js'
import { Part } from '../../parts/detail.js'
import { wordOf } from '../../parts/enum-word.js'
import { Time } from '../../parts/time.js'
import styles from './calculation.module.css'

/** The states of a calculation with their times, and the ways to its sale and to what it replaced. */
export function History({ answer: { history, calculation } }: { readonly answer: GetCalculationResponse }) {
  const t = useWords()
  const { calculationId, venueId, state, supersedesCalculationId } = calculation!
  const wasSold = state === CalculationState.FINALISED || state === CalculationState.ABANDONED
  return (
    <Part title={t('calculation.history')}>
      <ol className={styles['history']}>
        {supersedesCalculationId !== undefined && (
          <li>
            <span />
            <Link to="/calculations/$calculationId" params={{ calculationId: supersedesCalculationId }} search={true}>
              {t('calculation.replaces')}
            </Link>
          </li>
        )}
        {history.map(({ state: began, at, cause }) => (
          <li key={began}>
            <span>
              <Time at={at} venueId={venueId} show="day" /> <Time at={at} venueId={venueId} show="time" />
            </span>
            <span>{wordOf(t, 'state', CalculationState, began)}</span>
            {cause !== '' && (
              <Link to="/calculations/$calculationId" params={{ calculationId: cause }} search={true}>
                {t('calculation.superseding')}
              </Link>
            )}
            {wasSold && began === state && (
              <Link to="/sales/$calculationId" params={{ calculationId }}>
                {t('calculation.sale')}
              </Link>
            )}
          </li>
        ))}
      </ol>
    </Part>
  )
}
