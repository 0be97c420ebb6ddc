import { type Basis, type BasisLine, type Cluster, partOf } from '../base/basis.js'
import { withEntry } from '../base/lists.js'
import { floorProduct, type Money, percentageOf } from '../base/money.js'
import type { CompiledBenefit } from '../match/compile.js'
import type { Matched } from '../match/matched-lines.js'
import type { CompiledSelector } from '../match/selector.js'
import { withoutOwn } from './dropped.js'
import { type Followers, isPercentageReward, type Offer } from './offer.js'
import { percentageOn } from './rate.js'

export interface Share {
  readonly leader: number
  readonly pieces: number
  readonly of: number
}

/** Amount off a follower that costs `hold` (3-benefits 1, lines below). */
export function amountOnFollower(offer: Offer, { pieces, of }: Omit<Share, 'leader'>, hold: Money): Money {
  return percentageOf(percentageOn(offer)!, floorProduct(pieces, hold, of))
}

export function isFollowedBy({ followers }: Offer, { at }: Cluster, follower: number): boolean {
  return followers?.get(at)?.includes(follower) ?? false
}

/** The offer with amounts that, on a cluster, sum all its lines. */
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

interface Matching {
  readonly basis: Basis
  readonly matched: Matched
}

export function followersOf(
  { benefit }: CompiledBenefit,
  select: CompiledSelector,
  { basis, matched }: Matching,
): Followers | null {
  const leaders = matched.leaders(select, false)
  if (leaders.size === 0) return null
  const unflagged = matched.unflagged([...leaders.keys()], isPercentageReward(benefit))
  const usable = benefit.existingDiscounts === 'keep' ? withoutOwn(unflagged, basis) : unflagged
  const followers = new Map<number, number[]>()
  for (const at of usable) {
    const leader = leaders.get(at)!
    followers.set(leader, withEntry(followers.get(leader) ?? [], at))
  }
  return followers.size === 0 ? null : followers
}

export function withFollowers(lines: readonly number[], followers: Followers): readonly number[] {
  return lines.flatMap((at) => [at, ...(followers.get(at) ?? [])]).sort((a, b) => a - b)
}
