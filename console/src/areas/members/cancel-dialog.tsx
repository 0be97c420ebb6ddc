import type { Movement } from '../../../../gateway/gen/loyalty/v1/value_service_pb.js'
import { useProgrammeNames } from '../../api/programme.js'
import { useCommands } from '../../api/use-commands.js'
import { useWords } from '../../i18n/words.js'
import { AuditRecord } from '../../parts/audit-record.js'
import { CommandDialog } from '../../parts/command-dialog.js'
import { Time } from '../../parts/time.js'
import { valueText } from '../calculations/reasons.js'
import styles from './members.module.css'

interface CancelDialogProps {
  /** What the exchange did to each of both accounts. */
  readonly movements: readonly Movement[]
  readonly onClose: () => void
}

/** Takes back what is unused of an exchange. */
export function CancelDialog({ movements, onClose }: CancelDialogProps) {
  const t = useWords()
  const { rewards, changed } = useCommands()
  const names = useProgrammeNames(0)
  const [{ movementId, at }] = movements as readonly [Movement]
  return (
    <CommandDialog
      title={t('cancel.title')}
      verb={t('cancel.do')}
      draftKey={`cancel/${movementId}`}
      onClose={onClose}
      run={async ({ requestId, reason }) => {
        const { times } = await rewards.cancelActivation({ requestId, activationId: movementId, reason })
        await changed()
        return (
          <>
            <p>{t('cancel.done', { count: times })}</p>
            <AuditRecord requestId={requestId} />
          </>
        )
      }}
    >
      <p>{t('cancel.what')}</p>
      <ul className={styles['change']}>
        <li>
          <Time at={at} />
        </li>
        {movements.map(({ currencyId, amount }) => (
          <li key={currencyId} className={amount > 0n ? 'lost' : 'gained'}>
            {amount > 0n ? '−' : '+'}
            {t('cancel.atMost', { value: valueText({ t, names }, currencyId, amount < 0n ? -amount : amount) })}
          </li>
        ))}
      </ul>
    </CommandDialog>
  )
}
