import { useQuery } from '@connectrpc/connect-query'
import { useSearch } from '@tanstack/react-router'
import { useEffect, useMemo, useRef } from 'react'
import { CalculationService } from '../../../../../gateway/gen/loyalty/v1/calculation_service_pb.js'
import { ProgrammeService } from '../../../../../gateway/gen/loyalty/v1/programme_service_pb.js'
import type {
  MoneyDifference,
  ShadowRunBenefit,
  ShadowRunExample,
  ShadowRunReport,
} from '../../../../../gateway/gen/loyalty/v1/shadow_run_pb.js'
import { namesOf, useProgrammeNames } from '../../../api/programme.js'
import { useVenueNames, useVenueZone } from '../../../api/venues.js'
import { useWords, type Words } from '../../../i18n/words.js'
import { TextLink } from '../../../parts/controls.js'
import { Part } from '../../../parts/page.js'
import { type Column, moneyColumn, Rows } from '../../../parts/rows.js'
import { Empty, ErrorPanel, Skeleton } from '../../../parts/states.js'
import { shortened } from '../../../parts/values.js'
import { readAnswer, readRequest, receiptOfMessage } from '../../calculations/read-basket.js'
import { moneyText } from '../../calculations/reasons.js'
import { ReceiptSides } from '../../calculations/receipts.js'
import { isSame } from '../describe/is-same.js'
import { partsOf, textIn } from '../describe/saying.js'
import { readDocument } from '../describe/use-saying.js'
import styles from '../programme.module.css'
import { BothReasons } from '../try/outcome.js'
import { Dimension } from './dimension.js'

export interface Question {
  readonly document: string
  /** The last `days` times 24 hours. */
  readonly days: number
  readonly inForce: readonly string[]
}

interface ShadowReportProps {
  readonly question: Question
  readonly report: ShadowRunReport
  /** The base of the draft; null: not known. */
  readonly base: string | null
  readonly subjectKey: string
}

export function ShadowReport({ question, report, base, subjectKey }: ShadowReportProps) {
  const t = useWords()
  const names = useMemo(() => namesOf(question.document), [question.document])
  const venueName = useVenueNames()
  const { calculations, changed, skipped, totals } = report
  if (calculations === 0n) return <Empty why={t('shadow.empty')}>{t('shadow.emptyWhat', { skipped })}</Empty>
  const benefitName = (id: string) => names.benefits.get(id)?.text ?? id
  const supposed = question.inForce.map(benefitName)
  return (
    <>
      <div role="status">
        <p className="lead">{totals.map((total) => totalText(t, total)).join(' ') || t('shadow.noMoney')}</p>
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
        title={t('reports.byBenefit')}
        {...{ money: report.byBenefit, value: report.valueBySource, nameOf: benefitName, names }}
      />
      <Dimension
        title={t('reports.byVenue')}
        {...{ money: report.byVenue, value: report.valueByVenue, nameOf: venueName, names }}
      />
      <Dimension
        title={t('reports.byDay')}
        {...{ money: report.byDay, value: report.valueByDay, nameOf: (day) => day, names }}
        isByDay
      />
      <Examples report={report} question={question} subjectKey={subjectKey} />
    </>
  )
}

export function totalText(t: Words, { currency, discountThen, discountDraft }: MoneyDifference): string {
  const difference = discountDraft - discountThen
  const size = moneyText({ t, currency }, difference < 0n ? -difference : difference)
  const values = { size, given: moneyText({ t, currency }, discountThen) }
  return t(difference === 0n ? 'shadow.same' : difference > 0n ? 'shadow.more' : 'shadow.less', values)
}

interface BenefitFatesProps {
  readonly report: ShadowRunReport
  readonly document: string
  readonly base: string | null
}

