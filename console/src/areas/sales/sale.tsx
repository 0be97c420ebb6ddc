import { useQuery } from '@connectrpc/connect-query'
import { useParams } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import {
  CalculationService,
  type CalculationSummary,
} from '../../../../gateway/gen/loyalty/v1/calculation_service_pb.js'
import {
  CalculationStatus,
  Discrepancy,
  FailureReason,
  SaleResult,
  SaleStatus,
} from '../../../../gateway/gen/loyalty/v1/enums_pb.js'
import { type Return, ReturnService } from '../../../../gateway/gen/loyalty/v1/return_service_pb.js'
import { type Sale, SaleService } from '../../../../gateway/gen/loyalty/v1/sale_service_pb.js'
import { isNotFound } from '../../api/transport.js'
import { useMay } from '../../api/use-commands.js'
import { pageSize } from '../../api/use-pages.js'
import { useVenueName, useVenueNames } from '../../api/venues.js'
import { useWords, type Words } from '../../i18n/words.js'
import { Button, TextLink } from '../../parts/controls.js'
import { Detail, Facts, Part } from '../../parts/page.js'
import { moneyColumn, Rows } from '../../parts/rows.js'
import { digitsOf, formatScaled } from '../../parts/scaled.js'
import { Empty, ErrorPanel, Skeleton, Waiting } from '../../parts/states.js'
import { dateOf, Id, Money, StateBadge, Time, wordOf } from '../../parts/values.js'
import { moneyText } from '../calculations/reasons.js'
import { saleBadge } from './groups.js'
import { Ladder, ReturnDialog } from './return-dialog.js'
import { MoveDialog, SettleDialog } from './sale-dialogs.js'
import styles from './sales.module.css'

export function SaleDetail() {
  const t = useWords()
  const { calculationId } = useParams({ from: '/sales/$calculationId' })
  const query = useQuery(SaleService.method.getSale, { calculationId })
  if (query.isPending) return <Skeleton />
  if (query.isError && isNotFound(query.error)) {
    return (
      <Empty why={t('sale.none')}>
        <TextLink to="/calculations/$calculationId" params={{ calculationId }} text={t('sale.toCalculation')} />
      </Empty>
    )
  }
  if (query.isError) return <ErrorPanel cause={query.error} onRetry={() => void query.refetch()} />
  return <Recorded key={calculationId} sale={query.data.sale!} />
}

function Recorded({ sale }: { readonly sale: Sale }) {
  const t = useWords()
  const may = useMay()
  const [open, setOpen] = useState<'return' | 'move' | 'settle' | null>(null)
  const { calculationId, currency } = sale
  const wasCharged = sale.status !== SaleStatus.CANCELLED
  return (
    <Detail
      title={
        <>
          {t('sale.title')} <Id id={calculationId} />
        </>
      }
      closeTo="/sales"
      buttons={
        <>
          <TextLink
            to="/calculations/$calculationId"
            params={{ calculationId }}
            className="button"
            text={t('sale.toCalculation')}
          />
          {may('ReturnService/RecordReturn') && wasCharged && (
            <Button onClick={() => setOpen('return')} text={t('return.do')} />
          )}
          {may('SaleService/SettleDiscrepancies') && sale.discrepancies.length > 0 && sale.settled === undefined && (
            <Button onClick={() => setOpen('settle')} text={t('settle.do')} />
          )}
          {may('MemberService/MoveSale') && wasCharged && hasMember(sale) && (
            <Button onClick={() => setOpen('move')} text={t('move.do')} />
          )}
          {may('MemberService/ClaimSale') && wasCharged && sale.claimedAt === undefined && isNobodys(sale) && (
            <TextLink to="/members" search={{ claim: calculationId }} className="button" text={t('claim.open')} />
          )}
        </>
      }
    >
      <p className="lead">{leadText(t, sale)}</p>
      <SaleFacts sale={sale} />
      <Part title={t('compared.title')}>
        <Compared sale={sale} />
      </Part>
      {wasCharged && (
        <Part title={t('ladder.title')}>
          <Ladder sale={sale} />
        </Part>
      )}
      <Part title={t('returns.title')}>
        <Returns calculationId={calculationId} currency={currency} venueId={sale.venueId} />
      </Part>
      {open === 'return' && <ReturnDialog sale={sale} onClose={() => setOpen(null)} />}
      {open === 'settle' && <SettleDialog sale={sale} onClose={() => setOpen(null)} />}
      {open === 'move' && <MoveDialog sale={sale} onClose={() => setOpen(null)} />}
    </Detail>
  )
}

