import type { Basis } from '../base/basis.js'
import { type Money, percentageWhole, sumOf } from '../base/money.js'
import { adds, replaces } from '../lines/plan.js'
import type { Field, LineField } from '../model/instance.js'
import type { OrderOffers } from '../model/order-plan.js'
import { leastMore } from '../model/tolerance.js'
import type { Offer } from '../offers/offer.js'
import { findsLowest, haveSameLines } from './choose-orders.js'
import { orderAmountOf } from './orders.js'
import { noneStaying, type StayingOrders, stayingOrders } from './staying-orders.js'

/**
 * A lower bound of what a basket costs after one choice of order-level benefits: what each line costs times its weight,
 * and a constant.
 */
export interface Weighing {
  readonly weightOf: (at: number) => number
  /** 0 or less, in minor units. */
  readonly added: number
  /** Whether it is more than what a basket comes to by the roundings of percentages alone, and plans are worked out to the last. */
  readonly isRounded: boolean
}

/**
 * For each choice of order-level benefits the weighings that hold under it, so that the greatest of them is the bound:
 * percentages in full, the maximum amounts of those that have one, or amounts as all that their lines cost. With order
 * discounts of the POS there are choices under which these stay, and others whose benefits take them off. Null where there
 * are too many of them to be told apart choice by choice, unless all percentages look at the same lines.
 *
 * They are worked out as they are asked for.
 */
export function weighingsOf(field: LineField): Iterable<readonly Weighing[]> | null {
  return areFew(field) || areAllLevel(field.orderOffers) ? weighings(field) : null
}

/** Lines of order-level benefits, over all choices, up to which each choice is weighed line by line. */
const weighedCellsMax = 10_000

function areFew({ basis, orderOffers: { normals, stacks } }: LineField): boolean {
  const widest = normals.reduce((most, { lines }) => Math.max(most, lines.length), basis.lines.length)
  return stacks.reduce((sum, { lines }) => sum + lines.length, widest) * (normals.length + 1) <= weighedCellsMax
}

// Whether sums over lines that all percentages look at say it all.
function areAllLevel(orderOffers: OrderOffers): boolean {
  return !orderOffers.hasOrderDiscounts && modesOf(orderOffers).every(areLevel)
}

function* weighings(field: LineField): Generator<readonly Weighing[]> {
  const { basis, orderOffers } = field
  const mayRound = findsLowest(orderOffers)
  const stayingThere = orderOffers.hasOrderDiscounts ? stayingOrders(field) : noneStaying
  const isTaken = (offer: Offer) => mayTakeAll(basis, offer)
  for (const { normals, stacks, isStaying } of modesOf(orderOffers)) {
    const staying = isStaying ? stayingThere : noneStaying
    for (const normal of normals.length === 0 ? [[]] : normals.map((each) => [each])) {
      const uses = [...normal, ...stacks]
      const isLevel = haveSameLines(uses.filter(isPercentage))
      const weigh = isLevel
        ? levelWeighing(basis, uses, staying)
        : apartWeighing(basis, uses, { staying, isTaken: () => false })
      const full = weigh(false)
      const alternatives = [mayRound ? full : { ...full, isRounded: false }]
      if (uses.some(isCapped)) alternatives.push(weigh(true))
      if (uses.some(isTaken)) alternatives.push(apartWeighing(basis, uses, { staying, isTaken })(false))
      yield alternatives
    }
  }
}

/**
 * No plans of lines that cost at least this much are worth more; Infinity where there are too many choices for that.
 *
 * @param rests   by basis position
 * @param before  what the basket costs before, with all that is added for nothing
 */
export function mostWeighed(field: LineField, rests: readonly Money[], before: Money): Money {
  if (!areFew(field)) return Number.POSITIVE_INFINITY
  let least = Number.POSITIVE_INFINITY
  for (const alternatives of weighings(field)) {
    let net = 0
    for (const { weightOf, added } of alternatives) {
      net = Math.max(
        net,
        rests.reduce((sum, rest, at) => sum + weightOf(at) * rest, added),
      )
    }
    least = Math.min(least, net)
  }
  return mostOver(before, least)
}

/** What a basket is worth at most that costs at least so much in the end, as far as doubles can tell. */
export function mostOver(before: Money, net: number): Money {
  return Math.floor(before - net + Math.max(1e-4, before * 1e-12))
}

/** Whether all lines count alike in some of the weighings: where percentages take their maximum amounts, or none stands. */
export function isEvenSomewhere({ orderOffers }: Field): boolean {
  const isEven = (offer: Offer) => !isPercentage(offer) || isCapped(offer)
  return modesOf(orderOffers).some(
    ({ normals, stacks }) => stacks.every(isEven) && (normals.length === 0 || normals.some(isEven)),
  )
}

/** Choices of order-level benefits: one of the normal ones, or none where there are none, below all stackable ones. */
interface Mode {
  readonly normals: readonly Offer[]
  readonly stacks: readonly Offer[]
  /** Whether order discounts of the POS stay below them. */
  readonly isStaying: boolean
}

function modesOf({ normals, stacks, hasOrderDiscounts }: OrderOffers): Mode[] {
  if (!hasOrderDiscounts) return [{ normals, stacks, isStaying: false }]
  const staying = { normals: normals.filter(adds), stacks: stacks.filter(adds), isStaying: true }
  if (stacks.some(replaces)) return [staying, { normals, stacks, isStaying: false }]
  const replacing = normals.filter(replaces)
  return replacing.length === 0 ? [staying] : [staying, { normals: replacing, stacks, isStaying: false }]
}

