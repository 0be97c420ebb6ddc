import type { Basis } from '../../../../engine/core/base/basis.js'
import { plansAlone } from '../../../../engine/core/lines/plan.js'
import { componentsOf, partitionOffers } from '../../../../engine/core/model/components.js'
import type { Offer } from '../../../../engine/core/offers/offer.js'
import { basketInstanceOf } from '../../../../engine/core/search/basket-instance.js'

/** The search's input for some offers, without any order benefit. */
export function withoutOrders(basis: Basis, offers: readonly Offer[]) {
  const partition = partitionOffers(basis, offers)
  const { lines } = basis
  const lineInstance = { lines, lineOffers: partition.lineOffers, alone: plansAlone(lines, partition.lineOffers) }
  const orderOffers = { normals: [], stacks: [], hasOrderDiscounts: false }
  const instance = basketInstanceOf({ basis, lineInstance, orderOffers }, partition)
  return { partition, lineInstance, instance, components: componentsOf(lines.length, partition) }
}
