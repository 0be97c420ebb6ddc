import type { Place } from './place.js'
import { type ListedBenefit, limitField } from './read-benefit.js'
import type { ProgrammeVenue } from './read-venue.js'

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
    if (!benefit.limits.some(({ counts }) => counts === 'amount')) continue
    const { venueIds } = benefit
    const open = venues.filter(({ venueId }) => venueIds?.includes(venueId) ?? true)
    const currencies = [...new Set(open.map(({ currency }) => currency))]
    if (currencies.length < 2) continue
    const entry = (list.value as readonly Readonly<Record<string, unknown>>[])[at]
    const limits = list.below(at, entry).below('limits', entry?.['limits'])
    for (const [position, { counts }] of benefit.limits.entries()) {
      if (counts === 'amount') limitField(limits, position, 'counts').fault(moneyFault(currencies))
    }
  }
}

function moneyFault(currencies: readonly string[]): string {
  return `no amount, since the benefit is open at venues of several currencies (${currencies.slice(0, 3).join(', ')})`
}
