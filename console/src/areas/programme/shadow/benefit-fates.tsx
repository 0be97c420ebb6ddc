import { useMemo } from 'react'
import type { ShadowRunBenefit, ShadowRunReport } from '../../../../../gateway/gen/loyalty/v1/programme_service_pb.js'
import { useWords, type Words } from '../../../i18n/words.js'
import { Part } from '../../../parts/detail.js'
import { Rows } from '../../../parts/rows.js'
import styles from '../programme.module.css'
import { isSame, partsOf, textIn } from '../say/parts-of.js'
import { readDocument } from '../say/use-saying.js'

interface BenefitFatesProps {
  readonly report: ShadowRunReport
  readonly document: string
  /** What the draft was begun with; null: not known. */
  readonly base: string | null
}

/** What became of each benefit that the draft adds or changes, and of one that gives nothing why; the others in a table. */
export function BenefitFates({ report, document, base }: BenefitFatesProps) {
  const t = useWords()
  const benefits = useMemo(() => partsOf(readDocument(document) ?? {}, 'benefits', 'benefitId'), [document])
  const before = useMemo(() => partsOf(readDocument(base ?? '') ?? {}, 'benefits', 'benefitId'), [base])
  const { ofMembers } = report
  const nameOf = (id: string) => textIn(benefits.get(id) ?? {}, 'text') || id
  const changed = report.benefits.filter(({ benefitId }) => !isSame(benefits.get(benefitId), before.get(benefitId)))
  return (
    <Part level={2} title={t('shadow.fates')}>
      {base !== null && changed.length > 0 && (
        <ul className={styles['sentences']}>
          {changed.map((fate) => (
            <li key={fate.benefitId}>{fateText(t, nameOf(fate.benefitId), fate, ofMembers)}</li>
          ))}
        </ul>
      )}
      <details>
        <summary>{t('shadow.everyFate', { count: report.benefits.length, ofMembers })}</summary>
        <Rows
          label={t('shadow.fates')}
          columns={[
            { key: 'benefit', head: t('limits.benefit'), cell: ({ benefitId }) => nameOf(benefitId) },
            ...(['applied', 'beaten', 'notMet', 'closed'] as const).map((key) => ({
              key,
              head: t(heads[key]),
              cell: (fate: ShadowRunBenefit) => String(fate[key]),
              isNumber: true,
            })),
          ]}
          rows={report.benefits}
          keyOf={({ benefitId }) => benefitId}
        />
      </details>
    </Part>
  )
}

const heads = {
  applied: 'shadow.applied',
  beaten: 'shadow.beaten',
  notMet: 'shadow.notMet',
  closed: 'shadow.closed',
} as const

/** In how many baskets it applies; and of one that applies in none, or nearly none, what stood in its way and what to do. */
function fateText(t: Words, name: string, fate: ShadowRunBenefit, all: bigint): string {
  const { applied, beaten, notMet, closed, off, before, after } = fate
  const head = t('shadow.fate', { name, applied, all })
  const elsewhere = closed - off - before - after
  const why = [
    ...(off > 0n ? [t('shadow.whyOff')] : []),
    ...(before > 0n ? [t('shadow.whyBefore', { count: before })] : []),
    ...(after > 0n ? [t('shadow.whyAfter', { count: after })] : []),
    ...(elsewhere > 0n ? [t('shadow.whyClosed', { count: elsewhere })] : []),
    ...(notMet > 0n ? [t('shadow.whyNotMet', { count: notMet })] : []),
    ...(beaten > 0n ? [t('shadow.whyBeaten', { count: beaten })] : []),
  ]
  return why.length === 0 ? `${head}.` : `${head}: ${why.join('; ')}.`
}
