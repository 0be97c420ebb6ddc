import { ConnectError, createClient } from '@connectrpc/connect'
import { useTransport } from '@connectrpc/connect-query'
import { useEffect, useState } from 'react'
import { ReportService, type WatchTodayResponse } from '../../../gateway/gen/loyalty/v1/report_service_pb.js'

/** Today as it was last sent. */
export interface Watched {
  /** null: nothing has come yet. */
  readonly today: WatchTodayResponse | null
  /** Why nothing comes at the moment; null: it does. */
  readonly cause: unknown
}

/** After a stream has broken, in milliseconds. */
const againMs = 3_000

/** Follows the stream of today, and begins it anew when it ends. What came last stays while it is away. */
export function useToday(): Watched {
  const transport = useTransport()
  const [watched, setWatched] = useState<Watched>({ today: null, cause: null })
  useEffect(() => {
    const client = createClient(ReportService, transport)
    const gone = new AbortController()
    let timer: ReturnType<typeof setTimeout> | undefined
    const watch = async () => {
      try {
        for await (const today of client.watchToday({}, { signal: gone.signal })) setWatched({ today, cause: null })
      } catch (cause) {
        if (!gone.signal.aborted) setWatched(({ today }) => ({ today, cause: ConnectError.from(cause) }))
      }
      if (!gone.signal.aborted) timer = setTimeout(() => void watch(), againMs)
    }
    void watch()
    return () => {
      gone.abort()
      clearTimeout(timer)
    }
  }, [transport])
  return watched
}
