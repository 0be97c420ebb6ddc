import type { Webhook } from '../../../../gateway/gen/loyalty/v1/event_service_pb.js'
import { useCommands } from '../../api/use-commands.js'
import { useWords } from '../../i18n/words.js'
import { AuditRecord } from '../../parts/audit-record.js'
import { CommandDialog } from '../../parts/command-dialog.js'
import styles from './system.module.css'

interface RedeliverDialogProps {
  readonly webhook: Webhook
  /** Empty: those that were given up. */
  readonly eventIds: readonly string[]
  readonly onClose: () => void
}

/** As many events as one call sends again. */
const eventsMax = 1_000n

/** Sends events to a webhook once more. */
export function RedeliverDialog({ webhook, eventIds, onClose }: RedeliverDialogProps) {
  const t = useWords()
  const { events, changed } = useCommands()
  const { webhookId, url, failed } = webhook
  const count = eventIds.length > 0 ? BigInt(eventIds.length) : failed < eventsMax ? failed : eventsMax
  return (
    <CommandDialog
      title={t('redeliver.title')}
      verb={t('redeliver.do')}
      draftKey={`redeliver/${webhookId}`}
      withReason={false}
      onClose={onClose}
      run={async ({ requestId }) => {
        const reply = await events.redeliverEvents({ requestId, webhookId, eventIds: [...eventIds] })
        await changed()
        return (
          <>
            <p>{t('redeliver.done', { count: reply.events })}</p>
            <AuditRecord requestId={requestId} />
          </>
        )
      }}
    >
      <p className={styles['change']}>{t('redeliver.what', { count, url })}</p>
    </CommandDialog>
  )
}
