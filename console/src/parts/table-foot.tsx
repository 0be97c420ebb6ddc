import { useWords } from '../i18n/words.js'
import styles from './table.module.css'

interface FootProps {
  readonly count: number
  readonly onMore: (() => void) | undefined
  readonly isLoadingMore: boolean
}

/** How many rows are shown, and the way to more of them. */
export function TableFoot({ count, onMore, isLoadingMore }: FootProps) {
  const t = useWords()
  return (
    <div className={styles['foot']}>
      <span className="muted small" role="status">
        {t('table.rows', { count })}
      </span>
      {onMore !== undefined && (
        <button type="button" onClick={onMore} disabled={isLoadingMore}>
          {t('table.more')}
        </button>
      )}
    </div>
  )
}
