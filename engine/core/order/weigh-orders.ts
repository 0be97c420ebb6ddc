import type { Basis } from '../base/basis.js'
import { alternativesMax, takenTimes, weighedCellsMax } from '../base/costs.js'
import { type Money, percentageWhole, sumOf } from '../base/money.js'
import { halfUp, leastMore } from '../base/tolerance.js'
import { adds, replaces } from '../lines/plan.js'
import type { BasketInstance, BasketLevels } from '../model/instance.js'
import type { OrderOffers } from '../model/order-plan.js'
import type { Offer } from '../offers/offer.js'
import { findsLowest, haveSameLines } from './choose-orders.js'
import { areSame } from './order-bound.js'
import { orderAmountOf } from './orders.js'
import { type Counts, type Known, noneStaying, type StayingOrders, stayingOrders } from './staying-orders.js'

/**
 * A lower bound of what a basket costs after one choice of order-level benefits: what each line costs times its weight,
 * and a constant.
 */
export interface Weighing extends Counts {
  /** 0 or less, in minor units. */
  readonly added: number
  /** Whether it is more than what a basket comes to by roundings alone, so that plans worked out one by one can close the gap. */
  readonly isTightToRounding: boolean
  /** One that is closer, by what is known under this one; absent or null: there is none. */
  readonly closer?: (known: Known) => Weighing | null
  /** Benefits of which later ones make it matter on which lines they are: percentages alone where it is rounded. */
  readonly earlier: readonly Offer[]
}

/** A choice of order-level benefits. */
export interface OrderWeighing {
  /** In full. */
  readonly weighing: Weighing
  /** No plans are worth more under it. */
  readonly most: Money
}

/**
 * For each choice of order-level benefits the weighings that hold under it, so that the greatest of them is the bound:
 * percentages in full, the maximum amounts of those that have one, or amounts as all that their lines cost. With order
 * discounts of the POS there are choices under which these stay, and others whose benefits take them off. Null where
 * there are too many of them to be weighed choice by choice, unless all percentages look at the same lines.
 *
 * They are worked out as they are asked for.
 */
export function weighingsOf(instance: BasketInstance): Iterable<readonly Weighing[]> | null {
  return areFew(instance) || areAllLevel(instance.orderOffers) ? weighings(instance) : null
}

function areFew({ basis, orderOffers: { normals, stacks } }: BasketInstance): boolean {
  const widest = normals.reduce((most, { lines }) => Math.max(most, lines.length), basis.lines.length)
  return stacks.reduce((sum, { lines }) => sum + lines.length, widest) * (normals.length + 1) <= weighedCellsMax
}

// Whether sums over lines that all percentages look at say it all.
function areAllLevel(orderOffers: OrderOffers): boolean {
  return !orderOffers.hasOrderDiscounts && modesOf(orderOffers).every(areLevel)
}

function* weighings(instance: BasketInstance): Generator<readonly Weighing[]> {
  const { basis, orderOffers } = instance
  const mayRound = findsLowest(orderOffers)
  const stayingThere = orderOffers.hasOrderDiscounts ? stayingOrders(instance) : noneStaying
  for (const { normals, stacks, isStaying } of modesOf(orderOffers)) {
    const staying = isStaying ? stayingThere : noneStaying
    for (const normal of normals.length === 0 ? [[]] : normals.map((each) => [each])) {
      const uses = [...normal, ...stacks]
      const isLevel = haveSameLines(uses.filter(isPercentage))
      const weighings = countsOf(basis, uses).map((counts): Weighing => {
        const isApart = counts.some((count) => count === 'least' || count === 'none')
        const weighing = (isLevel && !isApart ? levelWeighing : apartWeighing)(basis, uses, counts)
        const isFixed = staying.isInPlace && (weighing.earlier.length === 0 || !isStaying)
        return { ...weighing, isTightToRounding: weighing.isTightToRounding && mayRound && isFixed }
      })
      yield weighings.map((weighing) => (staying.isInPlace ? staying.takenFrom(weighing) : movedIn(weighing, staying)))
    }
  }
}

// Closer by what is known under the first, and once more by the plans found then, where these are others.
function movedIn(weighing: Weighing, { takenFrom, takenByLine }: StayingOrders): Weighing {
  const closer = (known: Known): Weighing => ({
    ...takenByLine(weighing, known),
    closer: ({ rests }) => (areSame(rests, known.rests) ? null : takenByLine(weighing, { ...known, rests })),
  })
  return { ...takenFrom(weighing), closer }
}

/**
 * What plans of lines that cost at least this much are worth at most, choice by choice; null where there are too many.
 *
 * @param rests   by basis position
 * @param before  what the basket costs before, with all that is added for nothing
 */
export function weighedOver(instance: BasketInstance, rests: readonly Money[], before: Money): OrderWeighing[] | null {
  if (!areFew(instance)) return null
  return Array.from(weighings(instance), (alternatives) => {
    let net = 0
    for (const { weightOf, added } of alternatives) {
      net = Math.max(
        net,
        rests.reduce((sum, rest, at) => sum + weightOf(at) * rest, added),
      )
    }
    return { weighing: alternatives[0]!, most: mostOver(before, net) }
  })
}

/** What a basket is worth at most that costs at least so much in the end, as far as doubles can tell. */
export function mostOver(before: Money, net: number): Money {
  return Math.floor(before - net + leastMore(before))
}

/** Whether all lines count alike in some of the weighings: where percentages take their maximum amounts, or none stands. */
export function isEvenSomewhere({ orderOffers }: BasketLevels): boolean {
  const isEven = (offer: Offer) => !isPercentage(offer) || isCapped(offer)
  return modesOf(orderOffers).some(
    ({ normals, stacks }) => stacks.every(isEven) && (normals.length === 0 || normals.some(isEven)),
  )
}

