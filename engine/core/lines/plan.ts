import { type BasisLine, type Cluster, partOf } from '../base/basis.js'
import { lineSteps, piecesTriedMax, splitsMax } from '../base/costs.js'
import type { Money } from '../base/money.js'
import { amountOnFollower, isFollowedBy } from '../offers/following.js'
import { isShared, type Offer, savesTogether } from '../offers/offer.js'
import { fillLine, type Serve } from './fill.js'

export interface LinePlan {
  readonly off: boolean
  readonly serves: readonly Serve[]
  readonly stacks: readonly Offer[]
  readonly rest: Money
  /** Lower bound of `rest` over all choices here; equal to it if proven. */
  readonly restBound: Money
  readonly followers?: readonly FollowerPlan[]
}

export interface FollowerPlan {
  readonly plan: LinePlan
  readonly follows: boolean
}

export interface LineOffers {
  readonly untied: readonly Offer[]
  readonly stacks: readonly Offer[]
  /** In a cluster: those that each follower may have instead of following, and its stackable ones. */
  readonly followers?: readonly LineOffers[]
}

const noServes: readonly Serve[] = []
const noStacks: readonly Offer[] = []

export function stepsFor({ untied, stacks }: LineOffers): number {
  return lineSteps(untied.length + stacks.length)
}

export function heldBy(line: BasisLine): Money {
  return line.gross - line.own
}

export function untouchedPlan(line: BasisLine): LinePlan {
  const rest = heldBy(line)
  return { off: false, serves: noServes, stacks: noStacks, rest, restBound: rest }
}

/**
 * The plan of the lowest rest for a line, with `fixed` serves of tied benefits.
 *
 * Own discounts of the POS stay, with `add` benefits only, or a `replace` benefit takes them off (3-benefits 3). If
 * that is a stackable one with a maximum, it may get nothing here: only a bold plan relies on it, others lower their
 * bound.
 */
export function planLine(
  line: BasisLine,
  offers: LineOffers,
  fixed: readonly Serve[] = noServes,
  isBold = false,
): LinePlan {
  if (line.own === 0) return planWith(line, offers, { off: false, hold: line.gross, fixed })
  const adding = { ...offers, untied: offers.untied.filter(adds), stacks: offers.stacks.filter(adds) }
  const forced = fixed.some((serve) => replacesOn(line, serve))
  const kept = planWith(line, adding, { off: false, hold: heldBy(line), fixed })
  if (!forced && offers.untied.every(adds) && offers.stacks.every(adds)) return kept
  const most = planWith(line, offers, { off: true, hold: line.gross, fixed })
  if (forced) return most
  if (most.rest >= kept.rest) return boundedBy(kept, most)
  const off = withReplacing(line, offers, most)
  const feasible = mayBeOff(line, { ...off, stacks: off.stacks.filter((each) => !hasMaximum(each)) })
  const isBetter = off.rest < kept.rest && (feasible || (isBold && off.stacks.some(replaces)))
  return isBetter ? boundedBy(off, kept) : boundedBy(kept, most)
}

function boundedBy(plan: LinePlan, other: LinePlan): LinePlan {
  return other.restBound < plan.restBound ? { ...plan, restBound: other.restBound } : plan
}

/**
 * With own discounts off: the best plan found in which a benefit takes them off, bounded by `most`. By roundings
 * another may look best.
 *
 * @param most  the best plan without this rule; returned if no other is found
 */
export function withReplacing(line: BasisLine, offers: LineOffers, most: LinePlan): LinePlan {
  if (mayBeOff(line, most)) return most
  const fixed = most.serves.filter(({ offer }) => !offers.untied.includes(offer))
  const free = fixed.reduce((left, { pieces, bought }) => left - pieces - bought, line.pieces)
  let best: LinePlan | null = null
  const judge = (plan: LinePlan) => {
    if (mayBeOff(line, plan) && (best === null || plan.rest < best.rest)) best = plan
  }
  for (let pieces = 1; pieces <= Math.min(free, piecesTriedMax); pieces++) {
    const mode = { off: true, hold: line.gross }
    if (offers.stacks.some(replaces)) judge(planWith(line, offers, { ...mode, fixed, idle: pieces }))
    for (const offer of offers.untied) {
      if (!replaces(offer) || (offer.wholeLine && pieces < line.pieces)) continue
      const others = { ...offers, untied: offers.untied.filter((each) => each !== offer) }
      judge(planWith(line, others, { ...mode, fixed: [...fixed, { offer, pieces, bought: 0 }] }))
    }
  }
  return best === null ? most : boundedBy(best, most)
}

