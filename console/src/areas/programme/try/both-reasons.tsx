import type { SimulateBasketResponse } from '../../../../../gateway/gen/loyalty/v1/calculation_service_pb.js'
import type { ProgrammeNames } from '../../../api/programme.js'
import { Part } from '../../../parts/detail.js'
import { closedText } from '../../calculations/closed-text.js'
import { occasionOf } from '../../calculations/occasion.js'
import { moneyText, type ReasonContext, reasonText } from '../../calculations/reasons.js'
import styles from '../programme.module.css'

type Explained = Pick<SimulateBasketResponse, 'explanation' | 'closed' | 'buyer'>

interface BothReasonsProps {
  readonly draft: Explained
  /** The same basket by another version, and the message that names it. */
  readonly other: Explained
  readonly otherReason: 'try.todayReason' | 'shadow.thenReason'
  /** With the names of the draft. */
  readonly context: ReasonContext
  readonly namesOther: ProgrammeNames
  /** When the basket was sent, or is supposed to be: RFC 3339. */
  readonly requestedAt: string
}

/** What became of every benefit with the draft, and by the other version where that differs; those that give something come first. */
export function BothReasons({ draft, other: today, namesOther: namesToday, ...props }: BothReasonsProps) {
  const { otherReason, context, requestedAt } = props
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
          const own = reasonOf(context, draft, { benefitId, requestedAt })
          const other = reasonOf(todays, today, { benefitId, requestedAt })
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
  { benefitId, requestedAt }: { readonly benefitId: string; readonly requestedAt: string },
): Reason {
  const { t, names } = context
  const report = answer.explanation.find((one) => one.benefitId === benefitId)
  if (report !== undefined) {
    const isGiven = report.dropped === undefined
    return { text: isGiven ? moneyText(context, -report.value) : reasonText(context, report.dropped!), isGiven }
  }
  if (!names.benefits.has(benefitId)) return { text: t('try.absent'), isGiven: false }
  if (answer.closed === undefined) return { text: t('try.notKnown'), isGiven: false }
  const closed = answer.closed.benefits.find((one) => one.benefitId === benefitId)
  if (closed === undefined) return { text: t('try.untouched'), isGiven: false }
  const why = closedText(context, closed, occasionOf({ requestedAt }, answer.buyer)).join('; ')
  return { text: t('try.notOpen', { why }), isGiven: false }
}
