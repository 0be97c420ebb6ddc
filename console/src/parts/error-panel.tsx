import { readError } from '../api/read-error.js'
import { useWords } from '../i18n/words.js'
import styles from './error-panel.module.css'
import { Id } from './id.js'
import { NoPermission } from './states.js'

interface ErrorPanelProps {
  readonly cause: unknown
  /** Absent: it makes no sense to try again. */
  readonly onRetry?: () => void
}

/** What went wrong, the id under which the service's log has it, and a way to try again. */
export function ErrorPanel({ cause, onRetry }: ErrorPanelProps) {
  const t = useWords()
  const error = readError(cause)
  if (error.isNoPermission) return <NoPermission roles={error.metadata['roles']} />
  return (
    <div className={styles['panel']} role="alert">
      <h2>{t.of('fault', error.reason)}</h2>
      {error.violations.length === 0 && error.message !== '' && <p className="muted">{error.message}</p>}
      {error.violations.map(({ field, description }) => (
        <p key={field}>
          <code>{field}</code> {description}
        </p>
      ))}
      {error.requestId !== null && (
        <p className="muted small">
          {t('error.requestId')} <Id id={error.requestId} />
        </p>
      )}
      {onRetry !== undefined && (
        <button type="button" onClick={onRetry}>
          {t('error.again')}
        </button>
      )}
    </div>
  )
}