/** No member was found for it, or its earning could not be counted. */
function isNobodys({ status, discrepancies }: Sale): boolean {
  return status === SaleStatus.MEMBER_NOT_FOUND || discrepancies.includes(Discrepancy.EARNING_UNKNOWN)
}

function hasMember(sale: Sale): boolean {
  return sale.claimedAt !== undefined || (sale.loyaltyId !== undefined && !isNobodys(sale))
}

function leadText(t: Words, { status, paidTotal, givenTotal, refundTotal, currency, discrepancies }: Sale): string {
  const money = (minor: bigint) => moneyText({ t, currency }, minor)
  const paid =
    status === SaleStatus.CANCELLED
      ? t('sale.leadCancelled')
      : paidTotal === undefined
        ? t('sale.leadUnpaid')
        : t('sale.leadPaid', { paid: money(paidTotal), discount: money(givenTotal) })
  const { length: count } = discrepancies
  const returned = refundTotal === 0n ? '' : ` ${t('sale.leadReturned', { refund: money(refundTotal) })}`
  return `${paid}${returned} ${count === 0 ? t('sale.leadAgrees') : t('sale.leadDisagrees', { count })}`
}

function SaleFacts({ sale }: { readonly sale: Sale }) {
  const t = useWords()
  const venue = useVenueName(sale.venueId)
  const { currency, paidTotal, loyaltyDiscountTotal, failureReason } = sale
  const money = (minor: bigint | undefined) =>
    minor === undefined ? t('sale.notSaid') : <Money minor={minor} currency={currency} withCurrency />
  const failure =
    failureReason === FailureReason.UNSPECIFIED ? '' : ` (${wordOf(t, 'failure', FailureReason, failureReason)})`
  return (
    <Facts
      facts={[
        [
          t('sale.status'),
          <span key="status">
            <StateBadge {...saleBadge} value={sale.status} />
            {failure}
          </span>,
        ],
        [t('sale.result'), wordOf(t, 'saleResult', SaleResult, sale.result)],
        [t('sum.paid'), money(paidTotal)],
        [t('sum.discount'), money(sale.givenTotal)],
        [t('sale.discount'), money(loyaltyDiscountTotal)],
        [t('sale.venue'), venue],
        [t('sale.register'), sale.cashRegisterId],
        [t('sale.receipt'), sale.receiptNumber === undefined ? t('sale.notSaid') : String(sale.receiptNumber)],
        [t('sale.transaction'), sale.transactionId ?? t('sale.notSaid')],
        [t('sale.loyaltyId'), sale.loyaltyId ?? t('calculation.nobody')],
        [t('sale.recordedAt'), <Time key="at" at={sale.recordedAt} venueId={sale.venueId} show="full" />],
        [t('sale.claimedAt'), sale.claimedAt && <Time key="claimed" at={sale.claimedAt} venueId={sale.venueId} />],
      ]}
    />
  )
}

function Returns({ calculationId, currency, venueId }: Pick<Sale, 'calculationId' | 'currency' | 'venueId'>) {
  const t = useWords()
  const query = useQuery(ReturnService.method.listReturns, { calculationId, pageSize })
  if (!query.isSuccess) return <Waiting query={query} lines={2} />
  if (query.data.returns.length === 0) return <p className="muted">{t('returns.none')}</p>
  return (
    <Rows
      label={t('returns.title')}
      columns={[
        { key: 'at', head: t('sale.recordedAt'), cell: ({ recordedAt }) => <Time at={recordedAt} venueId={venueId} /> },
        { key: 'reference', head: t('returns.reference'), cell: ({ reference }) => reference },
        moneyColumn<Return>({
          key: 'refund',
          head: t('returns.refund', { currency }),
          currency,
          minor: ({ refund }) => refund,
        }),
        { key: 'actor', head: t('audit.actor'), cell: ({ actor }) => actor },
      ]}
      rows={query.data.returns}
      keyOf={({ returnId }) => String(returnId)}
    />
  )
}

