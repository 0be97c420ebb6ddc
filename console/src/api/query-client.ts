import { Code, ConnectError } from '@connectrpc/connect'
import { type Query, QueryCache, QueryClient } from '@tanstack/react-query'

const passing: ReadonlySet<Code> = new Set([Code.Unavailable, Code.DeadlineExceeded])
const retriesMax = 2

export function isPassing(cause: unknown): boolean {
  return passing.has(ConnectError.from(cause).code)
}

/**
 * Answers are shown again for half a minute without asking. Nothing is shown before the service has said so. What is shown stays where it
 * cannot be asked for anew at the moment: the page says how old it is (`shell/stale-note.tsx`).
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

/** Options of a query that says what a command would change: asked anew for each dialog, and never after the change, which it would refuse. */
export const preview = {
  ...{ staleTime: 0, gcTime: 0, meta: { isPreview: true } },
  ...{ refetchOnWindowFocus: false, refetchOnReconnect: false },
} as const

export function isPreview({ meta }: Pick<Query, 'meta'>): boolean {
  return meta?.['isPreview'] === true
}