export function mayBeOff(line: BasisLine, { serves, stacks }: Pick<LinePlan, 'serves' | 'stacks'>): boolean {
  return serves.some((serve) => replacesOn(line, serve)) || stacks.some(replaces)
}

export function plansAlone(lines: readonly BasisLine[], lineOffers: readonly LineOffers[]): LinePlan[] {
  return lines.map((line, at) => {
    const { untied, stacks } = lineOffers[at]!
    const isBare = untied.length === 0 && stacks.length === 0 && line.cluster === undefined
    return isBare ? untouchedPlan(line) : planLine(line, lineOffers[at]!)
  })
}

export function planLineIn(
  line: BasisLine,
  offers: LineOffers,
  { off, fixed }: { off: boolean; fixed: readonly Serve[] },
): LinePlan {
  if (off) return planWith(line, offers, { off, hold: line.gross, fixed })
  const adding = { ...offers, untied: offers.untied.filter(adds), stacks: offers.stacks.filter(adds) }
  return planWith(line, adding, { off, hold: heldBy(line), fixed })
}

export function gainAlone(line: BasisLine, offer: Offer): Money {
  const held = heldBy(line)
  if (line.own === 0 || adds(offer)) return offer.amountOn(line, line.pieces, held)
  return Math.max(0, offer.amountOn(line, line.pieces, line.gross) - line.own)
}

export function replaces({ benefit }: Offer): boolean {
  return benefit.existingDiscounts === 'replace'
}

/** Units with nothing off keep own discounts; units of a bundle with a common saving are always discounted. */
export function replacesOn(line: BasisLine, { offer, pieces }: Serve): boolean {
  if (pieces === 0 || !replaces(offer)) return false
  return savesTogether(offer) || offer.amountOn(line, pieces, partOf(line, pieces, line.gross)) > 0
}

/** Its maximum may reduce an offer on a line even to 0. */
export function hasMaximum({ maximumAmount }: Offer): boolean {
  return maximumAmount !== Number.POSITIVE_INFINITY
}

export function adds({ benefit }: Offer): boolean {
  return benefit.existingDiscounts === 'add'
}

interface LineMode {
  readonly off: boolean
  readonly hold: Money
  readonly fixed: readonly Serve[]
  readonly idle?: number
}

function planWith(line: BasisLine, offers: LineOffers, mode: LineMode): LinePlan {
  if (line.cluster !== undefined) return planCluster(line, line.cluster, { ...mode, offers })
  const { off, hold, fixed, idle = 0 } = mode
  let free = line.pieces - idle
  let taken = 0
  for (const { offer, pieces, bought } of fixed) {
    free -= pieces + bought
    if (pieces > 0 && !isShared(offer)) taken += offer.amountOn(line, pieces, partOf(line, pieces, hold))
  }
  const fill = fillLine(line, offers.untied, { free, hold })
  const left = hold - taken - fill.gain
  const stacked = stackOn(line, offers.stacks, left)
  const serves = fixed.length === 0 ? fill.serves : [...fixed, ...fill.serves]
  const least = hold - taken - fill.bound
  const restBound =
    fill.bound > fill.gain ? openBound(line, offers.stacks, { least, rest: stacked.rest }) : stacked.rest
  return { off, serves, stacks: stacked.stacks, rest: stacked.rest, restBound }
}

interface ClusterMode extends LineMode {
  readonly offers: LineOffers
}

function planCluster(line: BasisLine, cluster: Cluster, mode: ClusterMode): LinePlan {
  const { fixed, idle = 0, offers } = mode
  const free = fixed.reduce((left, { pieces, bought }) => left - pieces - bought, line.pieces - idle)
  const alone = cluster.followers.map((follower, index) => planLine(follower.line, followerOffers(offers, index)))
  const { divisions, isWhole } = divisionsOf(line, offers.untied, free)
  let best: LinePlan | null = null
  for (const division of divisions) {
    const plan = clusterPlan(cluster, division, { ...mode, alone })
    if (best === null || plan.rest < best.rest) best = plan
  }
  return isWhole ? best! : { ...best!, restBound: 0 }
}

function followerOffers({ followers }: LineOffers, index: number): LineOffers {
  return followers?.[index] ?? { untied: noServes as readonly never[], stacks: noStacks }
}