function Compared({ sale }: { readonly sale: Sale }) {
  const t = useWords()
  const venueName = useVenueNames()
  const { calculationId } = sale
  const query = useQuery(CalculationService.method.getCalculation, { calculationId })
  if (query.isPending) return <Skeleton lines={3} />
  if (query.isError && !isNotFound(query.error)) return <ErrorPanel cause={query.error} />
  const calculation = query.data?.calculation
  return (
    <>
      {sale.discrepancies.length > 0 && (
        <ul className={styles['disagrees']}>
          {sale.discrepancies.map((one) => (
            <li key={one} className={sale.settled === undefined ? 'lost' : 'muted'}>
              {discrepancyText(t, one, sale, calculation)}
            </li>
          ))}
        </ul>
      )}
      {sale.settled !== undefined && (
        <p>
          {t('settle.settled', { actor: sale.settled.actor, note: sale.settled.note || '–' })}{' '}
          <Time at={sale.settled.at} venueId={sale.venueId} />
        </p>
      )}
      {calculation === undefined ? (
        <p className="muted">{t('compared.none')}</p>
      ) : (
        <div className={styles['compared']}>
          <Rows
            label={t('compared.title')}
            columns={[
              {
                key: 'what',
                head: t('compared.what'),
                cell: ({ what, differs }) => (differs ? <strong>{what}</strong> : what),
              },
              { key: 'expected', head: t('compared.expected'), cell: ({ expected }) => expected, isNumber: true },
              {
                key: 'reported',
                head: t('compared.reported'),
                cell: ({ reported, difference }) => (
                  <>
                    {reported} {difference !== '' && <span className="lost">({difference})</span>}
                  </>
                ),
                isNumber: true,
              },
            ]}
            rows={comparisons(t, sale, calculation, venueName)}
            keyOf={({ what }) => what}
          />
        </div>
      )}
    </>
  )
}

interface Comparison {
  readonly what: string
  readonly expected: ReactNode
  readonly reported: ReactNode
  /** In numbers; '' without numbers, or without a difference. */
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
  const text = (what: string, [expected, reported]: readonly [string, string], differs: boolean): Comparison => ({
    ...{ what, expected, reported, differs },
    difference: differs ? t('compared.other') : '',
  })
  const money = (
    what: string,
    [expected, reported, difference = 0n]: readonly [bigint, bigint | undefined, bigint | undefined],
    differs: boolean,
  ): Comparison => ({
    what,
    expected: <Money minor={expected} currency={calculation.currency} withCurrency />,
    reported:
      reported === undefined ? t('sale.notSaid') : <Money minor={reported} currency={sale.currency} withCurrency />,
    difference: difference === 0n ? '' : signedText(t, difference, sale.currency),
    differs,
  })
  const card = (loyaltyId: string | undefined) => loyaltyId ?? t('calculation.nobody')
  return [
    text(
      t('sale.status'),
      [wordOf(t, 'status', CalculationStatus, calculation.status), wordOf(t, 'status', SaleStatus, sale.status)],
      has(Discrepancy.STATUS_MISMATCH),
    ),
    money(
      t('sum.paid'),
      [chargedNet(sale, calculation), sale.paidTotal, sale.paidDifference],
      has(Discrepancy.PAID_TOTAL_MISMATCH),
    ),
    money(
      t('sale.discount'),
      [
        sale.status === SaleStatus.APPLIED ? calculation.loyaltyDiscountTotal : 0n,
        sale.loyaltyDiscountTotal,
        sale.discountDifference,
      ],
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
