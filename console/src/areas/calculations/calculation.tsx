import { useQuery } from '@connectrpc/connect-query'
import { useNavigate, useParams, useSearch } from '@tanstack/react-router'
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
import { Button, TextLink } from '../../parts/controls.js'
import { Detail, Facts, Part } from '../../parts/page.js'
import { Rows } from '../../parts/rows.js'
import { Waiting } from '../../parts/states.js'
import { dateOf, Id, StateBadge, Time, wordOf } from '../../parts/values.js'
import type { CalculationSearch } from '../../search.js'
import { ReleaseDialog } from '../limits/release-dialog.js'
import { AsIf } from './as-if.js'
import styles from './calculations.module.css'
import { readAnswer, readRequest } from './read-basket.js'
import { moneyText } from './reasons.js'
import { Receipts } from './receipts.js'
import { Why } from './why.js'

export function Calculation() {
  const { calculationId } = useParams({ from: '/calculations/$calculationId' })
  const query = useQuery(CalculationService.method.getCalculation, { calculationId })
  if (!query.isSuccess) return <Waiting query={query} />
  return <Answered key={calculationId} answer={query.data} />
}

function Answered({ answer }: { readonly answer: GetCalculationResponse }) {
  const t = useWords()
  const { tool } = useSearch({ from: '/calculations/$calculationId' })
  const calculation = answer.calculation!
  const { calculationId, currency, venueId, status } = calculation
  const before = readRequest(answer.requestJson)
  const after = readAnswer(answer.answerJson) ?? before
  return (
    <Detail
      title={
        <>
          {t('calculation.id')} <Id id={calculationId} />{' '}
          <StateBadge group="status" values={CalculationStatus} value={status} live={[CalculationStatus.APPLIED]} />
        </>
      }
      closeTo="/calculations"
      closeSearch={({ tool: _, ...filters }) => filters}
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
  readonly isKept: boolean
  readonly tool: CalculationSearch['tool']
}

function Buttons({ calculation: { calculationId, state, memberId }, isKept, tool }: ButtonsProps) {
  const t = useWords()
  const navigate = useNavigate()
  const may = useMay()
  const [isReleasing, setReleasing] = useState(false)
  const toggle = (wanted: 'replay' | 'as-if') =>
    void navigate({ to: '.', search: (search) => ({ ...search, tool: tool === wanted ? undefined : wanted }) })
  return (
    <>
      <Button
        onClick={() => toggle('replay')}
        disabled={!isKept}
        aria-pressed={tool === 'replay'}
        text={t('replay.do')}
      />
      <Button
        onClick={() => toggle('as-if')}
        disabled={!isKept}
        aria-pressed={tool === 'as-if'}
        text={t('asIf.title')}
      />
      {state === CalculationState.FINALISED && memberId === undefined && may('MemberService/ClaimSale') && (
        <TextLink className="button" to="/members" search={{ claim: calculationId }} text={t('claim.open')} />
      )}
      {state === CalculationState.OPEN && may('CalculationService/ReleaseReservation') && (
        <Button onClick={() => setReleasing(true)} text={t('release.do')} />
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
      <p className="lead">{leadText(t, calculation)}</p>
      <Facts
        facts={[
          [t('calculation.state'), stateText(t, calculation, now)],
          [t('calculation.member'), <Buyer key="buyer" calculation={calculation} />],
          [t('calculation.tier'), answer.buyer?.tier],
          [t('sale.venue'), venue],
          [t('sale.register'), cashRegisterId],
          [t('calculation.at'), <Time key="at" at={answeredAt} venueId={venueId} show="full" />],
          [
            t('calculation.programme'),
            programmeVersion === 0 ? (
              t('calculation.testMember')
            ) : (
              <TextLink
                key="version"
                to="/programme/$version"
                params={{ version: String(programmeVersion) }}
                text={programmeVersion}
              />
            ),
          ],
          [t('calculation.proof'), proofText(t, calculation)],
        ]}
      />
    </>
  )
}

function Buyer({ calculation: { memberId, loyaltyId } }: { readonly calculation: CalculationSummary }) {
  const t = useWords()
  if (memberId === undefined) return loyaltyId ?? t('calculation.nobody')
  return <TextLink to="/members/$memberId" params={{ memberId }} text={memberId} />
}

function leadText(t: Words, calculation: CalculationSummary): string {
  const { status, reason, netAfter, givenTotal, currency, loyaltyId } = calculation
  if (status === CalculationStatus.APPLIED) {
    return t('calculation.lead', {
      discount: moneyText({ t, currency }, givenTotal),
      after: moneyText({ t, currency }, netAfter),
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

function History({ answer: { history, calculation } }: { readonly answer: GetCalculationResponse }) {
  const t = useWords()
  const { calculationId, venueId, state, supersedesCalculationId } = calculation!
  const wasSold = state === CalculationState.FINALISED || state === CalculationState.ABANDONED
  return (
    <Part title={t('calculation.history')}>
      <ol className={styles['history']}>
        {supersedesCalculationId !== undefined && (
          <li>
            <span />
            <TextLink
              to="/calculations/$calculationId"
              params={{ calculationId: supersedesCalculationId }}
              search
              text={t('calculation.replaces')}
            />
          </li>
        )}
        {history.map(({ state: began, at, cause }) => (
          <li key={began}>
            <span>
              <Time at={at} venueId={venueId} show="day" /> <Time at={at} venueId={venueId} show="time" />
            </span>
            <span>{wordOf(t, 'state', CalculationState, began)}</span>
            {cause !== '' && (
              <TextLink
                to="/calculations/$calculationId"
                params={{ calculationId: cause }}
                search
                text={t('calculation.superseding')}
              />
            )}
            {wasSold && began === state && (
              <TextLink to="/sales/$calculationId" params={{ calculationId }} text={t('calculation.sale')} />
            )}
          </li>
        ))}
      </ol>
    </Part>
  )
}

function Replay({ calculationId }: { readonly calculationId: string }) {
  const t = useWords()
  const query = useQuery(CalculationService.method.replayCalculation, { calculationId })
  if (!query.isSuccess) return <Waiting query={query} lines={2} />
  const { identical, same, differences, storedEngineVersion, engineVersion } = query.data
  const versions = { stored: storedEngineVersion, now: engineVersion }
  return (
    <Part title={t('replay.title')}>
      <p role="status">{t(identical ? 'replay.identical' : same ? 'replay.same' : 'replay.different', versions)}</p>
      {differences.length > 0 && (
        <Rows
          label={t('replay.title')}
          columns={[
            { key: 'path', head: t('changes.field'), cell: ({ path }) => <code>{path}</code> },
            { key: 'stored', head: t('replay.stored'), cell: ({ stored }) => stored },
            { key: 'replayed', head: t('replay.replayed'), cell: ({ replayed }) => replayed },
          ]}
          rows={differences}
          keyOf={({ path }) => path}
        />
      )}
    </Part>
  )
}
