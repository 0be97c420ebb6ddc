import { useQuery } from '@connectrpc/connect-query'
import { Link, useNavigate, useParams } from '@tanstack/react-router'
import { useState } from 'react'
import {
  CalculationService,
  type CalculationSummary,
  type GetCalculationResponse,
} from '../../../../gateway/gen/loyalty/v1/calculation_service_pb.js'
import { CalculationState, CalculationStatus, UnchangedReason } from '../../../../gateway/gen/loyalty/v1/enums_pb.js'
import { useNow } from '../../api/clock.js'
import { useMay } from '../../api/use-commands.js'
import { useVenueName } from '../../api/venues.js'
import { useWords, type Words } from '../../i18n/words.js'
import { Detail, Facts } from '../../parts/detail.js'
import { wordOf } from '../../parts/enum-word.js'
import { ErrorPanel } from '../../parts/error-panel.js'
import { Id } from '../../parts/id.js'
import { Skeleton } from '../../parts/states.js'
import { dateOf, Time } from '../../parts/time.js'
import { ReleaseDialog } from '../limits/release-dialog.js'
import { AsIf } from './as-if.js'
import styles from './calculation.module.css'
import { History } from './history.js'
import { readAnswer, readRequest } from './read-basket.js'
import { moneyText } from './reasons.js'
import { Receipts } from './receipts.js'
import { Replay } from './replay.js'
import { Why } from './why.js'

/** Why this basket: what came in, what went out, and what became of every benefit. */
export function Calculation() {
  const { calculationId } = useParams({ from: '/calculations/$calculationId' })
  const query = useQuery(CalculationService.method.getCalculation, { calculationId })
  if (query.isPending) return <Skeleton />
  if (query.isError) return <ErrorPanel cause={query.error} onRetry={() => void query.refetch()} />
  return <Answered key={calculationId} answer={query.data} />
}

function Answered({ answer }: { readonly answer: GetCalculationResponse }) {
  const t = useWords()
  const navigate = useNavigate()
  const may = useMay()
  const [isReplayed, setReplayed] = useState(false)
  const [isSupposed, setSupposed] = useState(false)
  const [isReleasing, setReleasing] = useState(false)
  const calculation = answer.calculation!
  const { calculationId, currency, venueId } = calculation
  const before = readRequest(answer.requestJson)
  const after = readAnswer(answer.answerJson) ?? before
  return (
    <Detail
      title={
        <>
          {t('calculation.title')} <Id id={calculationId} />
        </>
      }
      closeTo="/calculations"
      onClose={() => void navigate({ to: '/calculations', search: true })}
      buttons={
        <>
          <button type="button" onClick={() => setReplayed(true)} disabled={before === null}>
            {t('replay.do')}
          </button>
          <button type="button" onClick={() => setSupposed(true)} disabled={before === null}>
            {t('asIf.open')}
          </button>
          {calculation.state === CalculationState.OPEN && may('CalculationService/ReleaseReservation') && (
            <button type="button" onClick={() => setReleasing(true)}>
              {t('release.do')}
            </button>
          )}
        </>
      }
    >
      <Head calculation={calculation} />
      {before === null || after === null ? (
        <p className="muted">{t('calculation.bodyGone')}</p>
      ) : (
        <Receipts before={before} after={after} currency={currency} venueId={venueId} />
      )}
      {isReplayed && <Replay calculationId={calculationId} />}
      {isSupposed && before !== null && (
        <AsIf calculation={calculation} requestJson={answer.requestJson!} before={before} />
      )}
      {isReleasing && <ReleaseDialog calculationId={calculation.calculationId} onClose={() => setReleasing(false)} />}
      <Why calculation={answer} products={before?.lines.map(({ productId }) => productId) ?? []} />
      <History answer={answer} />
    </Detail>
  )
}

function Head({ calculation }: { readonly calculation: CalculationSummary }) {
  const t = useWords()
  const venue = useVenueName(calculation.venueId)
  const now = useNow()
  const { memberId, loyaltyId, programmeVersion } = calculation
  const who =
    memberId === undefined ? (
      (loyaltyId ?? t('calculation.nobody'))
    ) : (
      <Link to="/members/$memberId" params={{ memberId }}>
        {memberId}
      </Link>
    )
  return (
    <>
      <p className={styles['lead']}>{leadText(t, calculation)}</p>
      <Facts
        facts={[
          [t('calculation.state'), stateText(t, calculation, now)],
          [t('calculation.member'), who],
          [t('calculation.venue'), venue],
          [t('calculation.register'), calculation.cashRegisterId],
          [t('calculation.at'), <Time key="at" at={calculation.answeredAt} venueId={calculation.venueId} />],
          [t('calculation.programme'), programmeVersion === 0 ? t('calculation.testMember') : programmeVersion],
          [t('calculation.proof'), proofText(t, calculation)],
        ]}
      />
    </>
  )
}

/** What the answer was, in one sentence. */
function leadText(t: Words, { status, reason, netBefore, netAfter, currency }: CalculationSummary): string {
  if (status === CalculationStatus.APPLIED) {
    return t('calculation.lead', {
      discount: moneyText({ t, currency }, netBefore - netAfter),
      before: moneyText({ t, currency }, netBefore),
    })
  }
  if (status === CalculationStatus.UNCHANGED) {
    return `${t('status.unchanged')}: ${wordOf(t, 'unchanged', UnchangedReason, reason)}`
  }
  return wordOf(t, 'status', CalculationStatus, status)
}

function stateText(t: Words, { state, expiresAt }: CalculationSummary, now: Date): string {
  const word = wordOf(t, 'state', CalculationState, state)
  if (state !== CalculationState.OPEN || expiresAt === undefined) return word
  const minutes = Math.ceil((dateOf(expiresAt).getTime() - now.getTime()) / 60_000)
  return minutes > 0 ? `${word}, ${t('calculation.expiresIn', { count: minutes })}` : word
}

function proofText(t: Words, { optimal, gap, currency }: CalculationSummary): string {
  return optimal ? t('calculation.optimal') : t('calculation.gap', { gap: moneyText({ t, currency }, gap) })
}
