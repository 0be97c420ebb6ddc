import { useEffect, useRef, useState } from 'react'
import { isPassing } from './query-client.js'
import { callError, pauseMs, useReturns } from './transport.js'

export interface Streamed<Message> {
  /** null: no message yet. */
  readonly latest: Message | null
  /** The reason why there are no messages, or no more until the person acts; null: they come, or the stream is tried again. */
  readonly cause: unknown
  readonly again: () => void
}

/**
 * Follows a stream while the screen is open, and begins it anew when it ends, after a pause that grows with each failure. The last message
 * stays during the pause.
 *
 * @param open  stays the same function
 */
export function useStream<Message>(open: (signal: AbortSignal) => AsyncIterable<Message>): Streamed<Message> {
  const returns = useReturns()
  const failures = useRef(0)
  const [attempt, setAttempt] = useState(0)
  const [seen, setSeen] = useState<Omit<Streamed<Message>, 'again'>>({ latest: null, cause: null })
  // biome-ignore lint/correctness/useExhaustiveDependencies: a further attempt, and a service that is back, begin it anew
  useEffect(() => {
    const gone = new AbortController()
    let timer: ReturnType<typeof setTimeout> | undefined
    const follow = async () => {
      try {
        for await (const latest of open(gone.signal)) {
          failures.current = 0
          setSeen({ latest, cause: null })
        }
      } catch (cause) {
        if (gone.signal.aborted) return
        const shown = callError(cause)
        setSeen(({ latest }) => ({ latest, cause: latest !== null && isPassing(shown) ? null : shown }))
      }
      if (gone.signal.aborted) return
      failures.current += 1
      timer = setTimeout(() => setAttempt((before) => before + 1), pauseMs(failures.current))
    }
    void follow()
    return () => {
      gone.abort()
      clearTimeout(timer)
    }
  }, [open, attempt, returns])
  return { ...seen, again: () => setAttempt((before) => before + 1) }
}
