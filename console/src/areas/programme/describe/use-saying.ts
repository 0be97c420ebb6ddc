import { useMemo } from 'react'
import { useVenues } from '../../../api/venues.js'
import { useWords } from '../../../i18n/words.js'
import { useStoredProducts } from '../use-document.js'
import {
  createSaying,
  listIn,
  type ProgrammePart,
  type SaidProduct,
  type SaidVenue,
  type Saying,
  textIn,
} from './saying.js'

export function useSaying(documents: readonly ProgrammePart[], isMarked = false): Saying {
  const t = useWords()
  const venues = useVenues()
  const stored = useStoredProducts()
  return useMemo(() => {
    const own = documents.flatMap((document) => listIn(document, 'venues'))
    const said = [...own.map(venueOf), ...venues]
    return createSaying({
      t,
      venues: [...new Map(said.toReversed().map((venue) => [venue.venueId, venue])).values()].toReversed(),
      products: [...stored, ...own.flatMap((venue) => listIn(venue, 'products').map(productOf))],
      currencies: documents.flatMap((document) => listIn(document, 'currencies')),
      isMarked,
      collections: documents.flatMap((document) => listIn(document, 'collections')),
    })
  }, [t, venues, stored, documents, isMarked])
}

/** null: no JSON object. */
export function readDocument(text: string): ProgrammePart | null {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as ProgrammePart) : null
  } catch {
    return null
  }
}

function venueOf(venue: ProgrammePart): SaidVenue {
  const [venueId, name, currency, timeZone] = ['venueId', 'name', 'currency', 'timeZone'].map((at) => textIn(venue, at))
  return { venueId: venueId!, name: name!, currency: currency!, timeZone: timeZone || 'UTC' }
}

function productOf(product: ProgrammePart): SaidProduct {
  const [productId, name, productMasterId, ean] = ['productId', 'name', 'productMasterId', 'ean'].map((at) =>
    textIn(product, at),
  )
  return { productId: productId!, name: name!, productMasterId, ean }
}