// Whether an amount may be all that its lines cost: where they hold little more than it.
function mayTakeAll({ lines }: Basis, offer: Offer): boolean {
  if (isPercentage(offer)) return false
  return sumOf(offer.lines.map((at) => lines[at]!.gross)) <= takenTimes * orderAmountOf(offer, Number.MAX_SAFE_INTEGER)
}

/** Times an amount that its lines hold, up to which it may be all that they cost in the end. */
const takenTimes = 4

// Whether percentages that stand together look at the same lines.
function areLevel({ normals, stacks }: Mode): boolean {
  const under = stacks.filter(isPercentage)
  if (normals.length === 0) return haveSameLines(under)
  return normals.every((normal) => haveSameLines(isPercentage(normal) ? [normal, ...under] : under))
}

function isPercentage({ percentage }: Offer): boolean {
  return percentage !== null
}

function isCapped({ percentage, maximumAmount }: Offer): boolean {
  return percentage !== null && maximumAmount !== Number.POSITIVE_INFINITY
}

/** Where order-level benefits that are used together take what they take. */
interface Region {
  readonly uses: readonly Offer[]
  /** 1 for the lines of the percentages, by basis position. */
  readonly inside: Uint8Array
  /** Amounts that look at some of those lines. */
  readonly touching: ReadonlySet<Offer>
  /** What the lines hold that those amounts look at beside. */
  readonly outside: Money
}

const noLines: readonly number[] = []

function regionOf({ lines }: Basis, uses: readonly Offer[]): Region {
  const inside = new Uint8Array(lines.length)
  for (const at of (uses.find(isPercentage) ?? uses[0])?.lines ?? noLines) inside[at] = 1
  const touching = new Set(uses.filter((each) => !isPercentage(each) && each.lines.some((at) => inside[at] === 1)))
  const others = new Set<number>()
  for (const offer of touching) for (const at of offer.lines) if (inside[at] === 0) others.add(at)
  let outside = 0
  for (const at of others) outside += lines[at]!.gross
  return { uses, inside, touching, outside }
}

// Of percentages over the very same lines. Amounts go outside these lines as far as anything can be there, for those inside
// are shrunk by all percentages that come later.
function levelWeighing(
  basis: Basis,
  uses: readonly Offer[],
  staying: StayingOrders,
): (isAtMaximum: boolean) => Weighing {
  const { inside, touching, outside: held } = regionOf(basis, uses)
  return (isAtMaximum) => {
    let outside = held
    let [weight, within, beside] = [1, 0, 0]
    for (const offer of uses) {
      const { percentage, maximumAmount } = offer
      if (percentage !== null && !(isAtMaximum && isCapped(offer))) {
        const left = 1 - percentage / percentageWhole
        weight *= left
        within = within * left + halfUp
      } else if (percentage !== null) within += maximumAmount
      else {
        const amount = orderAmountOf(offer, Number.MAX_SAFE_INTEGER)
        const apart = touching.has(offer) ? Math.min(amount, outside) : amount
        if (touching.has(offer)) outside -= apart
        beside += apart
        within += amount - apart
      }
    }
    const weightOf = (at: number) => (inside[at] === 1 ? weight : 1)
    return {
      weightOf,
      added: -within - beside - staying.takenBy(weightOf),
      isRounded: !isAtMaximum && staying.isInPlace && uses.every(isPercentage) && isTelling(weight, basis, uses),
    }
  }
}

interface Apart {
  readonly staying: StayingOrders
  /** Whether an amount counts as all that its lines cost. */
  readonly isTaken: (offer: Offer) => boolean
}

// Of percentages over different lines. From the last to the first it is known what a minor unit on a line still counts
// behind each of them. A percentage is spread over its lines in proportion, and a share is less than a unit off: as much is
// too little elsewhere, at most a quarter of a unit for each line, and twice as much where a maximum is spread once more.
// So much counts by what later percentages make of the lines.
function apartWeighing(
  { lines }: Basis,
  uses: readonly Offer[],
  { staying, isTaken }: Apart,
): (isAtMaximum: boolean) => Weighing {
  return (isAtMaximum) => {
    const weights = new Float64Array(lines.length).fill(1)
    let taken = 0
    for (const offer of uses.toReversed()) {
      const { percentage, maximumAmount } = offer
      const later = offer.lines.map((at) => weights[at]!)
      const [least, most] = [Math.min(...later), Math.max(...later)]
      if (isTaken(offer)) for (const at of offer.lines) weights[at] = 0
      else if (percentage === null) taken += orderAmountOf(offer, Number.MAX_SAFE_INTEGER) * most
      else if (isAtMaximum && isCapped(offer)) taken += maximumAmount * most
      else {
        const spreads = isCapped(offer) ? 2 : 1
        taken += halfUp * most + (spreads * (most - least) * later.length) / 4
        for (const at of offer.lines) weights[at]! *= 1 - percentage / percentageWhole
      }
    }
    const weightOf = (at: number) => weights[at]!
    return { weightOf, added: -taken - staying.takenBy(weightOf), isRounded: false }
  }
}

// Whether of plans that differ under the percentages alone the better one weighs more, as far as doubles can tell.
function isTelling(weight: number, { gross }: Basis, uses: readonly Offer[]): boolean {
  return weight >= leastMore(gross) || (weight === 0 && !uses.some(isCapped))
}

/** What rounding half up can add to a percentage. */
const halfUp = 0.5
