import { createClient } from '@connectrpc/connect'
import { useQuery, useTransport } from '@connectrpc/connect-query'
import { useQuery as usePlainQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { SaleStatus } from '../../../../gateway/gen/loyalty/v1/enums_pb.js'
import { MemberService } from '../../../../gateway/gen/loyalty/v1/member_service_pb.js'
import type { ClaimedValue } from '../../../../gateway/gen/loyalty/v1/sale_claim_pb.js'
import { type Sale, SaleService } from '../../../../gateway/gen/loyalty/v1/sale_service_pb.js'
import { memberRef, useProgrammeNames } from '../../api/programme.js'
import { preview } from '../../api/query-client.js'
import { isNotFound, newId } from '../../api/transport.js'
import { useCommands } from '../../api/use-commands.js'
import { useVenueNames } from '../../api/venues.js'
import { useWords } from '../../i18n/words.js'
import { CommandDialog } from '../../parts/command-dialog.js'
import { Field } from '../../parts/controls.js'
import { formatScaled } from '../../parts/scaled.js'
import { ErrorPanel, Skeleton } from '../../parts/states.js'
import { useDraft } from '../../parts/use-draft.js'
import { Money, Time, wordOf } from '../../parts/values.js'
import { priceOf, valueText } from '../calculations/reasons.js'
import type { ActionProps } from './action-props.js'
import { debtPaid } from './last-day.js'
import styles from './members.module.css'

interface ClaimDialogProps extends ActionProps {
  /** Calculation of the sale; undefined: searched by the data on the receipt. */
  readonly sale: string | undefined
}

export function ClaimDialog({ member, accounts, sale: given, onClose }: ClaimDialogProps) {
  const t = useWords()
  const { members } = useCommands()
  const names = useProgrammeNames(0)
  const { memberId } = member
  const name = memberRef(memberId)
  const [typed, setTyped] = useDraft(`claim/${memberId}/${given ?? 'sale'}`, given ?? '')
  const [chosenId, setChosenId] = useState('')
  const found = useSales(typed.trim())
  const sales = found.data ?? []
  const chosen = sales.find((one) => one.calculationId === chosenId)
  const sale = chosen ?? (sales.length === 1 ? sales[0]! : null)
  const [dryRunId] = useState(newId)
  const calculationId = sale?.calculationId ?? ''
  const dryRun = useQuery(
    MemberService.method.claimSale,
    { requestId: dryRunId, member: name, calculationId, dryRun: true },
    { ...preview, enabled: sale !== null },
  )
  return (
    <CommandDialog
      title={t('claim.title', { member: memberId })}
      verb={t('action.claim')}
      draftKey={`claim/${memberId}`}
      isReady={sale !== null && dryRun.isSuccess}
      startsAtReason={given !== undefined}
      onClose={onClose}
      run={async ({ requestId, reason }) => {
        const { given: value } = await members.claimSale({ requestId, member: name, calculationId, reason })
        return (
          <>
            <p>{t(value.length === 0 ? 'claim.nothing' : 'claim.done')}</p>
            <ul>
              {value.map(({ currencyId, amount }) => (
                <li key={currencyId} className="gained">
                  +{valueText({ t, names }, currencyId, amount)}
                </li>
              ))}
            </ul>
          </>
        )
      }}
    >
      <SalePicker typed={typed} onTyped={setTyped} found={found} sale={sale} onChoose={setChosenId} />
      {sale !== null && dryRun.isPending && <Skeleton lines={1} />}
      {sale !== null && dryRun.isError && <ErrorPanel cause={dryRun.error} />}
      {sale !== null && dryRun.isSuccess && <Preview given={dryRun.data.given} accounts={accounts} />}
    </CommandDialog>
  )
}

interface PreviewProps {
  readonly given: readonly ClaimedValue[]
  readonly accounts: ActionProps['accounts']
}

function Preview({ given, accounts }: PreviewProps) {
  const t = useWords()
  const names = useProgrammeNames(0)
  if (given.length === 0) return <p className="box">{t('claim.wouldNothing')}</p>
  return (
    <div role="status">
      <ul className="box">
        {given.map(({ currencyId, amount }) => {
          const scale = names.currencies.get(currencyId)?.scale ?? 0
          const shown = (size: bigint) => formatScaled(size, scale, t.locale)
          const has = accounts.find((account) => account.currencyId === currencyId)
          const price = priceOf(names, currencyId)
          const before = (has?.available ?? 0n) + (has?.pending ?? 0n)
          const values = {
            value: valueText({ t, names }, currencyId, amount),
            before: shown(before),
            after: shown(before + amount - debtPaid(has, amount)),
          }
          return (
            <li key={currencyId}>
              {t('claim.would', values)}
              {price !== null && ` ${t('claim.buys', { price: shown(price.amount), buys: price.buys })}`}
            </li>
          )
        })}
      </ul>
    </div>
  )
}

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i
const receipt = /^\d{1,15}$/
/** Receipt numbers repeat across venues and years: guests usually have the newest sales. */
const shownMax = 10

interface SalePickerProps {
  readonly typed: string
  readonly onTyped: (typed: string) => void
  readonly found: ReturnType<typeof useSales>
  /** null: none is chosen. */
  readonly sale: Sale | null
  readonly onChoose: (calculationId: string) => void
}

function SalePicker({ typed, onTyped, found, sale, onChoose }: SalePickerProps) {
  const t = useWords()
  const sales = found.data ?? []
  return (
    <>
      <Field label={t('claim.sale')} value={typed} required onText={onTyped} />
      {found.isLoading && <Skeleton lines={1} />}
      {found.isError && <ErrorPanel cause={found.error} />}
      {found.isSuccess && sales.length === 0 && <p role="status">{t('claim.notFound', { typed: typed.trim() })}</p>}
      {sales.length > 0 && (
        <fieldset className={`box ${styles['choices']}`}>
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

function useSales(wanted: string) {
  const sales = createClient(SaleService, useTransport())
  return usePlainQuery({
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

function SaleLine({ sale }: { readonly sale: Sale }) {
  const t = useWords()
  const venueName = useVenueNames()
  const { status, venueId, cashRegisterId, recordedAt, paidTotal, currency, loyaltyId, claimedAt } = sale
  return (
    <>
      {t('answers.register', { venue: venueName(venueId), register: cashRegisterId })},{' '}
      <Time at={recordedAt} venueId={venueId} />
      {paidTotal !== undefined && (
        <>
          , <Money minor={paidTotal} currency={currency} withCurrency />
        </>
      )}
      , {wordOf(t, 'status', SaleStatus, status)}
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
