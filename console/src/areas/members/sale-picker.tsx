import { createClient } from '@connectrpc/connect'
import { useTransport } from '@connectrpc/connect-query'
import { useQuery } from '@tanstack/react-query'
import { SaleStatus } from '../../../../gateway/gen/loyalty/v1/enums_pb.js'
import { type Sale, SaleService } from '../../../../gateway/gen/loyalty/v1/sale_service_pb.js'
import { isNotFound } from '../../api/read-error.js'
import { useVenues } from '../../api/venues.js'
import { useWords } from '../../i18n/words.js'
import { wordOf } from '../../parts/enum-word.js'
import { ErrorPanel } from '../../parts/error-panel.js'
import { Money } from '../../parts/money.js'
import { Skeleton } from '../../parts/states.js'
import { Time } from '../../parts/time.js'
import styles from './members.module.css'

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i
const receipt = /^\d{1,15}$/
/** A receipt number comes again in every venue and year: the newest are the ones that a guest has in hand. */
const shownMax = 10

interface SalePickerProps {
  readonly typed: string
  readonly onTyped: (typed: string) => void
  readonly found: ReturnType<typeof useSales>
  /** null: none is chosen. */
  readonly sale: Sale | null
  readonly onChoose: (calculationId: string) => void
}

/** Finds a sale by what a guest reads off the receipt; of several one is chosen. */
export function SalePicker({ typed, onTyped, found, sale, onChoose }: SalePickerProps) {
  const t = useWords()
  const sales = found.data ?? []
  return (
    <>
      <label>
        {t('claim.sale')}
        <input value={typed} onChange={({ target }) => onTyped(target.value)} required />
      </label>
      {found.isLoading && <Skeleton lines={1} />}
      {found.isError && <ErrorPanel cause={found.error} />}
      {found.isSuccess && sales.length === 0 && <p role="status">{t('claim.notFound', { typed: typed.trim() })}</p>}
      {sales.length > 0 && (
        <fieldset className={styles['choices']}>
          <legend>{t(sales.length === 1 ? 'claim.found' : 'claim.choose')}</legend>
          {sales.map((one) => (
            <label key={one.calculationId}>
              <input
                type="radio"
                name="sale"
                checked={sale?.calculationId === one.calculationId}
                onChange={() => onChoose(one.calculationId)}
              />
              <span>
                <SaleLine sale={one} />
              </span>
            </label>
          ))}
        </fieldset>
      )}
    </>
  )
}

/** Sales of a receipt number, a transaction or a calculation. */
export function useSales(wanted: string) {
  const sales = createClient(SaleService, useTransport())
  return useQuery({
    queryKey: ['sales', 'named', wanted],
    enabled: wanted !== '',
    queryFn: async (): Promise<readonly Sale[]> => {
      if (uuid.test(wanted)) {
        try {
          const { sale } = await sales.getSale({ calculationId: wanted.toLowerCase() })
          return sale === undefined ? [] : [sale]
        } catch (cause) {
          if (isNotFound(cause)) return []
          throw cause
        }
      }
      const pageSize = shownMax
      const found = await Promise.all([
        receipt.test(wanted) ? sales.listSales({ receiptNumber: BigInt(wanted), pageSize }) : { sales: [] },
        wanted.length <= 64 ? sales.listSales({ transactionId: wanted, pageSize }) : { sales: [] },
      ])
      const all = found.flatMap((page) => page.sales)
      return all.filter((one, at) => all.findIndex(({ calculationId }) => calculationId === one.calculationId) === at)
    },
  })
}

/** Venue, register, time, what was paid, and whose card was shown. */
function SaleLine({ sale }: { readonly sale: Sale }) {
  const t = useWords()
  const venues = useVenues()
  const { status, venueId, cashRegisterId, recordedAt, paidTotal, currency, loyaltyId, claimedAt } = sale
  const venue = venues.find((one) => one.venueId === venueId)?.name || venueId
  return (
    <>
      {t('claim.at', { venue, register: cashRegisterId })}, <Time at={recordedAt} venueId={venueId} />
      {paidTotal !== undefined && (
        <>
          , <Money minor={paidTotal} currency={currency} withCurrency />
        </>
      )}
      , {wordOf(t, 'saleStatus', SaleStatus, status)}
      <span className={`${styles['note']} ${loyaltyId === undefined && claimedAt === undefined ? 'muted' : 'lost'}`}>
        {claimedAt !== undefined
          ? t('claim.already')
          : loyaltyId === undefined
            ? t('claim.nobody')
            : t('claim.hasLoyaltyId', { loyaltyId })}
      </span>
    </>
  )
}
