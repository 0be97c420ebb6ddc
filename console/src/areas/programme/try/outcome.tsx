import { useQuery } from '@connectrpc/connect-query'
import { keepPreviousData } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useMemo } from 'react'
import {
  CalculationService,
  type RuleCount,
  type SimulateBasketResponse,
} from '../../../../../gateway/gen/loyalty/v1/calculation_service_pb.js'
import { CalculationStatus, LimitCounts, UnchangedReason } from '../../../../../gateway/gen/loyalty/v1/enums_pb.js'
import { namesOf, type ProgrammeNames, useProgrammeNames } from '../../../api/programme.js'
import { readError } from '../../../api/transport.js'
import { useWords } from '../../../i18n/words.js'
import { Part } from '../../../parts/page.js'
import { ErrorPanel, Skeleton } from '../../../parts/states.js'
import { wordOf } from '../../../parts/values.js'
import { type Receipt, readRequest, receiptOfMessage } from '../../calculations/read-basket.js'
import {
  benefitName,
  closedText,
  moneyText,
  occasionOf,
  type ReasonContext,
  reasonText,
  servedText,
  useReasonContext,
  valueText,
} from '../../calculations/reasons.js'
import { ReceiptSides } from '../../calculations/receipts.js'
import { factorText } from '../../calculations/why.js'
import type { Subject } from '../draft-store.js'

export interface Question {
  readonly bodyJson: string
  readonly requestedAt?: string
  readonly loyaltyId?: string
  readonly member?: {
    readonly memberId: string
    readonly tier?: string
    readonly segments: string[]
    readonly birthday?: string
  }
  readonly visits?: bigint
  readonly balances?: { [currencyId: string]: bigint }
  readonly ignoreLimits: boolean
}

const kept = { staleTime: Number.POSITIVE_INFINITY, gcTime: 0, placeholderData: keepPreviousData }

export function Outcome({ question, subject }: { readonly question: Question; readonly subject: Subject }) {
  const method = CalculationService.method.simulateBasket
  const programme = { case: 'draftDocument', value: subject.document } as const
  const draft = useQuery(method, { ...question, programme }, kept)
  const today = useQuery(method, question, kept)
  const error = draft.error ?? today.error
  if (error !== null)
    return <Failed cause={error} onRetry={() => void Promise.all([draft.refetch(), today.refetch()])} />
  if (draft.data === undefined || today.data === undefined) return <Skeleton lines={8} />
  return <Compared question={question} draft={draft.data} today={today.data} document={subject.document} />
}

/** A programme with faults prices nothing: they are shown at their fields. */
function Failed({ cause, onRetry }: { readonly cause: unknown; readonly onRetry: () => void }) {
  const t = useWords()
  return (
    <>
      <ErrorPanel cause={cause} onRetry={onRetry} />
      {readError(cause).reason === 'PROGRAMME_FAULTY' && (
        <p>
          <Link to="/programme/draft">{t('try.toForm')}</Link>
        </p>
      )}
    </>
  )
}

interface ComparedProps {
  readonly question: Question
  readonly draft: SimulateBasketResponse
  readonly today: SimulateBasketResponse
  readonly document: string
}

interface SentFacts {
  readonly requestedAt: string
  readonly currency: string
  readonly context: { readonly venueId: string }
}

function Compared({ question, draft, today, document }: ComparedProps) {
  const t = useWords()
  const sent = readRequest(question.bodyJson)!
  const { currency, context, requestedAt } = JSON.parse(question.bodyJson) as SentFacts
  const names = useMemo(() => namesOf(document), [document])
  const namesToday = useProgrammeNames(today.programmeVersion === 0 ? undefined : today.programmeVersion)
  const products = sent.lines.map(({ productId }) => productId)
  const reasons = useReasonContext({ names, currency, products, venueId: context.venueId })
  const version = String(today.programmeVersion)
  const money = (minor: number) => moneyText({ t, currency }, BigInt(minor))
  const [withDraft, withToday] = [receiptOf(draft, sent), receiptOf(today, sent)]
  const values = { version, draft: money(withDraft.net), today: money(withToday.net), before: money(sent.net) }
  const proof = draft.optimal
    ? t('calculation.optimal')
    : t('calculation.gap', { gap: moneyText({ t, currency }, draft.gap) })
  const sides = [
    { title: t('receipt.before'), receipt: sent },
    { title: t('try.today', { version }), receipt: withToday },
    { title: t('try.draft'), receipt: withDraft },
  ]
  return (
    <>
      <p role="status">
        <strong>{t(withDraft.net === withToday.net ? 'try.same' : 'try.differs', values)}</strong>{' '}
        <span className="muted">
          {t('try.answered', { answer: answerText(t, draft) })}, {proof}.
        </span>
      </p>
      <ReceiptSides sides={sides} currency={currency} venueId={context.venueId} />
      {draft.status === CalculationStatus.MEMBER_NOT_FOUND ? (
        <p>{t('why.noMember')}</p>
      ) : (
        <BothReasons
          draft={draft}
          other={today}
          otherReason="try.todayReason"
          context={reasons}
          namesOther={namesToday}
          requestedAt={question.requestedAt ?? requestedAt}
        />
      )}
      <Taken answer={draft} context={reasons} />
    </>
  )
}

function answerText(t: ReturnType<typeof useWords>, { status, reason }: SimulateBasketResponse): string {
  const word = wordOf(t, 'status', CalculationStatus, status)
  return status === CalculationStatus.UNCHANGED ? `${word}: ${wordOf(t, 'unchanged', UnchangedReason, reason)}` : word
}

export function receiptOf({ basket }: SimulateBasketResponse, sent: Receipt): Receipt {
  return basket === undefined ? sent : receiptOfMessage(basket)
}

function Taken({ answer, context }: { readonly answer: SimulateBasketResponse; readonly context: ReasonContext }) {
  const { t } = context
  const { wants, spending, earning } = answer
  if (wants.length + spending.length + earning.length === 0) return null
  return (
    <Part level={2} title={t('why.value')}>
      <ul className="reasons">
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

type Explained = Pick<SimulateBasketResponse, 'explanation' | 'closed' | 'buyer'>

interface BothReasonsProps {
  readonly draft: Explained
  readonly other: Explained
  readonly otherReason: 'try.todayReason' | 'shadow.thenReason'
  readonly context: ReasonContext
  readonly namesOther: ProgrammeNames
  /** The time of the basket, real or assumed: RFC 3339. */
  readonly requestedAt: string
}

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
      <ul className="reasons">
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

export function reasonOf(
  context: ReasonContext,
  answer: Explained,
  { benefitId, requestedAt }: { readonly benefitId: string; readonly requestedAt: string },
): Reason {
  const { t, names } = context
  const report = answer.explanation.find((one) => one.benefitId === benefitId)
  if (report !== undefined) {
    if (report.dropped !== undefined) return { text: reasonText(context, report.dropped, benefitId), isGiven: false }
    const texts = [moneyText(context, -report.value), servedText(context, report)]
    return { text: texts.filter((text) => text !== '').join('; '), isGiven: true }
  }
  if (!names.benefits.has(benefitId)) return { text: t('try.absent'), isGiven: false }
  if (answer.closed === undefined) return { text: t('try.notKnown'), isGiven: false }
  const closed = answer.closed.benefits.find((one) => one.benefitId === benefitId)
  if (closed === undefined) return { text: t('try.untouched'), isGiven: false }
  const why = closedText(context, closed, occasionOf({ requestedAt }, answer.buyer)).join('; ')
  return { text: t('try.notOpen', { why }), isGiven: false }
}
