import type { Basis } from '../../../../engine/core/base/basis.js'
import { plansAlone } from '../../../../engine/core/lines/plan.js'
import { componentsOf, groundOf } from '../../../../engine/core/model/components.js'
import type { Offer } from '../../../../engine/core/offers/offer.js'
import { lineFieldOf } from '../../../../engine/core/search/field.js'

/** What the search looks at for some offers, without any order benefit. */
export function withoutOrders(basis: Basis, offers: readonly Offer[]) {
  const dealt = groundOf(basis, offers)
  const { lines } = basis
  const ground = { lines, lineOffers: dealt.lineOffers, alone: plansAlone(lines, dealt.lineOffers) }
  const orderOffers = { normals: [], stacks: [], hasOrderDiscounts: false }
  const field = lineFieldOf({ basis, ground, orderOffers }, dealt)
  return { dealt, ground, field, components: componentsOf(lines.length, dealt) }
}
