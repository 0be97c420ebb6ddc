import { type UseQueryResult, useQuery } from '@tanstack/react-query'
import { type ReactNode, useEffect, useState } from 'react'
import { sessionQuery } from '../api/session.js'
import { readError } from '../api/transport.js'
import { type MessageKey, useWords, type Words } from '../i18n/words.js'
import { Button } from './controls.js'
import styles from './states.module.css'
import { Id } from './values.js'

const skeletonAfterMs = 150

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

export function Empty({ why, children }: { readonly why: string; readonly children?: ReactNode }) {
  return (
    <div className={styles['empty']}>
      <p>{why}</p>
      {children !== undefined && <div className="muted">{children}</div>}
    </div>
  )
}

interface NoPermissionProps {
  /** Roles that may, comma-separated, by the service's names; absent: not known. */
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

interface ErrorPanelProps {
  readonly cause: unknown
  /** Absent: a retry makes no sense. */
  readonly onRetry?: () => void
}

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
          <strong>{fieldName(t, field)}</strong>: {description}
        </p>
      ))}
      {error.requestId !== null && (
        <p className="muted small">
          {t('error.requestId')} <Id id={error.requestId} />
        </p>
      )}
      {onRetry !== undefined && <Button onClick={onRetry} text={t('error.again')} />}
    </div>
  )
}

/** Labels in dialogs of the fields of changes. */
const dialogLabels: Readonly<Record<string, MessageKey>> = {
  amount: 'field.amount',
  birthday: 'edit.birthday',
  calculation_id: 'claim.sale',
  code: 'grant.code',
  currency_id: 'field.currency',
  expires_at: 'field.expires',
  from_currency_id: 'exchange.what',
  joined_on: 'member.joinedOn',
  lines: 'return.quantity',
  loyalty_id: 'move.card',
  loyalty_ids: 'card.new',
  note: 'propose.note',
  quantity_thousandths: 'return.quantity',
  reason: 'dialog.reason',
  reference: 'return.reference',
  segments: 'edit.segments',
  tier: 'field.tier',
  times: 'exchange.times',
  until: 'adjust.lastDay',
  url: 'webhooks.url',
}
const ofProgramme = /^(benefits|collections|currencies|document|draft_document|earning|exchanges|guards|tiers|venues)\b/

/** The label of a field in an error, such as `members[0].loyalty_ids[0]`: of its last part. */
function fieldName(t: Words, field: string): string {
  const snake = field
    .split('.')
    .at(-1)!
    .replace(/\[\d+\]$/, '')
  const dialogLabel = ofProgramme.test(field) ? undefined : dialogLabels[snake]
  if (dialogLabel !== undefined) return t(dialogLabel)
  const name = snake.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase())
  const label = t.of('field', name)
  return label === name ? snake.replaceAll('_', ' ') : label
}

interface WaitingProps {
  readonly query: Pick<UseQueryResult<unknown, unknown>, 'isPending' | 'isError' | 'error'> & {
    readonly refetch: () => unknown
  }
  readonly lines?: number
}

/** A query without an answer: bars while it runs, then its error. */
export function Waiting({ query, lines = 6 }: WaitingProps) {
  if (query.isPending) return <Skeleton lines={lines} />
  return query.isError && <ErrorPanel cause={query.error} onRetry={() => void query.refetch()} />
}