function divisionsOf(line: BasisLine, untied: readonly Offer[], free: number) {
  const whole = free < line.pieces ? [] : untied.filter(({ wholeLine }) => wholeLine)
  const parts = untied.filter(({ wholeLine }) => !wholeLine)
  const divisions: (readonly Serve[])[] = whole.map((offer) => [{ offer, pieces: free, bought: 0 }])
  if (free === 0 || parts.length === 0) return { divisions: [...divisions, noServes], isWhole: true }
  let isWhole = true
  const divide = (index: number, left: number, serves: readonly Serve[]) => {
    const offer = parts[index]!
    const isLast = index === parts.length - 1
    for (let pieces = isLast ? left : 0; pieces <= left; pieces++) {
      isWhole &&= divisions.length < splitsMax
      if (!isWhole) return
      const own = pieces === 0 ? serves : [...serves, { offer, pieces, bought: 0 }]
      if (isLast) divisions.push(own)
      else divide(index + 1, left - pieces, own)
    }
  }
  divide(0, free, noServes)
  return { divisions, isWhole }
}

function clusterPlan(
  cluster: Cluster,
  division: readonly Serve[],
  { off, fixed, offers, alone }: ClusterMode & { readonly alone: readonly LinePlan[] },
): LinePlan {
  const { leader } = cluster
  const hold = off ? leader.gross : heldBy(leader)
  const taking = [...fixed.filter(({ offer, pieces }) => pieces > 0 && !isShared(offer)), ...division]
  let left = hold
  for (const { offer, pieces } of taking) left -= offer.amountOn(leader, pieces, partOf(leader, pieces, hold))
  const own = stackOn(leader, offers.stacks, left)
  let { rest } = own
  const followers = cluster.followers.map(({ at, line }, index): FollowerPlan => {
    const open = taking.filter(({ offer }) => isFollowedBy(offer, cluster, at))
    const taken = open.reduce(
      (sum, { offer, pieces }) => sum + amountOnFollower(offer, { pieces, of: leader.pieces }, line.gross),
      0,
    )
    const below = stackOn(line, followerOffers(offers, index).stacks, line.gross - taken)
    const follows = below.rest <= alone[index]!.rest
    rest += follows ? below.rest : alone[index]!.rest
    const following = { off: false, serves: noServes, stacks: below.stacks, rest: below.rest, restBound: below.rest }
    return { plan: follows ? following : alone[index]!, follows }
  })
  return { off, serves: [...fixed, ...division], stacks: own.stacks, rest, restBound: rest, followers }
}

export function plansInCluster(cluster: Cluster, plan: LinePlan): readonly LinePlan[] {
  const { followers, ...leader } = plan
  const own = cluster.followers.map(({ at, line }, index) => {
    const { plan: alone, follows } = followers?.[index] ?? { plan: untouchedPlan(line), follows: true }
    return follows ? { ...alone, serves: sharesIn(cluster, plan, at) } : alone
  })
  return [leader, ...own]
}

export function sharesIn(cluster: Cluster, { serves }: LinePlan, follower: number): readonly Serve[] {
  const { pieces: of, position: leader } = cluster.leader
  return serves
    .filter(({ offer, pieces }) => pieces > 0 && isFollowedBy(offer, cluster, follower))
    .map(({ offer, pieces }) => ({ offer, pieces: 0, bought: 0, share: { leader, pieces, of } }))
}

// Stackable roundings may hide the unproven unit, but shared amounts still come off before them.
function openBound(line: BasisLine, stacks: readonly Offer[], { least, rest }: { least: Money; rest: Money }): Money {
  return Math.min(stackOn(line, stacks, least).rest, Math.max(0, rest - 1))
}

/** Applies all that take something: a smaller rest before one never leaves a larger rest after it. */
export function stackOn(
  line: BasisLine,
  stacks: readonly Offer[],
  hold: Money,
): { stacks: readonly Offer[]; rest: Money } {
  if (stacks.length === 0) return { stacks, rest: hold }
  let rest = hold
  let applied: Offer[] | null = null
  for (let index = 0; index < stacks.length; index++) {
    const offer = stacks[index]!
    const amount = rest === 0 ? 0 : offer.amountOn(line, line.pieces, rest)
    rest -= amount
    // Usually all apply, so the list is shared.
    if (amount === 0) applied ??= stacks.slice(0, index)
    else applied?.push(offer)
    if (rest === 0) return { stacks: applied ?? stacks.slice(0, index + 1), rest }
  }
  return { stacks: applied ?? stacks, rest }
}
