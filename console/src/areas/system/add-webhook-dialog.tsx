import { useState } from 'react'
import { useCommands } from '../../api/use-commands.js'
import { useWords } from '../../i18n/words.js'
import { AuditRecord } from '../../parts/audit-record.js'
import { CommandDialog } from '../../parts/command-dialog.js'
import { useDraft } from '../../parts/use-draft.js'
import styles from './system.module.css'

/** Types of events, as docs/api.md has them. */
const types = [
  'value.earned',
  'value.opened',
  'value.expiring',
  'value.expired',
  'value.spent',
  'value.returned',
  'value.issued',
  'value.claimed',
  'value.adjusted',
  'value.transferred',
  'value.imported',
  'value.merged',
  'value.forfeited',
  'reward.activated',
  'reward.used',
  'reward.cancelled',
  'tier.changed',
  'budget.reached',
]

/** Sends events to an address from now on; the secret of their signatures is shown once. */
export function AddWebhookDialog({ onClose }: { readonly onClose: () => void }) {
  const t = useWords()
  const { events, changed } = useCommands()
  const [url, setUrl, forget] = useDraft('webhook/url', '')
  const [chosen, setChosen] = useState<readonly string[]>([])
  const toggle = (type: string) =>
    setChosen(chosen.includes(type) ? chosen.filter((other) => other !== type) : [...chosen, type])
  return (
    <CommandDialog
      title={t('addWebhook.title')}
      verb={t('addWebhook.do')}
      draftKey="webhook"
      withReason={false}
      isReady={/^https?:\/\/./.test(url.trim())}
      onClose={onClose}
      run={async ({ requestId }) => {
        const { secret } = await events.createWebhook({ requestId, url: url.trim(), types: [...chosen] })
        forget()
        await changed()
        return (
          <>
            <p>{t('addWebhook.done')}</p>
            <p>
              <code className={styles['secret']}>{secret}</code>
            </p>
            <AuditRecord requestId={requestId} />
          </>
        )
      }}
    >
      <label>
        {t('webhooks.url')}
        <input type="url" value={url} onChange={(event) => setUrl(event.target.value)} required />
      </label>
      <fieldset className={styles['types']}>
        <legend>{t('webhooks.types')}</legend>
        {types.map((type) => (
          <label key={type}>
            <input type="checkbox" checked={chosen.includes(type)} onChange={() => toggle(type)} />
            <code>{type}</code>
          </label>
        ))}
      </fieldset>
      <p className={styles['change']}>
        {chosen.length === 0 ? t('addWebhook.whatAll') : t('addWebhook.what', { count: chosen.length })}
      </p>
    </CommandDialog>
  )
}
