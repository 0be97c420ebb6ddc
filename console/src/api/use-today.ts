import { createClient } from '@connectrpc/connect'
import { useTransport } from '@connectrpc/connect-query'
import { useCallback } from 'react'
import { ReportService, type WatchTodayResponse } from '../../../gateway/gen/loyalty/v1/report_service_pb.js'
import { useStream } from './use-stream.js'

/** Today as it was last sent. */
export interface Watched {
  /** null: nothing has come yet. */
  readonly today: WatchTodayResponse | null
  /** Why nothing comes any more; null: it does, or is tried again. */
  readonly cause: unknown
  readonly again: () => void
}

/** Today as it goes, every two seconds, while the screen is open. What came last stays while it is away. */
export function useToday(): Watched {
  const transport = useTransport()
  const open = useCallback(
    (signal: AbortSignal) => createClient(ReportService, transport).watchToday({}, { signal }),
    [transport],
  )
  const { latest: today, cause, again } = useStream(open)
  return { today, cause, again }
}
