import { CalculationStatus } from '../../../../gateway/gen/loyalty/v1/enums_pb.js'
import type { BenefitReport, ClosedBenefits, Dropped } from '../../../../gateway/gen/loyalty/v1/explanation_pb.js'
import { Part } from '../../parts/detail.js'
import { closedText } from './closed-text.js'
import type { Occasion } from './occasion.js'
import { benefitName, type ReasonContext, reasonText } from './reasons.js'
import styles from './why.module.css'

interface BenefitReasonsProps {
  readonly status: CalculationStatus
  readonly reports: readonly BenefitReport[]
  /** undefined: it is not known which were not open. */
  readonly closed: ClosedBenefits | undefined
  readonly context: ReasonContext
  /** null: not known. */
  readonly occasion: Occasion | null
}

/** So many are shown at once, the others when they are asked for: a programme has hundreds that a basket does not touch. */
const shownMax = 12
/** Those that came closest first. */
const stages: readonly Dropped['stage']['case'][] = [
  'beaten',
  'limitExhausted',
  'valueHeld',
  'existingDiscountKept',
  'notDiscountable',
  'conditionsNotMet',
]

/** Benefits that did not apply, each with its reason, and those that were not open, with the term that kept each closed. */
export function BenefitReasons({ status, reports, closed, context, occasion }: BenefitReasonsProps) {
  const { t } = context
  const dropped = reports
    .filter((report) => report.dropped !== undefined)
    .toSorted((left, right) => rankOf(left) - rankOf(right))
  const nearest = (closed?.benefits ?? []).toSorted((left, right) => left.terms.length - right.terms.length)
  if (status === CalculationStatus.MEMBER_NOT_FOUND) return <p>{t('why.noMember')}</p>
  return (
    <>
      {dropped.length > 0 && (
        <Part title={t('why.notApplied')}>
          <Reasons
            rows={dropped.map((report) => ({
              key: report.benefitId,
              name: benefitName(context, report.benefitId),
              why: reasonText(context, report.dropped!, report.benefitId),
            }))}
            more={(count) => t('why.moreNotApplied', { count })}
          />
        </Part>
      )}
      {closed === undefined && <p className="muted">{t('why.closedNotKnown')}</p>}
      {nearest.length > 0 && (
        <Part title={t('why.notOpen')}>
          <Reasons
            rows={nearest.map((benefit) => ({
              key: benefit.benefitId,
              name: benefitName(context, benefit.benefitId),
              why: closedText(context, benefit, occasion).join('; '),
            }))}
            more={(count) => t('why.moreNotOpen', { count })}
          />
        </Part>
      )}
    </>
  )
}

function rankOf({ dropped }: BenefitReport): number {
  return stages.indexOf(dropped!.stage.case)
}

interface ReasonsProps {
  readonly rows: readonly { readonly key: string; readonly name: string; readonly why: string }[]
  /** What says how many more there are. */
  readonly more: (count: number) => string
}

function Reasons({ rows, more }: ReasonsProps) {
  const list = (some: ReasonsProps['rows']) => (
    <ul className={styles['reasons']}>
      {some.map(({ key, name, why }) => (
        <li key={key}>
          <span className={styles['name']}>{name}</span>
          <span>{why}</span>
        </li>
      ))}
    </ul>
  )
  const others = rows.slice(shownMax)
  return (
    <>
      {list(rows.slice(0, shownMax))}
      {others.length > 0 && (
        <details className={styles['more']}>
          <summary>{more(others.length)}</summary>
          {list(others)}
        </details>
      )}
    </>
  )
}
