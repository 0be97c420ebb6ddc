import { Code, ConnectError } from '@connectrpc/connect'
import { type Query, QueryCache, QueryClient } from '@tanstack/react-query'

const passing: ReadonlySet<Code> = new Set([Code.Unavailable, Code.DeadlineExceeded])
const retriesMax = 2

export function isPassing(cause: unknown): boolean {
  return passing.has(ConnectError.from(cause).code)
}

/**
 * Answers are shown again for half a minute without a new call. Data is shown only after an answer of the service. It stays while it
 * cannot be read anew: the page shows its age (`shell/stale-note.tsx`).
 */
export const queryClient = new QueryClient({
  queryCache: new QueryCache({
    onError: (cause, query) => {
      if (query.state.data !== undefined && isPassing(cause)) query.setState({ status: 'success', error: null })
    },
  }),
  defaultOptions: {
    queries: {
      staleTime: 30_000,
      retry: (failures, cause) => failures < retriesMax && isPassing(cause),
    },
  },
})

/** Options of a query for the effects of a command: read anew for each dialog, and never after the change, when it would be refused. */
export const preview = {
  ...{ staleTime: 0, gcTime: 0, meta: { isPreview: true } },
  ...{ refetchOnWindowFocus: false, refetchOnReconnect: false },
} as const

export function isPreview({ meta }: Pick<Query, 'meta'>): boolean {
  return meta?.['isPreview'] === true
}
