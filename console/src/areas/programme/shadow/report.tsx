import { useMemo } from 'react'
import type { MoneyDifference, ShadowRunReport } from '../../../../../gateway/gen/loyalty/v1/programme_service_pb.js'
import { namesOf } from '../../../api/programme.js'
import { useVenues } from '../../../api/venues.js'
import { useWords, type Words } from '../../../i18n/words.js'
import { Empty } from '../../../parts/states.js'
import { moneyText } from '../../calculations/reasons.js'
import { BenefitFates } from './benefit-fates.js'
import { Dimension } from './dimension.js'
import { Examples } from './examples.js'
import styles from './shadow.module.css'
import type { Question } from './use-run-of.js'

interface ShadowReportProps {
  readonly question: Question
  readonly report: ShadowRunReport
  /** What the draft was begun with; null: not known. */
  readonly base: string | null
  readonly subjectKey: string
}

/** What the draft would have changed: in a sentence, benefit by benefit, then by benefit, venue and day, then by the baskets that change most. */
export function ShadowReport({ question, report, base, subjectKey }: ShadowReportProps) {
  const t = useWords()
  const names = useMemo(() => namesOf(question.document), [question.document])
  const venues = useVenues()
  const { calculations, changed, skipped, totals } = report
  if (calculations === 0n) return <Empty why={t('shadow.empty')}>{t('shadow.emptyWhat', { skipped })}</Empty>
  const venueName = (id: string) => venues.find(({ venueId }) => venueId === id)?.name || id
  const benefitName = (id: string) => names.benefits.get(id)?.text ?? id
  const supposed = question.inForce.map(benefitName)
  return (
    <>
      <div role="status">
        <p className={styles['lead']}>{totals.map((total) => totalText(t, total)).join(' ') || t('shadow.noMoney')}</p>
        <p className="muted">
          {t('shadow.lead', { calculations, changed, skipped })}{' '}
          {supposed.length > 0 &&
            t('shadow.supposed', {
              count: supposed.length,
              names: new Intl.ListFormat(t.locale).format(supposed),
            })}
        </p>
      </div>
      <BenefitFates report={report} document={question.document} base={base} />
      <Dimension
        title={t('shadow.byBenefit')}
        money={report.byBenefit}
        value={report.valueBySource}
        nameOf={benefitName}
        names={names}
      />
      <Dimension
        title={t('shadow.byVenue')}
        money={report.byVenue}
        value={report.valueByVenue}
        nameOf={venueName}
        names={names}
      />
      <Dimension
        title={t('shadow.byDay')}
        money={report.byDay}
        value={report.valueByDay}
        nameOf={(day) => day}
        names={names}
        isByDay
      />
      <Examples report={report} question={question} subjectKey={subjectKey} />
    </>
  )
}

function totalText(t: Words, { currency, discountThen, discountDraft }: MoneyDifference): string {
  const difference = discountDraft - discountThen
  const size = moneyText({ t, currency }, difference < 0n ? -difference : difference)
  const values = { size, given: moneyText({ t, currency }, discountThen) }
  return t(difference === 0n ? 'shadow.same' : difference > 0n ? 'shadow.more' : 'shadow.less', values)
}
