import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import type { Webhook } from '../../../../gateway/gen/loyalty/v1/event_service_pb.js'
import { useCommands } from '../../api/use-commands.js'
import { useWords } from '../../i18n/words.js'
import { AuditRecord } from '../../parts/audit-record.js'
import { CommandDialog } from '../../parts/command-dialog.js'
import styles from './system.module.css'

interface DeleteWebhookDialogProps {
  readonly webhook: Webhook
  readonly onClose: () => void
}

/** Ends a webhook, with what it was still to be sent. */
export function DeleteWebhookDialog({ webhook, onClose }: DeleteWebhookDialogProps) {
  const t = useWords()
  const navigate = useNavigate()
  const { events, changed } = useCommands()
  const [isDone, setDone] = useState(false)
  const { webhookId, url, pending, failed } = webhook
  const close = () => {
    onClose()
    if (!isDone) return
    void changed()
    void navigate({ to: '/system/webhooks' })
  }
  return (
    <CommandDialog
      title={t('deleteWebhook.title')}
      verb={t('deleteWebhook.do')}
      draftKey={`deleteWebhook/${webhookId}`}
      withReason={false}
      onClose={close}
      run={async ({ requestId }) => {
        await events.deleteWebhook({ requestId, webhookId })
        // The list is asked for again when this is closed: the webhook behind it goes with it.
        setDone(true)
        return (
          <>
            <p>{t('deleteWebhook.done', { url })}</p>
            <AuditRecord requestId={requestId} />
          </>
        )
      }}
    >
      <p className={styles['change']}>{t('deleteWebhook.what', { url, pending, failed })}</p>
    </CommandDialog>
  )
}
