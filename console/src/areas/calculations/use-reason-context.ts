import type { ProgrammeNames } from '../../api/programme.js'
import { useProductNames, useVenues } from '../../api/venues.js'
import { useWords } from '../../i18n/words.js'
import type { ReasonContext } from './reasons.js'

interface Priced {
  readonly names: ProgrammeNames
  /** Of the basket, ISO 4217. */
  readonly currency: string
  /** Products of the request's lines, by position. */
  readonly products: readonly string[]
  readonly venueId: string
}

/** What the words of a reason refer to, for a basket of a venue. */
export function useReasonContext({ venueId, products, ...priced }: Priced): ReasonContext {
  const t = useWords()
  const venues = useVenues()
  const productName = useProductNames(venueId)
  return {
    t,
    ...priced,
    products: products.map(productName),
    zone: venues.find((venue) => venue.venueId === venueId)?.timeZone,
    venueName: (id) => venues.find((venue) => venue.venueId === id)?.name || id,
    productName,
  }
}
