import { useWords } from '../../i18n/words.js'
import { CommandDialog } from '../../parts/command-dialog.js'
import { storeDraft } from './draft-store.js'

/** Throws the draft away; asks before. */
export function DropDialog({ onClose }: { readonly onClose: () => void }) {
  const t = useWords()
  return (
    <CommandDialog
      title={t('draft.dropTitle')}
      verb={t('draft.drop')}
      draftKey="drop-draft"
      withReason={false}
      onClose={onClose}
      run={async () => {
        storeDraft(null)
        return null
      }}
    >
      <p>{t('draft.dropWhat')}</p>
    </CommandDialog>
  )
}
