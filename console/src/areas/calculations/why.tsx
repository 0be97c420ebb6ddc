import { useQuery } from '@connectrpc/connect-query'
import type { GetCalculationResponse, RuleCount } from '../../../../gateway/gen/loyalty/v1/calculation_service_pb.js'
import { CalculationState, CalculationStatus, LimitCounts } from '../../../../gateway/gen/loyalty/v1/enums_pb.js'
import type { BenefitReport, ClosedBenefits, Dropped } from '../../../../gateway/gen/loyalty/v1/explanation_pb.js'
import { type Reservation, ReservationState } from '../../../../gateway/gen/loyalty/v1/holds_pb.js'
import { type Account, ValueService } from '../../../../gateway/gen/loyalty/v1/value_service_pb.js'
import { memberRef, useProgrammeNames } from '../../api/programme.js'
import { useWords } from '../../i18n/words.js'
import { TextLink } from '../../parts/controls.js'
import { Part } from '../../parts/page.js'
import { formatScaled } from '../../parts/scaled.js'
import { Money, wordOf } from '../../parts/values.js'
import styles from './calculations.module.css'
import {
  benefitName,
  closedText,
  moneyText,
  type Occasion,
  occasionOf,
  priceOf,
  type ReasonContext,
  reasonText,
  servedText,
  useReasonContext,
  valueText,
} from './reasons.js'

interface WhyProps {
  readonly calculation: GetCalculationResponse
  readonly products: readonly string[]
}

export function Why({ calculation, products }: WhyProps) {
  const t = useWords()
  const { status, programmeVersion, currency, venueId } = calculation.calculation!
  const names = useProgrammeNames(programmeVersion === 0 ? undefined : programmeVersion)
  const context = useReasonContext({ names, currency, products, venueId })
  const applied = calculation.explanation.filter(({ dropped }) => dropped === undefined)
  return (
    <>
      <Part title={t('why.applied', { currency })}>
        {applied.length === 0 && <p className="muted">{t('why.noneApplied')}</p>}
        <ul className={styles['benefits']}>
          {applied.map((report) => (
            <li key={report.benefitId}>
              <BenefitLink benefitId={report.benefitId} context={context} />
              <span className="number gained">
                <Money minor={-report.value} currency={currency} />
              </span>
              <span className="muted">{takesText(context, calculation, report)}</span>
            </li>
          ))}
        </ul>
      </Part>
      <Earning calculation={calculation} context={context} />
      <BenefitReasons
        status={status}
        reports={calculation.explanation}
        context={context}
        closed={calculation.closed}
        occasion={occasionOf(calculation.calculation!, calculation.buyer)}
      />
      <Holds calculation={calculation} context={context} />
    </>
  )
}

function BenefitLink({ benefitId, context }: { readonly benefitId: string; readonly context: ReasonContext }) {
  return (
    <TextLink
      to="/benefits/$benefitId"
      params={{ benefitId }}
      className={styles['name']}
      text={benefitName(context, benefitId)}
    />
  )
}

function takesText(context: ReasonContext, calculation: GetCalculationResponse, report: BenefitReport): string {
  const { t, names } = context
  const limits = names.benefits.get(report.benefitId)?.limits ?? []
  const held = calculation.reservations.filter(({ limitId }) => limits.some((limit) => limit.limitId === limitId))
  const paid = calculation.spending.filter(({ benefitId }) => benefitId === report.benefitId)
  const texts = [
    servedText(context, report),
    ...held.map((reservation) => {
      const limit = limits.find(({ limitId }) => limitId === reservation.limitId)!
      const shown = (units: bigint) => (limit.counts === 'amount' ? moneyText(context, units) : String(units))
      const values = { units: shown(reservation.units), maximum: shown(BigInt(limit.maximum)) }
      return reservation.state === ReservationState.OPEN
        ? t('why.holds', { ...values, period: t.of('within', limit.period) })
        : t('why.took', {
            ...values,
            period: t.of('period', limit.period),
            state: wordOf(t, 'reservation', ReservationState, reservation.state),
          })
    }),
    ...paid.map(({ currencyId, amount, times, state }) =>
      t('why.costs', {
        value: valueText(context, currencyId, amount * times),
        state: wordOf(t, 'reservation', ReservationState, state),
      }),
    ),
  ]
  return texts.filter((text) => text !== '').join('; ')
}

interface HoldsProps {
  readonly calculation: GetCalculationResponse
  readonly context: ReasonContext
}

