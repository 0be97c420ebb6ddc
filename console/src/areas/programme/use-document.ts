import { createQueryOptions, useQuery, useTransport } from '@connectrpc/connect-query'
import { useQueries } from '@tanstack/react-query'
import { useMemo } from 'react'
import { ProgrammeService, type ProgrammeVersion } from '../../../../gateway/gen/loyalty/v1/programme_service_pb.js'
import { type VenueProduct, VenueService } from '../../../../gateway/gen/loyalty/v1/venue_service_pb.js'
import type { LimitPart } from '../../api/programme.js'
import { useCurrencyAt, useVenues } from '../../api/venues.js'
import { useWords } from '../../i18n/words.js'
import { digitsOf, formatScaled } from '../../parts/scaled.js'

export const editedBytesMax = 4_000_000n

/** The text of a version, indented where it is one line; null: it loads, or is too large to be edited here. */
export function useDocument(programme: ProgrammeVersion | undefined): string | null {
  return useText(programme).document
}

function useText(programme: ProgrammeVersion | undefined) {
  const { data, error, refetch } = useQuery(
    ProgrammeService.method.getProgramme,
    { version: programme?.version ?? 0 },
    {
      enabled: programme !== undefined && programme.documentBytes <= editedBytesMax,
      staleTime: Number.POSITIVE_INFINITY,
    },
  )
  return { document: data === undefined ? null : indented(data.document), error, refetch }
}

/**
 * The text of a version by its number, as `useDocument`; for 0, before anything was published, an empty programme.
 *
 * @param version  undefined: not known yet
 */
export function useVersionDocument(version: number | undefined) {
  const isPublished = version !== undefined && version > 0
  const facts = useQuery(
    ProgrammeService.method.getProgramme,
    { version: version ?? 0, withoutDocument: true },
    { enabled: isPublished, staleTime: Number.POSITIVE_INFINITY },
  )
  const text = useText(facts.data?.programme)
  return {
    document: version === 0 ? '{}' : text.document,
    isTooLarge: (facts.data?.programme?.documentBytes ?? 0n) > editedBytesMax,
    error: facts.error ?? text.error,
    retry: () => void (facts.error === null ? text : facts).refetch(),
  }
}

function indented(document: string): string {
  return document.trim().includes('\n') ? document : `${JSON.stringify(JSON.parse(document), null, 2)}\n`
}

const againMs = 15_000

export function useNewest() {
  return useQuery(
    ProgrammeService.method.getProgramme,
    { version: 0, withoutDocument: true },
    { refetchInterval: againMs, staleTime: 0 },
  )
}

/** Venues whose price lists are read; for further ones ids are typed. */
const venuesMax = 20
const listAgeMs = 10 * 60_000

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

export function useMaximumText() {
  const { locale } = useWords()
  const currencyAt = useCurrencyAt()
  return (maximum: number, counts: LimitPart['counts'], venueIds: readonly string[] | null | undefined) => {
    const currency = counts === 'amount' ? currencyAt(venueIds) : ''
    if (currency === '' || !Number.isSafeInteger(maximum)) return String(maximum)
    return `${formatScaled(BigInt(maximum), digitsOf(currency), locale)} ${currency}`
  }
}
