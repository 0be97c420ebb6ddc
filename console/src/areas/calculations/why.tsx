import { Link } from '@tanstack/react-router'
import {
  type GetCalculationResponse,
  type Reservation,
  ReservationState,
} from '../../../../gateway/gen/loyalty/v1/calculation_service_pb.js'
import { CalculationStatus, LimitCounts } from '../../../../gateway/gen/loyalty/v1/enums_pb.js'
import type { BenefitReport } from '../../../../gateway/gen/loyalty/v1/explanation_pb.js'
import { useProgrammeNames } from '../../api/programme.js'
import { useVenueZone } from '../../api/venues.js'
import { useWords } from '../../i18n/words.js'
import { Part } from '../../parts/detail.js'
import { wordOf } from '../../parts/enum-word.js'
import { Money } from '../../parts/money.js'
import { benefitName, moneyText, type ReasonContext, reasonText, restrictionsText, valueText } from './reasons.js'
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
  const context = { t, names, currency, products, zone: useVenueZone(venueId) }
  const applied = calculation.explanation.filter(({ dropped }) => dropped === undefined)
  return (
    <>
      <Part title={t('why.applied')}>
        {applied.length === 0 && <p className="muted">{t('why.noneApplied')}</p>}
        <ul className={styles['benefits']}>
          {applied.map((report) => (
            <li key={report.benefitId}>
              <span className={styles['name']}>{benefitName(context, report.benefitId)}</span>
              <span className="number gained">
                <Money minor={-report.value} currency={currency} />
              </span>
              <span className="muted">{takesText(context, calculation, report)}</span>
            </li>
          ))}
        </ul>
      </Part>
      <BenefitReasons
        status={status}
        reports={calculation.explanation}
        programmeVersion={programmeVersion}
        currency={currency}
        products={products}
        venueId={venueId}
      />
      <Holds calculation={calculation} context={context} />
    </>
  )
}

interface BenefitReasonsProps {
  readonly status: CalculationStatus
  readonly reports: readonly BenefitReport[]
  /** 0: no published version. */
  readonly programmeVersion: number
  readonly currency: string
  /** Products of the request's lines, by position. */
  readonly products: readonly string[]
  readonly venueId: string
}

/** Benefits that did not apply, each with its reason, and those that were not open. */
export function BenefitReasons(props: BenefitReasonsProps) {
  const { status, reports, programmeVersion, currency, products, venueId } = props
  const t = useWords()
  const names = useProgrammeNames(programmeVersion === 0 ? undefined : programmeVersion)
  const context = { t, names, currency, products, zone: useVenueZone(venueId) }
  const dropped = reports.filter(({ dropped }) => dropped !== undefined)
  const reported = new Set(reports.map(({ benefitId }) => benefitId))
  const closed = [...names.benefits.values()].filter(({ benefitId }) => !reported.has(benefitId))
  if (status === CalculationStatus.MEMBER_NOT_FOUND) return <p>{t('why.noMember')}</p>
  return (
    <>
      {dropped.length > 0 && (
        <Part title={t('why.notApplied')}>
          <ul className={styles['reasons']}>
            {dropped.map((report) => (
              <li key={report.benefitId}>
                <span className={styles['name']}>{benefitName(context, report.benefitId)}</span>
                <span>{reasonText(context, report.dropped!)}</span>
              </li>
            ))}
          </ul>
        </Part>
      )}
      {closed.length > 0 && (
        <details className={styles['closed']}>
          <summary>{t('why.notOpen', { count: closed.length })}</summary>
          <ul className={styles['reasons']}>
            {closed.map((benefit) => (
              <li key={benefit.benefitId}>
                <span className={styles['name']}>{benefit.text}</span>
                <span className="muted">{restrictionsText(context, benefit).join('; ')}</span>
              </li>
            ))}
          </ul>
        </details>
      )}
    </>
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
      const values = {
        units: shown(reservation.units),
        maximum: shown(BigInt(limit.maximum)),
        period: t.of('period', limit.period),
      }
      return t(reservation.state === ReservationState.OPEN ? 'why.holds' : 'why.took', values)
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

/** What the calculation holds of limits, what it costs, and what its sale earns. */
function Holds({ calculation, context }: HoldsProps) {
  const { t } = context
  const { reservations, spending, earning } = calculation
  if (reservations.length + spending.length + earning.length === 0) return null
  return (
    <Part title={t('why.value')}>
      <ul className={styles['reasons']}>
        {reservations.map((reservation) => (
          <li key={`${reservation.limitId}/${reservation.subject}/${reservation.period}`}>
            <span className={styles['name']}>{reservation.limitId}</span>
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
        {earning.map(({ ruleId, currencyId, given, factor }) => (
          <li key={ruleId}>
            <span className={styles['name']}>{ruleId}</span>
            <span>
              {given === undefined
                ? t('why.notEarned', { factor })
                : t('why.earned', { value: valueText(context, currencyId, given), factor })}
            </span>
          </li>
        ))}
      </ul>
      {calculation.calculation!.memberId !== undefined && (
        <p>
          <Link to="/members/$memberId" params={{ memberId: calculation.calculation!.memberId }}>
            {t('why.member')}
          </Link>
        </p>
      )}
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
