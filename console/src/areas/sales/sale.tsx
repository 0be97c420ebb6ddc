import { useQuery } from '@connectrpc/connect-query'
import { Link, useNavigate, useParams } from '@tanstack/react-router'
import { useState } from 'react'
import { Discrepancy, FailureReason, SaleResult, SaleStatus } from '../../../../gateway/gen/loyalty/v1/enums_pb.js'
import { type Sale, SaleService } from '../../../../gateway/gen/loyalty/v1/sale_service_pb.js'
import { isNotFound } from '../../api/read-error.js'
import { useMay } from '../../api/use-commands.js'
import { useVenueName } from '../../api/venues.js'
import { useWords, type Words } from '../../i18n/words.js'
import { Detail, Facts, Part } from '../../parts/detail.js'
import { wordOf } from '../../parts/enum-word.js'
import { ErrorPanel } from '../../parts/error-panel.js'
import { Id } from '../../parts/id.js'
import { Money } from '../../parts/money.js'
import { Empty, Skeleton } from '../../parts/states.js'
import { Time } from '../../parts/time.js'
import { moneyText } from '../calculations/reasons.js'
import { Compared } from './compared.js'
import { Ladder } from './ladder.js'
import { ReturnDialog } from './return-dialog.js'
import { Returns } from './returns.js'
import styles from './sales.module.css'

/** One sale: what was paid, where it disagrees, and what was returned of it. */
export function SaleDetail() {
  const t = useWords()
  const { calculationId } = useParams({ from: '/sales/$calculationId' })
  const query = useQuery(SaleService.method.getSale, { calculationId })
  if (query.isPending) return <Skeleton />
  if (query.isError && isNotFound(query.error)) {
    return (
      <Empty why={t('sale.none')}>
        <Link to="/calculations/$calculationId" params={{ calculationId }}>
          {t('sale.toCalculation')}
        </Link>
      </Empty>
    )
  }
  if (query.isError) return <ErrorPanel cause={query.error} onRetry={() => void query.refetch()} />
  return <Recorded key={calculationId} sale={query.data.sale!} />
}

function Recorded({ sale }: { readonly sale: Sale }) {
  const t = useWords()
  const navigate = useNavigate()
  const may = useMay()
  const [isReturning, setReturning] = useState(false)
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
      onClose={() => void navigate({ to: '/sales', search: true })}
      buttons={
        <>
          <Link to="/calculations/$calculationId" params={{ calculationId }} className="button">
            {t('sale.toCalculation')}
          </Link>
          {may('ReturnService/RecordReturn') && wasCharged && (
            <button type="button" onClick={() => setReturning(true)}>
              {t('return.do')}
            </button>
          )}
          {may('MemberService/ClaimSale') && wasCharged && sale.claimedAt === undefined && isNobodys(sale) && (
            <Link to="/members" search={{ claim: calculationId }} className="button">
              {t('claim.open')}
            </Link>
          )}
        </>
      }
    >
      <p className={styles['lead']}>{leadText(t, sale)}</p>
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
        <Returns calculationId={calculationId} currency={currency} />
      </Part>
      {isReturning && <ReturnDialog sale={sale} onClose={() => setReturning(false)} />}
    </Detail>
  )
}

/** No member was found for it, or what it earns could not be counted. */
function isNobodys({ status, discrepancies }: Sale): boolean {
  return status === SaleStatus.MEMBER_NOT_FOUND || discrepancies.includes(Discrepancy.EARNING_UNKNOWN)
}

/** What was paid and given off, in one sentence, and how much of the rest agrees. */
function leadText(t: Words, { status, paidTotal, loyaltyDiscountTotal, currency, discrepancies }: Sale): string {
  const money = (minor: bigint) => moneyText({ t, currency }, minor)
  const paid =
    status === SaleStatus.CANCELLED
      ? t('sale.leadCancelled')
      : paidTotal === undefined
        ? t('sale.leadUnpaid')
        : t('sale.leadPaid', { paid: money(paidTotal), discount: money(loyaltyDiscountTotal ?? 0n) })
  const { length: count } = discrepancies
  return `${paid} ${count === 0 ? t('sale.leadAgrees') : t('sale.leadDisagrees', { count })}`
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
        [t('sale.status'), wordOf(t, 'saleStatus', SaleStatus, sale.status) + failure],
        [t('sale.result'), wordOf(t, 'saleResult', SaleResult, sale.result)],
        [t('sale.paid'), money(paidTotal)],
        [t('sale.discount'), money(loyaltyDiscountTotal)],
        [t('sale.venue'), venue],
        [t('sale.register'), sale.cashRegisterId],
        [t('sale.receipt'), sale.receiptNumber === undefined ? t('sale.notSaid') : String(sale.receiptNumber)],
        [t('sale.transaction'), sale.transactionId ?? t('sale.notSaid')],
        [t('sale.loyaltyId'), sale.loyaltyId ?? t('calculation.nobody')],
        [t('sale.recordedAt'), <Time key="at" at={sale.recordedAt} venueId={sale.venueId} />],
        ...(sale.claimedAt === undefined
          ? []
          : [[t('sale.claimedAt'), <Time key="claimed" at={sale.claimedAt} venueId={sale.venueId} />] as const]),
      ]}
    />
  )
}
