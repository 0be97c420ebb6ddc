import { useMemo } from 'react'
import { useVenues } from '../../../api/venues.js'
import type { Node } from './json-text.js'
import { type Amount, itemsOf, textIn, type Unit, unitOf } from './unit-of.js'

/** As `unitOf`, with the venues of the document and of the service. */
export function useUnits(top: Node | null): (amount: Amount) => Unit | null {
  const venues = useVenues()
  return useMemo(() => {
    const known = new Map(venues.map(({ venueId, currency }) => [venueId, currency]))
    for (const venue of itemsOf(top, ['venues'])) known.set(textIn(venue, 'venueId'), textIn(venue, 'currency'))
    return (amount) => unitOf(top, amount, known)
  }, [top, venues])
}
