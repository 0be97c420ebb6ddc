import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useEffect, useState } from 'react'
import { sessionQuery } from '../api/session.js'
import { useWords } from '../i18n/words.js'
import styles from './states.module.css'

/** What loads faster shows nothing in between. */
const skeletonAfterMs = 150

/** Grey bars where text will be. */
export function Skeleton({ lines = 6 }: { readonly lines?: number }) {
  const t = useWords()
  const [isLate, setLate] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setLate(true), skeletonAfterMs)
    return () => clearTimeout(timer)
  }, [])
  if (!isLate) return null
  return (
    <div className={styles['skeleton']} role="status">
      <span className="hidden">{t('state.loading')}</span>
      {Array.from({ length: lines }, (_, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: bars are all alike
        <div key={at} />
      ))}
    </div>
  )
}

interface EmptyProps {
  /** Why there is nothing. */
  readonly why: string
  /** What to do about it. */
  readonly children?: ReactNode
}

export function Empty({ why, children }: EmptyProps) {
  return (
    <div className={styles['empty']}>
      <p>{why}</p>
      {children !== undefined && <div className="muted">{children}</div>}
    </div>
  )
}

interface NoPermissionProps {
  /** Those that may, comma-separated, as the service names them; absent: not known. */
  readonly roles?: string | undefined
}

export function NoPermission({ roles = '' }: NoPermissionProps) {
  const t = useWords()
  const own = useQuery(sessionQuery).data?.role
  return (
    <div className={styles['empty']} role="alert">
      <h2>{t('noPermission.title')}</h2>
      {roles !== '' && own !== undefined && <p>{t('noPermission.who', { roles: roles.split(',').join(', '), own })}</p>}
      <p className="muted">{t('noPermission.what')}</p>
    </div>
  )
}
