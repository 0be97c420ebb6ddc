import { Code, ConnectError } from '@connectrpc/connect'
import { QueryCache, QueryClient } from '@tanstack/react-query'

/** What passes by itself; everything else is shown at once. */
const passing: ReadonlySet<Code> = new Set([Code.Unavailable, Code.DeadlineExceeded])
const retriesMax = 2

/** Whether an error says nothing about what was asked for: the service is busy or away, and will answer later. */
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
