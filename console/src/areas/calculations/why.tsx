import { Link } from '@tanstack/react-router'
import {
  type GetCalculationResponse,
  type Reservation,
  ReservationState,
} from '../../../../gateway/gen/loyalty/v1/calculation_service_pb.js'
import { LimitCounts } from '../../../../gateway/gen/loyalty/v1/enums_pb.js'
import type { BenefitReport } from '../../../../gateway/gen/loyalty/v1/explanation_pb.js'
import { useProgrammeNames } from '../../api/programme.js'
import { useWords } from '../../i18n/words.js'
import { Part } from '../../parts/detail.js'
import { wordOf } from '../../parts/enum-word.js'
import { Money } from '../../parts/money.js'
import { BenefitReasons } from './benefit-reasons.js'
import { Earning } from './earning.js'
import { occasionOf } from './occasion.js'
import { benefitName, moneyText, type ReasonContext, valueText } from './reasons.js'
import { useReasonContext } from './use-reason-context.js'
import styles from './why.module.css'

interface WhyProps {
  readonly calculation: GetCalculationResponse
  /** Products of the request's lines, by position. */
  readonly products: readonly string[]
}

/** Every benefit of the programme with what became of it: applied, not applied and why, or not open to this member here and then. */
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

interface BenefitLinkProps {
  readonly benefitId: string
  readonly context: ReasonContext
}

/** The text of a benefit, and the way to what it is. */
function BenefitLink({ benefitId, context }: BenefitLinkProps) {
  return (
    <Link to="/programme/benefits/$benefitId" params={{ benefitId }} className={styles['name']}>
      {benefitName(context, benefitId)}
    </Link>
  )
}

/** What an applied benefit takes of limits and of what the member has. */
function takesText(context: ReasonContext, calculation: GetCalculationResponse, report: BenefitReport): string {
  const { t, names } = context
  const limits = names.benefits.get(report.benefitId)?.limits ?? []
  const held = calculation.reservations.filter(({ limitId }) => limits.some((limit) => limit.limitId === limitId))
  const paid = calculation.spending.filter(({ benefitId }) => benefitId === report.benefitId)
  return [
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
  ].join('; ')
}

interface HoldsProps {
  readonly calculation: GetCalculationResponse
  readonly context: ReasonContext
}

/** What the calculation holds or held, counter by counter. */
function Holds({ calculation, context }: HoldsProps) {
  const { t } = context
  const { reservations, spending } = calculation
  if (reservations.length + spending.length === 0) return null
  return (
    <Part title={t('why.value')}>
      <ul className={styles['reasons']}>
        {reservations.map((reservation) => (
          <li key={`${reservation.limitId}/${reservation.subject}/${reservation.period}`}>
            <Link to="/limits" search={{ limitId: reservation.limitId }} className={styles['name']}>
              {reservation.limitId}
            </Link>
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
