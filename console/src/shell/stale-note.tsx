import { type Query, useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { ledgerTime } from '../api/clock.js'
import { isPreview } from '../api/query-client.js'
import { noteReach, pauseMs, useIsAway } from '../api/transport.js'
import { useWords } from '../i18n/words.js'
import { Button } from '../parts/controls.js'
import { Time } from '../parts/values.js'

const freshMs = 5 * 60_000
const lookedMs = 15_000

export function StaleNote() {
  const t = useWords()
  const queryClient = useQueryClient()
  const [stale, setStale] = useState<Stale | null>(null)
  useEffect(() => {
    const look = () => setStale((before) => kept(before, staleOf(queryClient.getQueryCache().getAll())))
    let soon: ReturnType<typeof setTimeout> | undefined
    // It reports some events while a screen is being drawn.
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
    <p className="banner" role="status">
      <span>
        {t(stale.isFailed ? 'age.failed' : 'age.old')} <Time at={ledgerTime(stale.shownMs)} show="time" />
      </span>
      <Button
        onClick={() =>
          void queryClient.refetchQueries({ type: 'active', stale: true, predicate: (query) => !isPreview(query) })
        }
        text={t('age.refresh')}
      />
    </p>
  )
}

interface Stale {
  /** The arrival of the oldest shown data, by the clock of this computer. */
  readonly shownMs: number
  /** A new read has failed. */
  readonly isFailed: boolean
}

/** null: all shown data is new enough. */
function staleOf(queries: readonly Query[]): Stale | null {
  const old = queries.filter(
    (query) => !isPreview(query) && query.isActive() && query.state.data !== undefined && query.isStale(),
  )
  const failed = old.filter(({ state }) => state.fetchStatus === 'idle' && state.fetchFailureCount > 0)
  const stale = failed.length > 0 ? failed : old.filter(isLeftBehind)
  if (stale.length === 0) return null
  return { shownMs: Math.min(...stale.map(({ state }) => state.dataUpdatedAt)), isFailed: failed.length > 0 }
}

/** Screens with their own updates report a stop themselves. */
function isLeftBehind({ meta, state }: Query): boolean {
  return meta?.['comesByItself'] !== true && Date.now() - state.dataUpdatedAt > freshMs
}

/** The same object without a difference, so that nothing is drawn anew. */
function kept(before: Stale | null, now: Stale | null): Stale | null {
  return before?.shownMs === now?.shownMs && before?.isFailed === now?.isFailed ? before : now
}

export function AwayNote() {
  return useIsAway() ? <Away /> : null
}

function Away() {
  const t = useWords()
  const queryClient = useQueryClient()
  const [failures, setFailures] = useState(1)
  const [leftMs, setLeftMs] = useState(pauseMs(1))
  const isAsking = leftMs <= 0
  useEffect(() => {
    if (!isAsking) {
      const timer = setTimeout(() => setLeftMs(leftMs - stepMs), stepMs)
      return () => clearTimeout(timer)
    }
    const gone = new AbortController()
    void isThere(gone.signal).then((there) => {
      if (gone.signal.aborted) return
      if (there) {
        noteReach(true)
        void queryClient.invalidateQueries()
        return
      }
      setFailures(failures + 1)
      setLeftMs(pauseMs(failures + 1))
    })
    return () => gone.abort()
  }, [isAsking, leftMs, failures, queryClient])
  return (
    <p className="banner" role="alert">
      <span>
        {t('away.what')}{' '}
        <span className="muted">
          {isAsking ? t('away.asking') : t('away.again', { count: Math.ceil(leftMs / stepMs) })}
        </span>
      </span>
      <Button onClick={() => setLeftMs(0)} disabled={isAsking} text={t('away.now')} />
    </p>
  )
}

const stepMs = 1_000

async function isThere(signal: AbortSignal): Promise<boolean> {
  try {
    return (await fetch('/health/live', { signal, cache: 'no-store' })).ok
  } catch {
    return false
  }
}

const askMs = 5 * 60_000
let firstTag: string | null = null

export function NewVersion() {
  const t = useWords()
  const { data: isStale } = useQuery({
    queryKey: ['version'],
    queryFn: async () => {
      const { headers } = await fetch('/console', { method: 'HEAD', cache: 'no-store' })
      firstTag ??= headers.get('etag')
      return headers.get('etag') !== firstTag
    },
    refetchInterval: askMs,
    retry: false,
  })
  if (isStale !== true) return null
  return (
    <p className="banner" role="status">
      {t('version.new')}
      <Button onClick={() => location.reload()} text={t('version.load')} />
    </p>
  )
}
