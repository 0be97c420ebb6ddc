import { createQueryOptions, useTransport } from '@connectrpc/connect-query'
import { useQueries } from '@tanstack/react-query'
import { useMemo } from 'react'
import { type VenueProduct, VenueService } from '../../../../gateway/gen/loyalty/v1/venue_service_pb.js'
import { useVenues } from '../../api/venues.js'

/** The price lists of so many venues are asked for; of further ones ids are typed. */
const venuesMax = 20
const listAgeMs = 10 * 60_000

/** Products of the stored price lists, as far as they have come. */
export function useStoredProducts(): readonly VenueProduct[] {
  const transport = useTransport()
  const venues = useVenues().slice(0, venuesMax)
  const lists = useQueries({
    queries: venues.map(({ venueId }) => ({
      ...createQueryOptions(VenueService.method.getVenue, { venueId }, { transport }),
      staleTime: listAgeMs,
      retry: false,
    })),
    combine: (results) => results.map(({ data }) => data?.venue?.products),
  })
  return useMemo(() => lists.flatMap((products) => products ?? []), [lists])
}