/** Choices of order-level benefits: one of the normal ones, or none where there are none, below all stackable ones. */
interface OrderMode {
  readonly normals: readonly Offer[]
  readonly stacks: readonly Offer[]
  /** Whether order discounts of the POS stay below them. */
  readonly isStaying: boolean
}

function modesOf({ normals, stacks, hasOrderDiscounts }: OrderOffers): OrderMode[] {
  if (!hasOrderDiscounts) return [{ normals, stacks, isStaying: false }]
  const staying = { normals: normals.filter(adds), stacks: stacks.filter(adds), isStaying: true }
  if (stacks.some(replaces)) return [staying, { normals, stacks, isStaying: false }]
  const replacing = normals.filter(replaces)
  return replacing.length === 0 ? [staying] : [staying, { normals: replacing, stacks, isStaying: false }]
}

/**
 * How an order-level benefit counts in a weighing: as a percentage in full; as its amount, or maximum amount, on the lines
 * that count most behind it; as the same on lines of which each counts no more than the one that counts least; or as all that
 * its lines cost.
 */
type Count = 'full' | 'most' | 'least' | 'none'

// The choices for all benefits of a kind together, the first one of each first.
function countsOf(basis: Basis, uses: readonly Offer[]): Count[][] {
  const isLevel = haveSameLines(uses)
  return uses
    .reduce<Count[][]>(
      (all, offer, index) => {
        const counts: Count[] = isPercentage(offer) ? ['full'] : []
        if (!isPercentage(offer) || isCapped(offer)) {
          counts.push('most')
          if (!isLevel && index < uses.length - 1) counts.push('least')
        }
        if (mayTakeAll(basis, offer)) counts.push('none')
        return counts.flatMap((count) => all.map((each) => [...each, count]))
      },
      [[]],
    )
    .slice(0, alternativesMax)
}

// Whether an amount may be all that its lines cost: where they hold little more than it.
function mayTakeAll({ lines }: Basis, offer: Offer): boolean {
  if (isPercentage(offer)) return false
  return sumOf(offer.lines.map((at) => lines[at]!.gross)) <= takenTimes * orderAmountOf(offer, Number.MAX_SAFE_INTEGER)
}

// Whether percentages that stand together look at the same lines.
function areLevel({ normals, stacks }: OrderMode): boolean {
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
function levelWeighing(basis: Basis, uses: readonly Offer[], counts: readonly Count[]): Weighing {
  const region = regionOf(basis, uses)
  const { inside, touching } = region
  let { outside } = region
  let [weight, within, beside] = [1, 0, 0]
  for (const [index, offer] of uses.entries()) {
    const { percentage, maximumAmount } = offer
    if (percentage !== null && counts[index] === 'full') {
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
  return {
    weightOf: (at) => (inside[at] === 1 ? weight : 1),
    added: -within - beside,
    isTightToRounding: counts.every((count) => count === 'full') && isDistinguishing(weight, basis, uses),
    earlier: [],
  }
}

// Of percentages over different lines. From the last to the first it is known what a minor unit on a line still counts
// behind each of them. A percentage is spread over its lines in proportion, and twice where its maximum amount is.
function apartWeighing({ lines }: Basis, uses: readonly Offer[], counts: readonly Count[]): Weighing {
  const weights = new Float64Array(lines.length).fill(1)
  let taken = 0
  for (let index = uses.length - 1; index >= 0; index--) {
    const offer = uses[index]!
    const later = offer.lines.map((at) => weights[at]!)
    const [least, most] = [Math.min(...later), Math.max(...later)]
    const amount = orderAmountOf(offer, Number.MAX_SAFE_INTEGER)
    switch (counts[index]!) {
      case 'none':
        for (const at of offer.lines) weights[at] = 0
        break
      case 'least':
        taken += amount * least
        for (const at of offer.lines) weights[at] = least
        break
      case 'most':
        taken += mostTaken(lines, offer.lines, { weights, amount })
        break
      case 'full':
        taken += halfUp * most + (isCapped(offer) ? 2 : 1) * spreadWrong(later)
        for (const at of offer.lines) weights[at]! *= 1 - offer.percentage! / percentageWhole
    }
  }
  const earlier = uses.slice(0, -1)
  const last = counts.at(-1)
  const isTightToRounding =
    (last === 'full' || last === 'most') && counts.every((count, index) => count === 'full' || index === earlier.length)
  return { weightOf: (at) => weights[at]!, added: -taken, isTightToRounding, earlier }
}

// What shares can count more than they would without rounding. Units left over go to the largest remainders: of lines of which
// some count more than the others, these get at most the product of both counts by that of all more than in proportion.
function spreadWrong(weights: readonly number[]): number {
  const sorted = weights.toSorted((one, other) => one - other)
  let wrong = 0
  for (let below = 1; below < sorted.length; below++) {
    wrong += ((sorted[below]! - sorted[below - 1]!) * below * (sorted.length - below)) / sorted.length
  }
  return wrong
}

// An amount on the lines of the greatest weight, as much on each as it can cost.
function mostTaken(
  lines: Basis['lines'],
  own: readonly number[],
  { weights, amount }: { weights: Float64Array; amount: Money },
): number {
  let [taken, left] = [0, amount]
  for (const at of own.toSorted((one, other) => weights[other]! - weights[one]!)) {
    const here = Math.min(left, lines[at]!.gross)
    taken += here * weights[at]!
    left -= here
  }
  return taken
}

// Whether of plans that differ under the percentages alone the better one weighs more, as far as doubles can tell.
function isDistinguishing(weight: number, { gross }: Basis, uses: readonly Offer[]): boolean {
  return weight >= leastMore(gross) || (weight === 0 && !uses.some(isCapped))
}