function BenefitFates({ report, document, base }: BenefitFatesProps) {
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

interface ExamplesProps {
  readonly report: ShadowRunReport
  readonly question: Question
  readonly subjectKey: string
}

function Examples({ report: { examples }, question, subjectKey }: ExamplesProps) {
  const t = useWords()
  const { calculation } = useSearch({ strict: false }) as { readonly calculation?: string }
  if (examples.length === 0) return null
  return (
    <Part level={2} title={t('shadow.examples')}>
      <Rows
        label={t('shadow.examples')}
        columns={columnsOf(t)}
        rows={examples}
        keyOf={({ calculationId }) => calculationId}
      />
      {calculation !== undefined && (
        <Compared key={`${subjectKey}/${calculation}`} calculationId={calculation} question={question} />
      )}
    </Part>
  )
}

function columnsOf(t: Words): readonly Column<ShadowRunExample>[] {
  return [
    {
      key: 'calculation',
      head: t('calculation.id'),
      cell: ({ calculationId }) => (
        <TextLink
          to="."
          search={{ calculation: calculationId } as never}
          resetScroll={false}
          text={<code>{shortened(calculationId)}</code>}
        />
      ),
    },
    moneyColumn({
      key: 'then',
      head: t('shadow.netThen'),
      currency: ({ currency }) => currency,
      minor: ({ netThen }) => netThen,
      withCurrency: true,
    }),
    moneyColumn({
      key: 'draft',
      head: t('shadow.netDraft'),
      currency: ({ currency }) => currency,
      minor: ({ netDraft }) => netDraft,
      withCurrency: true,
    }),
    moneyColumn({
      key: 'difference',
      head: t('shadow.difference'),
      currency: ({ currency }) => currency,
      minor: ({ netThen, netDraft }) => netDraft - netThen,
      withCurrency: true,
    }),
  ]
}

function Compared({ calculationId, question }: { readonly calculationId: string; readonly question: Question }) {
  const t = useWords()
  const frame = useRef<HTMLElement>(null)
  const then = useQuery(CalculationService.method.getCalculation, { calculationId })
  const draft = useQuery(
    ProgrammeService.method.shadowCalculation,
    { calculationId, draftDocument: question.document, asIfInForce: [...question.inForce] },
    { staleTime: Number.POSITIVE_INFINITY, gcTime: 0 },
  )
  const isThere = then.data !== undefined && draft.data !== undefined
  useEffect(() => {
    if (isThere) frame.current?.scrollIntoView({ block: 'start' })
  }, [isThere])
  const names = useMemo(() => namesOf(question.document), [question.document])
  const calculation = then.data?.calculation
  const namesThen = useProgrammeNames(calculation?.programmeVersion)
  const zone = useVenueZone(calculation?.venueId)
  const error = then.error ?? draft.error
  if (error !== null) {
    return <ErrorPanel cause={error} onRetry={() => void Promise.all([then.refetch(), draft.refetch()])} />
  }
  const sent = readRequest(then.data?.requestJson)
  if (!isThere || calculation === undefined || sent === null) return <Skeleton lines={6} />
  const { currency, venueId, programmeVersion } = calculation
  const outcome = draft.data.outcome!
  const answered = readAnswer(then.data.answerJson) ?? sent
  const withDraft = outcome.basket === undefined ? sent : receiptOfMessage(outcome.basket)
  const money = (minor: number) => moneyText({ t, currency }, BigInt(minor))
  const sides = [
    { title: t('receipt.before'), receipt: sent },
    { title: t('shadow.answered', { version: String(programmeVersion) }), receipt: answered },
    { title: t('try.draft'), receipt: withDraft },
  ]
  const products = sent.lines.map(({ productId }) => productId)
  return (
    <section ref={frame} className={styles['compared']} aria-label={t('shadow.compared')}>
      <p className={styles['paid']}>
        <strong>{t('shadow.paid', { was: money(answered.net), draft: money(withDraft.net) })}</strong>
        <TextLink
          to="/calculations/$calculationId"
          params={{ calculationId }}
          className="button"
          text={t('shadow.open')}
        />
      </p>
      <ReceiptSides sides={sides} currency={currency} venueId={venueId} />
      <BothReasons
        draft={outcome}
        other={then.data}
        otherReason="shadow.thenReason"
        context={{ t, names, currency, products, zone }}
        namesOther={namesThen}
        requestedAt={calculation.requestedAt}
      />
    </section>
  )
}
