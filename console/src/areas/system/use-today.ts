import { createClient } from '@connectrpc/connect'
import { useTransport } from '@connectrpc/connect-query'
import { useEffect, useState } from 'react'
import { ReportService, type WatchTodayResponse } from '../../../../gateway/gen/loyalty/v1/report_service_pb.js'

interface Watched {
  /** null: nothing has come yet. */
  readonly today: WatchTodayResponse | null
  /** Why nothing comes any more; null: it does. */
  readonly cause: unknown
  readonly again: () => void
}

/** Today as it goes, every two seconds, while the screen is open. */
export function useToday(): Watched {
  const transport = useTransport()
  const [attempt, setAttempt] = useState(0)
  const [seen, setSeen] = useState<Omit<Watched, 'again'>>({ today: null, cause: null })
  // biome-ignore lint/correctness/useExhaustiveDependencies: each attempt watches anew
  useEffect(() => {
    const ending = new AbortController()
    const watch = async () => {
      try {
        const stream = createClient(ReportService, transport).watchToday({}, { signal: ending.signal })
        for await (const today of stream) setSeen({ today, cause: null })
      } catch (cause) {
        if (!ending.signal.aborted) setSeen({ today: null, cause })
      }
    }
    void watch()
    return () => ending.abort()
  }, [transport, attempt])
  return { ...seen, again: () => setAttempt(attempt + 1) }
}
