import { useWords } from '../../i18n/words.js'
import styles from './sales.module.css'
import type { SaleFeed } from './use-sale-feed.js'

interface LiveBarProps {
  readonly feed: SaleFeed
  /** How many have come that the list does not show yet. */
  readonly unseen: number
  readonly onShow: () => void
  /** false: a list by receipt is not followed. */
  readonly isLive: boolean
}

/** Says that the list is live, and offers what has come since: rows do not move under the hand of whoever reads them. */
export function LiveBar({ feed: { cause }, unseen, onShow, isLive }: LiveBarProps) {
  const t = useWords()
  if (!isLive) return null
  return (
    <div className={styles['live']} role="status">
      <span className={cause === null ? 'muted' : 'lost'}>{t(cause === null ? 'sales.live' : 'sales.notLive')}</span>
      {unseen > 0 && (
        <button type="button" onClick={onShow}>
          {t('sales.new', { count: unseen })}
        </button>
      )}
    </div>
  )
}
