import { useBlocker } from '@tanstack/react-router'
import { useWords } from '../../i18n/words.js'
import { Dialog } from '../../parts/command-dialog.js'
import styles from './programme.module.css'

/** Asks whoever leaves a draft that is not published. */
export function LeaveDialog({ isChanged }: { readonly isChanged: boolean }) {
  const t = useWords()
  const blocker = useBlocker({
    shouldBlockFn: ({ next }) => isChanged && !next.pathname.includes('/programme/draft'),
    enableBeforeUnload: () => isChanged,
    withResolver: true,
  })
  if (blocker.status !== 'blocked') return null
  return (
    <Dialog title={t('leave.title')} onClose={blocker.reset}>
      <p>{t('leave.what')}</p>
      <div className={styles['form']}>
        <button type="button" onClick={blocker.proceed}>
          {t('leave.do')}
        </button>
        <button type="button" data-main onClick={blocker.reset}>
          {t('leave.stay')}
        </button>
      </div>
    </Dialog>
  )
}
