import { useQuery } from '@connectrpc/connect-query'
import { SaleStatus } from '../../../../gateway/gen/loyalty/v1/enums_pb.js'
import { type Sale, SaleService } from '../../../../gateway/gen/loyalty/v1/sale_service_pb.js'
import { useProgrammeNames } from '../../api/programme.js'
import { useCommands } from '../../api/use-commands.js'
import { useWords } from '../../i18n/words.js'
import { AuditRecord } from '../../parts/audit-record.js'
import { CommandDialog } from '../../parts/command-dialog.js'
import { wordOf } from '../../parts/enum-word.js'
import { ErrorPanel } from '../../parts/error-panel.js'
import { Money } from '../../parts/money.js'
import { Time } from '../../parts/time.js'
import { useDraft } from '../../parts/use-draft.js'
import { valueText } from '../calculations/reasons.js'
import type { ActionProps } from './action-props.js'
import styles from './members.module.css'

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** Gives a member what a sale earns that nobody has earned by. */
export function ClaimDialog({ member, onClose }: ActionProps) {
  const t = useWords()
  const { members, changed } = useCommands()
  const names = useProgrammeNames(0)
  const { memberId } = member
  const [typed, setTyped, forget] = useDraft(`claim/${memberId}/sale`, '')
  const calculationId = typed.trim().toLowerCase()
  const isId = uuid.test(calculationId)
  const query = useQuery(SaleService.method.getSale, { calculationId }, { enabled: isId })
  const sale = isId ? query.data?.sale : undefined
  return (
    <CommandDialog
      title={t('claim.title', { member: memberId })}
      verb={t('action.claim')}
      draftKey={`claim/${memberId}`}
      isReady={sale !== undefined && sale.claimedAt === undefined}
      onClose={onClose}
      run={async ({ requestId, reason }) => {
        const member = { by: { case: 'memberId' as const, value: memberId } }
        const { given } = await members.claimSale({ requestId, member, calculationId, reason })
        forget()
        await changed()
        return (
          <>
            <p>{given.length === 0 ? t('claim.nothing') : t('claim.done')}</p>
            <ul>
              {given.map(({ currencyId, amount }) => (
                <li key={currencyId} className="gained">
                  +{valueText({ t, names }, currencyId, amount)}
                </li>
              ))}
            </ul>
            <AuditRecord requestId={requestId} />
          </>
        )
      }}
    >
      <label>
        {t('claim.sale')}
        <input value={typed} onChange={(event) => setTyped(event.target.value)} required />
      </label>
      {isId && query.isError && <ErrorPanel cause={query.error} />}
      {sale !== undefined && <SaleLine sale={sale} />}
    </CommandDialog>
  )
}

function SaleLine({ sale }: { readonly sale: Sale }) {
  const t = useWords()
  const { status, venueId, recordedAt, paidTotal, currency, loyaltyId, claimedAt } = sale
  return (
    <div className={styles['change']}>
      <p>
        {wordOf(t, 'saleStatus', SaleStatus, status)}, {venueId}, <Time at={recordedAt} venueId={venueId} />
        {paidTotal !== undefined && (
          <>
            , <Money minor={paidTotal} currency={currency} withCurrency />
          </>
        )}
      </p>
      <p className={loyaltyId === undefined && claimedAt === undefined ? 'muted' : 'lost'}>
        {claimedAt !== undefined
          ? t('claim.already')
          : loyaltyId === undefined
            ? t('claim.nobody')
            : t('claim.hasLoyaltyId', { loyaltyId })}
      </p>
    </div>
  )
}
