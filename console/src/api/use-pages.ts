import type { ConnectError } from '@connectrpc/connect'
import type { UseInfiniteQueryResult } from '@tanstack/react-query'

export const pageSize = 50

export const pages = {
  pageParamKey: 'pageToken',
  // It would read every loaded page anew.
  refetchOnWindowFocus: false,
  getNextPageParam: (last: { readonly nextPageToken: string }) => last.nextPageToken || undefined,
} as const

export function moreOf(
  query: Pick<UseInfiniteQueryResult<unknown, ConnectError>, 'hasNextPage' | 'fetchNextPage' | 'isFetchingNextPage'>,
) {
  return {
    onMore: query.hasNextPage ? () => void query.fetchNextPage() : undefined,
    isLoadingMore: query.isFetchingNextPage,
  }
}
