import { Fragment } from 'react'
import { type MessageKey, useWords } from '../i18n/words.js'
import { Dialog } from '../parts/command-dialog.js'
import styles from './shell.module.css'

const keys: readonly (readonly [key: string, what: MessageKey])[] = [
  ['Ctrl K', 'keys.search'],
  ['/', 'keys.filter'],
  ['j', 'keys.down'],
  ['k', 'keys.up'],
  ['Enter', 'keys.open'],
  ['Esc', 'keys.close'],
  ['?', 'keys.help'],
]

/** What each key does. */
export function KeysDialog({ onClose }: { readonly onClose: () => void }) {
  const t = useWords()
  return (
    <Dialog title={t('keys.title')} onClose={onClose}>
      <dl className={styles['keys']}>
        {keys.map(([key, what]) => (
          <Fragment key={key}>
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{t(what)}</dd>
          </Fragment>
        ))}
      </dl>
      <button type="button" onClick={onClose}>
        {t('dialog.close')}
      </button>
    </Dialog>
  )
}
