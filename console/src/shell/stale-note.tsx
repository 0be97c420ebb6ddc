import { type Query, useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { ledgerTime } from '../api/clock.js'
import { isPreview } from '../api/use-commands.js'
import { useWords } from '../i18n/words.js'
import { Time } from '../parts/time.js'
import styles from './shell.module.css'

/** What is older than this and does not come by itself is offered anew, in milliseconds. */
const freshMs = 5 * 60_000
const lookedMs = 15_000

/** Says how old the screen is once it is old, or could not be asked for anew, and offers to ask. */
export function StaleNote() {
  const t = useWords()
  const queryClient = useQueryClient()
  const [stale, setStale] = useState<Stale | null>(null)
  useEffect(() => {
    const look = () => setStale((before) => kept(before, staleOf(queryClient.getQueryCache().getAll())))
    let soon: ReturnType<typeof setTimeout> | undefined
    // Some of what it reports happens while a screen is drawn.
    const unsubscribe = queryClient.getQueryCache().subscribe(() => {
      clearTimeout(soon)
      soon = setTimeout(look)
    })
    const timer = setInterval(look, lookedMs)
    return () => {
      unsubscribe()
      clearTimeout(soon)
      clearInterval(timer)
    }
  }, [queryClient])
  if (stale === null) return null
  return (
    <p className={styles['banner']} role="status">
      <span>
        {t(stale.isFailed ? 'age.failed' : 'age.old')} <Time at={ledgerTime(stale.shownMs)} show="time" />
      </span>
      <button
        type="button"
        onClick={() =>
          void queryClient.refetchQueries({ type: 'active', stale: true, predicate: (query) => !isPreview(query) })
        }
      >
        {t('age.refresh')}
      </button>
    </p>
  )
}

interface Stale {
  /** When the oldest of what is shown came, by the clock of this computer. */
  readonly shownMs: number
  /** It was asked for anew, in vain. */
  readonly isFailed: boolean
}

/** null: everything that is shown is new enough. */
function staleOf(queries: readonly Query[]): Stale | null {
  const old = queries.filter(
    (query) => !isPreview(query) && query.isActive() && query.state.data !== undefined && query.isStale(),
  )
  const failed = old.filter(({ state }) => state.fetchStatus === 'idle' && state.fetchFailureCount > 0)
  const stale = failed.length > 0 ? failed : old.filter(isLeftBehind)
  if (stale.length === 0) return null
  return { shownMs: Math.min(...stale.map(({ state }) => state.dataUpdatedAt)), isFailed: failed.length > 0 }
}

/** A screen whose news come by themselves says so where they stop. */
function isLeftBehind({ meta, state }: Query): boolean {
  return meta?.['comesByItself'] !== true && Date.now() - state.dataUpdatedAt > freshMs
}

/** The same object where nothing is different: nothing is drawn anew. */
function kept(before: Stale | null, now: Stale | null): Stale | null {
  return before?.shownMs === now?.shownMs && before?.isFailed === now?.isFailed ? before : now
}
