import { type BasisLine, type Cluster, partOf } from '../base/basis.js'
import { floorProduct, type Money, percentageOf } from '../base/money.js'
import type { Offer } from './offer.js'
import { percentageOn } from './rate.js'

/** The part of a line's units that gets a percentage which a follower shares. */
export interface Share {
  readonly pieces: number
  readonly of: number
}

/** Amount off a follower that costs `hold` (3-benefits 1, lines below). */
export function amountOnFollower(offer: Offer, { pieces, of }: Share, hold: Money): Money {
  return percentageOf(percentageOn(offer)!, floorProduct(pieces, hold, of))
}

/** Whether an offer takes a follower of a cluster. */
export function isFollowedBy({ followers }: Offer, { at }: Cluster, follower: number): boolean {
  return followers?.get(at)?.includes(follower) ?? false
}

/** The offer with amounts that, on a cluster, are those of all its lines. */
export function onClusters(offer: Offer): Offer {
  return {
    ...offer,
    amountOn: (line, pieces, part) =>
      line.cluster === undefined ? offer.amountOn(line, pieces, part) : amountOnCluster(offer, line, { pieces, part }),
  }
}

// Own discounts are the leader's alone, and large enough that the part shows whether they are off.
function amountOnCluster(
  offer: Offer,
  line: BasisLine,
  { pieces, part }: { readonly pieces: number; readonly part: Money },
): Money {
  const { leader, followers } = line.cluster!
  const isOff = part >= partOf(line, pieces, line.gross)
  const hold = isOff ? leader.gross : leader.gross - leader.own
  let amount = offer.amountOn(leader, pieces, partOf(leader, pieces, hold))
  for (const follower of followers) {
    if (isFollowedBy(offer, line.cluster!, follower.at))
      amount += amountOnFollower(offer, { pieces, of: leader.pieces }, follower.line.gross)
  }
  return amount
}
