import type { Limit } from '../core/base/programme.js'
import type { Place } from './place.js'
import type { ListedBenefit } from './read-benefit.js'
import type { ProgrammeVenue } from './read-venue.js'

export interface CountedLimit extends Pick<Limit, 'limitId' | 'counts'> {
  readonly path: string
  readonly venueIds: readonly string[] | null
}

export function countedLimitsOf(listed: readonly ListedBenefit[]): CountedLimit[] {
  return listed.flatMap(({ benefit: { limits, venueIds }, path }) =>
    limits.map(({ limitId, counts }, place) => ({
      limitId,
      counts,
      path: `${path}.limits[${place}].counts`,
      venueIds,
    })),
  )
}

/**
 * Faults where a limit counts money and the benefit is open at venues of several currencies (4-member-value 2).
 *
 * @param list    the benefits of the document
 * @param listed  the same, as read
 */
export function checkMoneyLimits(
  list: Place,
  listed: readonly ListedBenefit[],
  venues: readonly Pick<ProgrammeVenue, 'venueId' | 'currency'>[],
): void {
  for (const [at, { benefit }] of listed.entries()) {
    const places = moneyPlaces(benefit)
    if (places.length === 0) continue
    const { venueIds } = benefit
    const open = venues.filter(({ venueId }) => venueIds?.includes(venueId) ?? true)
    const currencies = [...new Set(open.map(({ currency }) => currency))].sort()
    if (currencies.length < 2) continue
    for (const place of places) list.at(at).at('limits').at(place).at('counts').fault(moneyFault(currencies))
  }
}

function moneyPlaces({ limits }: ListedBenefit['benefit']): number[] {
  return limits.flatMap(({ counts }, place) => (counts === 'amount' ? [place] : []))
}

function moneyFault(currencies: readonly string[]): string {
  return `no amount, since the benefit is open at venues of several currencies (${currencies.join(', ')})`
}