function Holds({ calculation, context }: HoldsProps) {
  const { t } = context
  const { reservations, spending } = calculation
  if (reservations.length + spending.length === 0) return null
  return (
    <Part title={t('why.value')}>
      <ul className="reasons">
        {reservations.map((reservation) => (
          <li key={`${reservation.limitId}/${reservation.subject}/${reservation.period}`}>
            <TextLink
              to="/limits"
              search={{ limitId: reservation.limitId }}
              className={styles['name']}
              text={reservation.limitId}
            />
            <span>{reservationText(context, reservation)}</span>
          </li>
        ))}
        {spending.map(({ benefitId, currencyId, amount, times, state }) => (
          <li key={`${benefitId}/${currencyId}`}>
            <span className={styles['name']}>{benefitName(context, benefitId)}</span>
            <span>
              {t('why.costs', {
                value: valueText(context, currencyId, amount * times),
                state: wordOf(t, 'reservation', ReservationState, state),
              })}
            </span>
          </li>
        ))}
      </ul>
    </Part>
  )
}

function reservationText(context: ReasonContext, { subject, period, units, state, counts }: Reservation): string {
  const { t } = context
  const isMoney = counts === LimitCounts.AMOUNT
  return t('why.reservation', {
    units: isMoney ? moneyText(context, units) : String(units),
    state: wordOf(t, 'reservation', ReservationState, state),
    subject: subject === '' ? t('why.everyone') : subject,
    period: period === '' ? t('period.ever') : period,
  })
}

interface EarningProps {
  readonly calculation: GetCalculationResponse
  readonly context: ReasonContext
}

function Earning({ calculation, context }: EarningProps) {
  const { t, names } = context
  const { memberId } = calculation.calculation!
  const { data } = useQuery(
    ValueService.method.getBalances,
    { member: memberRef(memberId ?? '') },
    { enabled: memberId !== undefined && calculation.earning.length > 0 },
  )
  if (calculation.earning.length === 0) return null
  return (
    <Part title={t('why.earns')}>
      <ul className="reasons">
        {calculation.earning.map((count) => (
          <li key={count.ruleId}>
            <span className={styles['name']}>{names.currencies.get(count.currencyId)?.name ?? count.currencyId}</span>
            <span>
              {[
                earnedText(context, count, calculation),
                factorText(context, count),
                progressText(context, count, data?.accounts),
              ]
                .filter((text) => text !== '')
                .join('; ')}
            </span>
          </li>
        ))}
      </ul>
    </Part>
  )
}

function earnedText(
  context: ReasonContext,
  { currencyId, given, wouldEarn }: RuleCount,
  { calculation, earning }: GetCalculationResponse,
): string {
  const { t } = context
  const { state } = calculation!
  const isSold = state === CalculationState.FINALISED || earning.some((count) => count.given !== undefined)
  if (!isSold && state !== CalculationState.OPEN) return t('why.unsold')
  const amount = given ?? wouldEarn
  if (amount === undefined) return t('why.counts')
  const value = amountText(context, currencyId, amount)
  return isSold ? t('why.earned', { value }) : t('why.wouldEarn', { value })
}

/** Empty where a rule counts once. */
export function factorText({ t }: Pick<ReasonContext, 't'>, { factor }: RuleCount): string {
  return factor === '1' ? '' : t('why.factor', { factor })
}

/** Such as `7 of 10 for Your tenth coffee`. */
function progressText(
  context: ReasonContext,
  { currencyId }: RuleCount,
  accounts: readonly Account[] | undefined,
): string {
  const { t, names } = context
  const price = priceOf(names, currencyId)
  if (accounts === undefined) return ''
  const account = accounts.find((each) => each.currencyId === currencyId)
  const shown = (amount: bigint) => amountText(context, currencyId, amount)
  const available = shown(account?.available ?? 0n)
  const pending = account === undefined || account.pending === 0n ? '' : shown(account.pending)
  const has =
    price === null
      ? t('why.has', { available })
      : t('why.hasOf', { available, price: shown(price.amount), buys: price.buys })
  return pending === '' ? has : `${has} (${t('account.pending', { amount: pending })})`
}

function amountText({ t, names }: ReasonContext, currencyId: string, amount: bigint): string {
  return formatScaled(amount, names.currencies.get(currencyId)?.scale ?? 0, t.locale)
}

interface BenefitReasonsProps {
  readonly status: CalculationStatus
  readonly reports: readonly BenefitReport[]
  /** undefined: not known. */
  readonly closed: ClosedBenefits | undefined
  readonly context: ReasonContext
  /** null: not known. */
  readonly occasion: Occasion | null
}

/** Number shown at first; further ones on request: a programme has hundreds of benefits that a basket does not touch. */
const shownMax = 12
/** Nearest to applying first. */
const stages: readonly Dropped['stage']['case'][] = [
  'beaten',
  'limitExhausted',
  'valueHeld',
  'existingDiscountKept',
  'notDiscountable',
  'conditionsNotMet',
]

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
  readonly more: (count: number) => string
}

function Reasons({ rows, more }: ReasonsProps) {
  const list = (some: ReasonsProps['rows']) => (
    <ul className="reasons">
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
