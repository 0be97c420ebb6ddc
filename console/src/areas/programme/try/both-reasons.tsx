import type { SimulateBasketResponse } from '../../../../../gateway/gen/loyalty/v1/calculation_service_pb.js'
import type { BenefitPart, ProgrammeNames } from '../../../api/programme.js'
import { Part } from '../../../parts/detail.js'
import { moneyText, type ReasonContext, reasonText, restrictionsText } from '../../calculations/reasons.js'
import styles from '../programme.module.css'

type Explained = Pick<SimulateBasketResponse, 'explanation'>

interface BothReasonsProps {
  readonly draft: Explained
  /** The same basket by another version, and the message that names it. */
  readonly other: Explained
  readonly otherReason: 'try.todayReason' | 'shadow.thenReason'
  /** With the names of the draft. */
  readonly context: ReasonContext
  readonly namesOther: ProgrammeNames
}

/** What became of every benefit with the draft, and by the other version where that differs; those that give something come first. */
export function BothReasons({ draft, other: today, otherReason, context, namesOther: namesToday }: BothReasonsProps) {
  const { t, names } = context
  const ids = new Set([
    ...draft.explanation.filter(({ dropped }) => dropped === undefined).map(({ benefitId }) => benefitId),
    ...today.explanation.filter(({ dropped }) => dropped === undefined).map(({ benefitId }) => benefitId),
    ...draft.explanation.map(({ benefitId }) => benefitId),
    ...names.benefits.keys(),
    ...namesToday.benefits.keys(),
  ])
  const todays = { ...context, names: namesToday }
  return (
    <Part level={2} title={t('try.benefits')}>
      <ul className={styles['reasons']}>
        {[...ids].map((benefitId) => {
          const own = reasonOf(context, draft, benefitId, names.benefits.get(benefitId))
          const other = reasonOf(todays, today, benefitId, namesToday.benefits.get(benefitId))
          return (
            <li key={benefitId}>
              <strong>
                {(names.benefits.get(benefitId) ?? namesToday.benefits.get(benefitId))?.text ?? benefitId}
              </strong>
              <span>
                <span className={own.isGiven ? 'gained' : undefined}>{own.text}</span>
                {own.text !== other.text && <span className="muted"> {t(otherReason, { reason: other.text })}</span>}
              </span>
            </li>
          )
        })}
      </ul>
    </Part>
  )
}

interface Reason {
  readonly text: string
  readonly isGiven: boolean
}

function reasonOf(
  context: ReasonContext,
  answer: Explained,
  benefitId: string,
  benefit: BenefitPart | undefined,
): Reason {
  const { t } = context
  const report = answer.explanation.find((one) => one.benefitId === benefitId)
  if (report !== undefined) {
    const isGiven = report.dropped === undefined
    return { text: isGiven ? moneyText(context, -report.value) : reasonText(context, report.dropped!), isGiven }
  }
  if (benefit === undefined) return { text: t('try.absent'), isGiven: false }
  const why = restrictionsText(context, benefit).join('; ') || t('try.notOpenToMember')
  return { text: t('try.notOpen', { why }), isGiven: false }
}
