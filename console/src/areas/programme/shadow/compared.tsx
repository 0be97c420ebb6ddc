import { useQuery } from '@connectrpc/connect-query'
import { Link } from '@tanstack/react-router'
import { useEffect, useMemo, useRef } from 'react'
import { CalculationService } from '../../../../../gateway/gen/loyalty/v1/calculation_service_pb.js'
import { ProgrammeService } from '../../../../../gateway/gen/loyalty/v1/programme_service_pb.js'
import { namesOf, useProgrammeNames } from '../../../api/programme.js'
import { useVenueZone } from '../../../api/venues.js'
import { useWords } from '../../../i18n/words.js'
import { ErrorPanel } from '../../../parts/error-panel.js'
import { Skeleton } from '../../../parts/states.js'
import { readAnswer, readRequest } from '../../calculations/read-basket.js'
import { moneyText } from '../../calculations/reasons.js'
import { receiptOfMessage } from '../../calculations/receipt-of-message.js'
import { ReceiptSides } from '../../calculations/receipts.js'
import { BothReasons } from '../try/both-reasons.js'
import styles from './shadow.module.css'
import type { Question } from './use-run-of.js'

interface ComparedProps {
  readonly calculationId: string
  readonly question: Question
}

/** A past basket as it was answered beside what the draft makes of it, with every benefit's reason then and now. */
export function Compared({ calculationId, question }: ComparedProps) {
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
        <Link to="/calculations/$calculationId" params={{ calculationId }} className="button">
          {t('shadow.open')}
        </Link>
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
