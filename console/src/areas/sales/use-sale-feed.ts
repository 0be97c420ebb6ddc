import { createClient } from '@connectrpc/connect'
import { useTransport } from '@connectrpc/connect-query'
import { useMemo } from 'react'
import { type Sale, SaleService } from '../../../../gateway/gen/loyalty/v1/sale_service_pb.js'
import { useStream } from '../../api/use-stream.js'

/** Sales as they come. */
export interface SaleFeed {
  /** Those that came since the screen was opened, newest first. */
  readonly sales: readonly Sale[]
  /** The clock of this computer as the feed began: a list that was read before may lack what came in between. null: not yet. */
  readonly sinceMs: number | null
  /** Why none comes any more; null: they do. */
  readonly cause: unknown
}

/** More than these are kept on no screen. */
const keptMax = 500
const none: readonly Sale[] = []

/**
 * Follows the feed of sales, and goes on behind the last one that came when it breaks, so that none is missed.
 *
 * @param venueId  '' for all venues; null: the feed is not followed
 */
export function useSaleFeed(venueId: string | null): SaleFeed {
  const transport = useTransport()
  const open = useMemo(() => {
    const client = createClient(SaleService, transport)
    let cursor = ''
    let feed: Omit<SaleFeed, 'cause'> | null = null
    return async function* (signal: AbortSignal) {
      if (venueId === null) return await untilAborted(signal)
      for await (const message of client.watchSales({ cursor, venueId }, { signal })) {
        cursor = message.cursor
        const { sales, sinceMs }: Omit<SaleFeed, 'cause'> = feed ?? { sales: none, sinceMs: Date.now() }
        feed = { sales: message.sale === undefined ? sales : [message.sale, ...sales].slice(0, keptMax), sinceMs }
        yield feed
      }
    }
  }, [transport, venueId])
  const { latest, cause } = useStream(open)
  return { sales: latest?.sales ?? none, sinceMs: latest?.sinceMs ?? null, cause }
}

function untilAborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }))
}
