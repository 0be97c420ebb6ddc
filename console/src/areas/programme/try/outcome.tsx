import { useQuery } from '@connectrpc/connect-query'
import { keepPreviousData } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useMemo } from 'react'
import {
  CalculationService,
  type SimulateBasketResponse,
} from '../../../../../gateway/gen/loyalty/v1/calculation_service_pb.js'
import { CalculationStatus, UnchangedReason } from '../../../../../gateway/gen/loyalty/v1/enums_pb.js'
import { namesOf, useProgrammeNames } from '../../../api/programme.js'
import { readError } from '../../../api/read-error.js'
import { useVenueZone } from '../../../api/venues.js'
import { useWords } from '../../../i18n/words.js'
import { wordOf } from '../../../parts/enum-word.js'
import { ErrorPanel } from '../../../parts/error-panel.js'
import { Skeleton } from '../../../parts/states.js'
import { type Receipt, readRequest } from '../../calculations/read-basket.js'
import { moneyText } from '../../calculations/reasons.js'
import { receiptOfMessage } from '../../calculations/receipt-of-message.js'
import { ReceiptSides } from '../../calculations/receipts.js'
import type { Subject } from '../subject.js'
import { BothReasons } from './both-reasons.js'
import { Taken } from './taken.js'

/** A basket and what is supposed about it, as SimulateBasket takes them. */
export interface Question {
  readonly bodyJson: string
  readonly requestedAt?: string
  readonly loyaltyId?: string
  readonly member?: { readonly memberId: string; readonly tier?: string; readonly segments: string[] }
  readonly visits?: bigint
  readonly balances?: { [currencyId: string]: bigint }
  readonly ignoreLimits: boolean
}

interface OutcomeProps {
  readonly question: Question
  readonly subject: Subject
}

const kept = { staleTime: Number.POSITIVE_INFINITY, gcTime: 0, placeholderData: keepPreviousData }

/** The basket by the programme that is not in force, beside the same basket by the one that is. */
export function Outcome({ question, subject }: OutcomeProps) {
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

/** A programme with faults prices nothing: they stand at their fields. */
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
  const reasons = {
    ...{ t, names, currency, zone: useVenueZone(context.venueId) },
    products: sent.lines.map(({ productId }) => productId),
  }
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

function receiptOf({ basket }: SimulateBasketResponse, sent: Receipt): Receipt {
  return basket === undefined ? sent : receiptOfMessage(basket)
}
