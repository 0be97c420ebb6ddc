import { Link } from '@tanstack/react-router'
import { useWords } from '../../i18n/words.js'
import type { ProgrammeDraft } from './draft-store.js'
import styles from './programme.module.css'
import { useNewest } from './use-newest.js'

/** Says that somebody else has published since the draft was begun, and leads to what to do about it. */
export function StaleBanner({ draft }: { readonly draft: ProgrammeDraft }) {
  const t = useWords()
  const inForce = useNewest().data?.programme
  if (inForce === undefined || inForce.version <= draft.baseVersion) return null
  const values = { version: String(inForce.version), by: inForce.publishedBy, base: String(draft.baseVersion) }
  return (
    <p className={styles['banner']} role="status">
      <span>{t('stale.banner', values)}</span>
      <Link to="/programme/draft/take-over" className="button">
        {t('stale.takeOver')}
      </Link>
    </p>
  )
}
