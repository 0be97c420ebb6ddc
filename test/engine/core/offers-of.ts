import { type Basis, basisFrom } from '../../../engine/core/base/basis.js'
import type { Basket, VenueFacts } from '../../../engine/core/base/basket.js'
import type { Benefit } from '../../../engine/core/base/programme.js'
import { periodsAt, wallClock } from '../../../engine/core/match/calendar.js'
import { compileProgramme, touchedBy } from '../../../engine/core/match/compile.js'
import { lineIndexOf } from '../../../engine/core/match/line-index.js'
import { matchedIn } from '../../../engine/core/match/matched-lines.js'
import type { Offer } from '../../../engine/core/offers/offer.js'
import { offerOf } from '../../../engine/core/offers/offers.js'
import { aMember, aVenue, code } from './builders.js'

/** The offers of benefits in a basket, in the order of benefitId; benefits without one are omitted. */
export function offersOf(
  basket: Basket,
  benefits: readonly Benefit[],
  venue: VenueFacts = aVenue(),
): { readonly basis: Basis; readonly offers: Offer[]; readonly hasOrderDiscounts: boolean } {
  const basis = basisFrom(basket, code)
  const facts = { basket, member: aMember, venue, available: {}, discountCode: code, stepsMax: 1000 }
  const hasOrderDiscounts = basis.orderDiscounts.some(({ amount }) => amount > 0)
  const periods = periodsAt(basket.requestedAt, venue, () => wallClock(basket.requestedAt, venue.timeZone))
  const programme = compileProgramme(benefits)
  const index = lineIndexOf(programme.keys, basis.lines)
  const source = { basis, matched: matchedIn(basis, index), facts, periods, hasOrderDiscounts }
  const touched = touchedBy(programme, index)
  const offers = programme.benefits.flatMap((compiled) => {
    const { offer } = offerOf(compiled, touched.get(compiled.rank) ?? [], source)
    return offer === null ? [] : [offer]
  })
  return { basis, offers, hasOrderDiscounts }
}
