import { useQuery } from '@connectrpc/connect-query'
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router'
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
import type { CalculationSearch } from './search.js'
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
  const { tool } = useSearch({ from: '/calculations/$calculationId' })
  const calculation = answer.calculation!
  const { calculationId, currency, venueId, status } = calculation
  const before = readRequest(answer.requestJson)
  const after = readAnswer(answer.answerJson) ?? before
  return (
    <Detail
      title={
        <>
          {t('calculation.title')} <Id id={calculationId} />{' '}
          <span className={styles['status']}>{wordOf(t, 'status', CalculationStatus, status)}</span>
        </>
      }
      closeTo="/calculations"
      onClose={() => void navigate({ to: '/calculations', search: ({ tool: _, ...filters }) => filters })}
      buttons={<Buttons calculation={calculation} isKept={before !== null} tool={tool} />}
    >
      <Head answer={answer} />
      {tool === 'replay' && <Replay calculationId={calculationId} />}
      {tool === 'as-if' && before !== null && (
        <AsIf calculation={calculation} requestJson={answer.requestJson!} before={before} />
      )}
      {before === null || after === null ? (
        <p className="muted">{t('calculation.bodyGone')}</p>
      ) : (
        <Receipts before={before} after={after} currency={currency} venueId={venueId} />
      )}
      <Why calculation={answer} products={before?.lines.map(({ productId }) => productId) ?? []} />
      <History answer={answer} />
    </Detail>
  )
}

interface ButtonsProps {
  readonly calculation: CalculationSummary
  /** Whether its basket is still stored. */
  readonly isKept: boolean
  readonly tool: CalculationSearch['tool']
}

/** What can be done with a calculation by whoever is signed in. */
function Buttons({ calculation: { calculationId, state, memberId }, isKept, tool }: ButtonsProps) {
  const t = useWords()
  const navigate = useNavigate()
  const may = useMay()
  const [isReleasing, setReleasing] = useState(false)
  const toggle = (wanted: 'replay' | 'as-if') =>
    void navigate({ to: '.', search: (search) => ({ ...search, tool: tool === wanted ? undefined : wanted }) })
  return (
    <>
      <button type="button" onClick={() => toggle('replay')} disabled={!isKept} aria-pressed={tool === 'replay'}>
        {t('replay.do')}
      </button>
      <button type="button" onClick={() => toggle('as-if')} disabled={!isKept} aria-pressed={tool === 'as-if'}>
        {t('asIf.open')}
      </button>
      {state === CalculationState.FINALISED && memberId === undefined && may('MemberService/ClaimSale') && (
        <Link className="button" to="/members" search={{ claim: calculationId }}>
          {t('claim.open')}
        </Link>
      )}
      {state === CalculationState.OPEN && may('CalculationService/ReleaseReservation') && (
        <button type="button" onClick={() => setReleasing(true)}>
          {t('release.do')}
        </button>
      )}
      {isReleasing && <ReleaseDialog calculationId={calculationId} onClose={() => setReleasing(false)} />}
    </>
  )
}

function Head({ answer }: { readonly answer: GetCalculationResponse }) {
  const t = useWords()
  const calculation = answer.calculation!
  const { programmeVersion, cashRegisterId, answeredAt, venueId } = calculation
  const venue = useVenueName(venueId)
  const now = useNow()
  return (
    <>
      <p className={styles['lead']}>{leadText(t, calculation)}</p>
      <Facts
        facts={[
          [t('calculation.state'), stateText(t, calculation, now)],
          [t('calculation.member'), <Buyer key="buyer" calculation={calculation} />],
          ...(answer.buyer?.tier === undefined ? [] : [[t('calculation.tier'), answer.buyer.tier] as const]),
          [t('calculation.venue'), venue],
          [t('calculation.register'), cashRegisterId],
          [t('calculation.at'), <Time key="at" at={answeredAt} venueId={venueId} />],
          [
            t('calculation.programme'),
            programmeVersion === 0 ? (
              t('calculation.testMember')
            ) : (
              <Link key="version" to="/programme/$version" params={{ version: String(programmeVersion) }}>
                {programmeVersion}
              </Link>
            ),
          ],
          [t('calculation.proof'), proofText(t, calculation)],
        ]}
      />
    </>
  )
}

/** Who bought. */
function Buyer({ calculation: { memberId, loyaltyId } }: { readonly calculation: CalculationSummary }) {
  const t = useWords()
  if (memberId === undefined) return loyaltyId ?? t('calculation.nobody')
  return (
    <Link to="/members/$memberId" params={{ memberId }}>
      {memberId}
    </Link>
  )
}

/** What the answer was, in one sentence. What it would have cost includes lines that were added. */
function leadText(t: Words, calculation: CalculationSummary): string {
  const { status, reason, netAfter, loyaltyDiscountTotal, currency, loyaltyId } = calculation
  if (status === CalculationStatus.APPLIED) {
    return t('calculation.lead', {
      discount: moneyText({ t, currency }, loyaltyDiscountTotal),
      before: moneyText({ t, currency }, netAfter + loyaltyDiscountTotal),
    })
  }
  if (status === CalculationStatus.UNCHANGED) {
    return t('calculation.leadUnchanged', { why: wordOf(t, 'unchanged', UnchangedReason, reason) })
  }
  return loyaltyId === undefined ? t('calculation.leadNoCard') : t('calculation.leadNotFound', { loyaltyId })
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
