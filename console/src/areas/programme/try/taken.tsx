import type { RuleCount, SimulateBasketResponse } from '../../../../../gateway/gen/loyalty/v1/calculation_service_pb.js'
import { LimitCounts } from '../../../../../gateway/gen/loyalty/v1/enums_pb.js'
import { Part } from '../../../parts/detail.js'
import { factorText } from '../../calculations/earning.js'
import { benefitName, moneyText, type ReasonContext, valueText } from '../../calculations/reasons.js'
import styles from '../programme.module.css'

interface TakenProps {
  readonly answer: SimulateBasketResponse
  readonly context: ReasonContext
}

/** What it would take of limits and of the member, and what its sale would count. */
export function Taken({ answer, context }: TakenProps) {
  const { t } = context
  const { wants, spending, earning } = answer
  if (wants.length + spending.length + earning.length === 0) return null
  return (
    <Part level={2} title={t('why.value')}>
      <ul className={styles['reasons']}>
        {wants.map(({ limitId, subject, period, units, counts }) => (
          <li key={`${limitId}/${subject}/${period}`}>
            <strong>{limitId}</strong>
            <span>
              {t('try.takes', { units: counts === LimitCounts.AMOUNT ? moneyText(context, units) : String(units) })}
            </span>
          </li>
        ))}
        {spending.map(({ benefitId, currencyId, amount, times }) => (
          <li key={`${benefitId}/${currencyId}`}>
            <strong>{benefitName(context, benefitId)}</strong>
            <span>{t('try.costs', { value: valueText(context, currencyId, amount * times) })}</span>
          </li>
        ))}
        {earning.map((count) => (
          <li key={count.ruleId}>
            <strong>{count.ruleId}</strong>
            <span>{[wouldEarnText(context, count), factorText(context, count)].filter(Boolean).join('; ')}</span>
          </li>
        ))}
      </ul>
    </Part>
  )
}

function wouldEarnText(context: ReasonContext, { currencyId, wouldEarn }: RuleCount): string {
  const { t } = context
  return wouldEarn === undefined
    ? t('why.counts')
    : t('why.wouldEarn', { value: valueText(context, currencyId, wouldEarn) })
}
