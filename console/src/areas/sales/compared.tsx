import { useQuery } from '@connectrpc/connect-query'
import type { ReactNode } from 'react'
import {
  CalculationService,
  type CalculationSummary,
} from '../../../../gateway/gen/loyalty/v1/calculation_service_pb.js'
import { CalculationStatus, Discrepancy, SaleStatus } from '../../../../gateway/gen/loyalty/v1/enums_pb.js'
import type { Sale } from '../../../../gateway/gen/loyalty/v1/sale_service_pb.js'
import { isNotFound } from '../../api/read-error.js'
import { useVenues } from '../../api/venues.js'
import { useWords, type Words } from '../../i18n/words.js'
import { wordOf } from '../../parts/enum-word.js'
import { ErrorPanel } from '../../parts/error-panel.js'
import { Money } from '../../parts/money.js'
import { digitsOf, formatScaled } from '../../parts/scaled.js'
import { Skeleton } from '../../parts/states.js'
import { dateOf } from '../../parts/time.js'
import { moneyText } from '../calculations/reasons.js'
import styles from './sales.module.css'

/** What the calculation let expect beside what the POS reported, where they disagree in words first. */
export function Compared({ sale }: { readonly sale: Sale }) {
  const t = useWords()
  const venues = useVenues()
  const { calculationId } = sale
  const query = useQuery(CalculationService.method.getCalculation, { calculationId })
  if (query.isPending) return <Skeleton lines={3} />
  if (query.isError && !isNotFound(query.error)) return <ErrorPanel cause={query.error} />
  const calculation = query.data?.calculation
  const venueName = (id: string) => venues.find(({ venueId }) => venueId === id)?.name || id
  return (
    <>
      {sale.discrepancies.length > 0 && (
        <ul className={styles['disagrees']}>
          {sale.discrepancies.map((one) => (
            <li key={one} className="lost">
              {discrepancyText(t, one, sale, calculation)}
            </li>
          ))}
        </ul>
      )}
      {calculation === undefined ? (
        <p className="muted">{t('compared.none')}</p>
      ) : (
        <Table rows={comparisons(t, sale, calculation, venueName)} />
      )}
    </>
  )
}

function Table({ rows }: { readonly rows: readonly Comparison[] }) {
  const t = useWords()
  return (
    <table className={`${styles['lines']} ${styles['compared']}`}>
      <thead>
        <tr>
          <th scope="col">{t('compared.what')}</th>
          <th scope="col" className="number">
            {t('compared.expected')}
          </th>
          <th scope="col" className="number">
            {t('compared.reported')}
          </th>
        </tr>
      </thead>
      <tbody>
        {rows.map(({ what, expected, reported, difference, differs }) => (
          <tr key={what}>
            <td>{differs ? <strong>{what}</strong> : what}</td>
            <td className="number">{expected}</td>
            <td className="number">
              {reported} {difference !== '' && <span className="lost">({difference})</span>}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

interface Comparison {
  readonly what: string
  readonly expected: ReactNode
  readonly reported: ReactNode
  /** In numbers; '' where there are none, or no difference. */
  readonly difference: string
  readonly differs: boolean
}

function comparisons(
  t: Words,
  sale: Sale,
  calculation: CalculationSummary,
  venueName: (venueId: string) => string,
): readonly Comparison[] {
  const has = (one: Discrepancy) => sale.discrepancies.includes(one)
  const text = (what: string, [expected, reported]: readonly [string, string], differs: boolean): Comparison => {
    return {
      what,
      expected,
      reported,
      difference: differs ? t('compared.other') : '',
      differs,
    }
  }
  const money = (what: string, expected: bigint, reported: bigint | undefined, differs: boolean): Comparison => ({
    what,
    expected: <Money minor={expected} currency={calculation.currency} withCurrency />,
    reported:
      reported === undefined ? t('sale.notSaid') : <Money minor={reported} currency={sale.currency} withCurrency />,
    difference:
      reported === undefined || reported === expected ? '' : signedText(t, reported - expected, sale.currency),
    differs,
  })
  const card = (loyaltyId: string | undefined) => loyaltyId ?? t('calculation.nobody')
  return [
    text(
      t('sale.status'),
      [wordOf(t, 'status', CalculationStatus, calculation.status), wordOf(t, 'saleStatus', SaleStatus, sale.status)],
      has(Discrepancy.STATUS_MISMATCH),
    ),
    money(t('sale.paid'), chargedNet(sale, calculation), sale.paidTotal, has(Discrepancy.PAID_TOTAL_MISMATCH)),
    money(
      t('sale.discount'),
      sale.status === SaleStatus.APPLIED ? calculation.loyaltyDiscountTotal : 0n,
      sale.loyaltyDiscountTotal,
      has(Discrepancy.DISCOUNT_TOTAL_MISMATCH),
    ),
    text(
      t('sale.loyaltyId'),
      [card(calculation.loyaltyId), card(sale.loyaltyId)],
      has(Discrepancy.LOYALTY_ID_MISMATCH),
    ),
    text(t('sale.venue'), [venueName(calculation.venueId), venueName(sale.venueId)], has(Discrepancy.VENUE_MISMATCH)),
  ]
}

/** Without a colour: neither side of a difference is gained or lost yet. */
function signedText(t: Words, minor: bigint, currency: string): string {
  return `${minor > 0n ? '+' : ''}${formatScaled(minor, digitsOf(currency), t.locale)}`
}

/** The net of the basket that a sale charges: as returned, or as sent. */
function chargedNet({ status }: Sale, { netBefore, netAfter }: CalculationSummary): bigint {
  return status === SaleStatus.APPLIED ? netAfter : netBefore
}

/** A discrepancy in words, with its numbers where there are any. */
function discrepancyText(t: Words, one: Discrepancy, sale: Sale, calculation: CalculationSummary | undefined): string {
  const word = wordOf(t, 'discrepancy', Discrepancy, one)
  if (calculation === undefined) return word
  const sums = (expected: bigint, reported: bigint | undefined) => {
    const [wanted, said] = [expected, reported ?? 0n].map((minor) => moneyText({ t, currency: sale.currency }, minor))
    return t('compared.sums', { what: word, expected: wanted!, reported: said! })
  }
  switch (one) {
    case Discrepancy.PAID_TOTAL_MISMATCH:
      return sums(chargedNet(sale, calculation), sale.paidTotal)
    case Discrepancy.DISCOUNT_TOTAL_MISMATCH:
      return sums(calculation.loyaltyDiscountTotal, sale.loyaltyDiscountTotal)
    case Discrepancy.LATE_EVENT: {
      const { expiresAt } = calculation
      const { recordedAt } = sale
      if (expiresAt === undefined || recordedAt === undefined) return word
      const lateMs = dateOf(recordedAt).getTime() - dateOf(expiresAt).getTime()
      return t('compared.late', { what: word, count: Math.max(1, Math.ceil(lateMs / 60_000)) })
    }
    default:
      return word
  }
}
