import { Code, ConnectError } from '@connectrpc/connect'
import { QueryClient } from '@tanstack/react-query'

/** What passes by itself; everything else is shown at once. */
const passing: ReadonlySet<Code> = new Set([Code.Unavailable, Code.DeadlineExceeded])
const retriesMax = 2

/** Answers are shown again for half a minute without asking. Nothing is shown before the service has said so. */
export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 30_000,
      retry: (failures, cause) => failures < retriesMax && passing.has(ConnectError.from(cause).code),
    },
  },
})
