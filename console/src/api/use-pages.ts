import type { ConnectError } from '@connectrpc/connect'
import type { UseInfiniteQueryResult } from '@tanstack/react-query'

/** Rows of the first page; each further one is asked for. */
export const pageSize = 50

/** The options that every list with pages has alike. */
export const pages = {
  pageParamKey: 'pageToken',
  // It would ask for every page that was loaded.
  refetchOnWindowFocus: false,
  getNextPageParam: (last: { readonly nextPageToken: string }) => last.nextPageToken || undefined,
} as const

/** What a table asks of a list with pages. */
export function moreOf(
  query: Pick<UseInfiniteQueryResult<unknown, ConnectError>, 'hasNextPage' | 'fetchNextPage' | 'isFetchingNextPage'>,
) {
  return {
    onMore: query.hasNextPage ? () => void query.fetchNextPage() : undefined,
    isLoadingMore: query.isFetchingNextPage,
  }
}
