import { useQuery } from '@connectrpc/connect-query'
import { useState } from 'react'
import { type ClaimedValue, MemberService } from '../../../../gateway/gen/loyalty/v1/member_service_pb.js'
import { newId } from '../../api/new-id.js'
import { useProgrammeNames } from '../../api/programme.js'
import { preview, useCommands } from '../../api/use-commands.js'
import { useWords } from '../../i18n/words.js'
import { AuditRecord } from '../../parts/audit-record.js'
import { CommandDialog } from '../../parts/command-dialog.js'
import { ErrorPanel } from '../../parts/error-panel.js'
import { formatScaled } from '../../parts/scaled.js'
import { Skeleton } from '../../parts/states.js'
import { useDraft } from '../../parts/use-draft.js'
import { priceOf } from '../calculations/price-of.js'
import { valueText } from '../calculations/reasons.js'
import type { ActionProps } from './action-props.js'
import { debtPaid } from './debt-paid.js'
import styles from './members.module.css'
import { SalePicker, useSales } from './sale-picker.js'

interface ClaimDialogProps extends ActionProps {
  /** Of the calculation; undefined: it is looked for by what stands on the receipt. */
  readonly sale: string | undefined
}

/** Gives a member what a sale earns that nobody has earned by; a dry run says before what that is. */
export function ClaimDialog({ member, accounts, sale: given, onClose }: ClaimDialogProps) {
  const t = useWords()
  const { members, changed } = useCommands()
  const names = useProgrammeNames(0)
  const { memberId } = member
  const name = { by: { case: 'memberId' as const, value: memberId } }
  const [typed, setTyped, forget] = useDraft(`claim/${memberId}/${given ?? 'sale'}`, given ?? '')
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
      onClose={onClose}
      run={async ({ requestId, reason }) => {
        const { given: value } = await members.claimSale({ requestId, member: name, calculationId, reason })
        forget()
        await changed()
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
            <AuditRecord requestId={requestId} />
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

/** What the claim would give, what there is before and after, and what that buys. */
function Preview({ given, accounts }: PreviewProps) {
  const t = useWords()
  const names = useProgrammeNames(0)
  if (given.length === 0) return <p className={styles['change']}>{t('claim.wouldNothing')}</p>
  return (
    <div role="status">
      <ul className={styles['change']}>
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
