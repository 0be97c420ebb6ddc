import { createQueryOptions, useTransport } from '@connectrpc/connect-query'
import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { type Venue, VenueService } from '../../../gateway/gen/loyalty/v1/venue_service_pb.js'
import { remembered } from '../i18n/format-message.js'
import { plusDays } from '../parts/days.js'
import { momentAt } from '../parts/offsets.js'
import { nowMs } from './clock.js'

const venuesAgeMs = 10 * 60_000
/** With more venues, ids replace their names, and the computer's own zone theirs. */
const venuesMax = 500

export function useVenues(): readonly Venue[] {
  return useLoadedVenues() ?? none
}

const none: readonly Venue[] = []

/** null: not loaded yet. */
export function useLoadedVenues(): readonly Venue[] | null {
  const transport = useTransport()
  const options = createQueryOptions(VenueService.method.listVenues, { pageSize: venuesMax }, { transport })
  return useQuery({ ...options, staleTime: venuesAgeMs }).data?.venues ?? null
}

/** IANA name; undefined: not known. */
export function useVenueZone(venueId: string | undefined): string | undefined {
  const venues = useVenues()
  return venueId === undefined ? undefined : venues.find((venue) => venue.venueId === venueId)?.timeZone
}

export function useVenueName(venueId: string): string {
  const venues = useVenues()
  return venues.find((venue) => venue.venueId === venueId)?.name || venueId
}

/** The names of venues; one without a name, or not known, keeps its id. The same function until venues change. */
export function useVenueNames(): (venueId: string) => string {
  const venues = useVenues()
  return useMemo(() => {
    const names = new Map(venues.map(({ venueId, name }) => [venueId, name]))
    return (venueId) => names.get(venueId) || venueId
  }, [venues])
}

/** Names of the venue's price list, by product id, bar code or master; a product that it lacks keeps its id. */
export function useProductNames(venueId: string): (productId: string) => string {
  const options = createQueryOptions(VenueService.method.getVenue, { venueId }, { transport: useTransport() })
  const { data } = useQuery({ ...options, staleTime: venuesAgeMs, retry: false })
  const names = new Map(
    data?.venue?.products.flatMap(({ productId, ean, productMasterId, name }) =>
      [productId, ean, productMasterId].flatMap((id) => (id === undefined ? [] : [[id, name] as const])),
    ),
  )
  return (productId) => names.get(productId) || productId
}

/** The zone of all venues; with several zones, or none known, the zone of this computer. */
export function useHouseZone(): string {
  const [first, ...others] = new Set(useVenues().map(({ timeZone }) => timeZone))
  return first === undefined || others.length > 0 ? computersZone : first
}

const computersZone = Intl.DateTimeFormat().resolvedOptions().timeZone

/** The day of the venues now, `YYYY-MM-DD`; where they differ, the latest one. */
export function useVenueDay(): string {
  const days = useVenues().map(({ timeZone, dayStartsAt }) => daysIn(timeZone).format(nowMs() - startMs(dayStartsAt)))
  return days.toSorted().at(-1) ?? daysIn(computersZone).format(nowMs())
}

/**
 * The moments between which a local day of a venue lies; '': of the venues, where they share zone and beginning.
 *
 * @param day  `YYYY-MM-DD`
 */
export function useDaySpan(venueId: string): (day: string) => { readonly from: Date; readonly until: Date } {
  const venues = useVenues().filter((venue) => venueId === '' || venue.venueId === venueId)
  const zones = new Set(venues.map(({ timeZone }) => timeZone))
  const starts = new Set(venues.map(({ dayStartsAt }) => dayStartsAt || midnight))
  const zone = zones.size === 1 ? [...zones][0] : computersZone
  const start = starts.size === 1 ? [...starts][0]! : midnight
  return (day) => ({ from: momentAt(`${day}T${start}`, zone), until: momentAt(`${plusDays(day, 1)}T${start}`, zone) })
}

const midnight = '00:00'

/** How long after midnight a day starts, of `HH:MM`. */
function startMs(dayStartsAt: string): number {
  const [hours = 0, minutes = 0] = dayStartsAt.split(':').map(Number)
  return (hours * 60 + minutes) * 60_000
}

/** The local day of a moment, `YYYY-MM-DD`. */
export function dayIn(timeZone: string, ms: number): string {
  return daysIn(timeZone).format(ms)
}

export function useIsToday(): (at: Date) => boolean {
  const days = daysIn(useHouseZone())
  return (at) => days.format(at) === days.format(nowMs())
}

/** Swedish writes days as ISO 8601 does. */
const daysIn = remembered((timeZone) => new Intl.DateTimeFormat('sv-SE', { dateStyle: 'short', timeZone }))

/** The currency of the first venue among some, null for all; '' where none of them is known. */
export function useCurrencyAt(): (venueIds: readonly string[] | null | undefined) => string {
  const venues = useVenues()
  return (venueIds) => venues.find(({ venueId }) => venueIds?.includes(venueId) ?? true)?.currency ?? ''
}
