import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { noteReach, pauseMs, useIsAway } from '../api/reach.js'
import { useWords } from '../i18n/words.js'
import styles from './shell.module.css'

/** Says that the service cannot be reached, tries again by itself, and asks for everything on the screen once it answers. */
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
    <p className={styles['banner']} role="alert">
      <span>
        {t('away.what')}{' '}
        <span className="muted">
          {isAsking ? t('away.asking') : t('away.again', { count: Math.ceil(leftMs / stepMs) })}
        </span>
      </span>
      <button type="button" onClick={() => setLeftMs(0)} disabled={isAsking}>
        {t('away.now')}
      </button>
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
