import type { Basis } from '../base/basis.js'
import { alternativesMax, takenTimes, weighedCellsMax } from '../base/costs.js'
import { type Money, percentageWhole, sumOf } from '../base/money.js'
import { halfUp, leastMore } from '../base/tolerance.js'
import { adds, replaces } from '../lines/plan.js'
import type { BasketInstance, OrderOffers } from '../model/instance.js'
import type { Offer } from '../offers/offer.js'
import { findsLowest, haveSameLines } from './choose-orders.js'
import { orderAmountOf } from './orders.js'
import {
  type LineWeights,
  noneStaying,
  type SolvedWeighing,
  type StayingOrders,
  stayingOrders,
} from './staying-orders.js'

export interface Weighing extends LineWeights {
  readonly added: number
  /** True: only roundings separate it from the net, so that settling plans can close the gap. */
  readonly isTightToRounding: boolean
  readonly closer?: (known: SolvedWeighing) => Weighing
  /** Benefits before the last, if it matters on which lines they are. */
  readonly earlier: readonly Offer[]
}

export interface OrderWeighing {
  readonly weighing: Weighing
  readonly most: Money
}

/**
 * Weighings of each choice of order benefits, lazily; the greatest bound holds. Keeping and taking off the POS's order
 * discounts are separate choices. Null if too many, unless all percentages look at the same lines.
 *
 * @param isShort  asked before each choice: whether one weighing of it has to do
 */
export function weighingsOf(instance: BasketInstance, isShort: () => boolean): Iterable<readonly Weighing[]> | null {
  return areFew(instance) || areAllLevel(instance.orderOffers) ? weighings(instance, isShort) : null
}

function areFew({ basis, orderOffers: { normals, stacks } }: BasketInstance): boolean {
  const widest = normals.reduce((most, { lines }) => Math.max(most, lines.length), basis.lines.length)
  return stacks.reduce((sum, { lines }) => sum + lines.length, widest) * (normals.length + 1) <= weighedCellsMax
}

function areAllLevel(orderOffers: OrderOffers): boolean {
  return !orderOffers.hasOrderDiscounts && modesOf(orderOffers).every(areLevel)
}

function* weighings(instance: BasketInstance, isShort: () => boolean): Generator<readonly Weighing[]> {
  const { basis, orderOffers } = instance
  const mayRound = findsLowest(orderOffers)
  const stayingThere = orderOffers.hasOrderDiscounts ? stayingOrders(instance) : noneStaying
  for (const { normals, stacks, isStaying } of modesOf(orderOffers)) {
    const staying = isStaying ? stayingThere : noneStaying
    for (const normal of normals.length === 0 ? [[]] : normals.map((each) => [each])) {
      const uses = [...normal, ...stacks]
      const isLevel = haveSameLines(uses.filter(isPercentage))
      const weighings = countsOf(basis, uses, isShort() ? 1 : alternativesMax).map((counts): Weighing => {
        const isApart = counts.includes('none')
        const weighing = (isLevel && !isApart ? levelWeighing : apartWeighing)(basis, uses, counts)
        const isFixed = staying.isInPlace && (weighing.earlier.length === 0 || !isStaying)
        return { ...weighing, isTightToRounding: weighing.isTightToRounding && mayRound && isFixed }
      })
      yield weighings.map((weighing) => (staying.isInPlace ? staying.takenFrom(weighing) : movedIn(weighing, staying)))
    }
  }
}

function movedIn(weighing: Weighing, { takenFrom, takenByLine }: StayingOrders): Weighing {
  return { ...takenFrom(weighing), closer: (known) => takenByLine(weighing, known) }
}

export function weighedOver(instance: BasketInstance, rests: readonly Money[], before: Money): OrderWeighing[] | null {
  if (!areFew(instance)) return null
  return Array.from(
    weighings(instance, () => false),
    (alternatives) => {
      let net = 0
      for (const { weightOf, added } of alternatives) {
        net = Math.max(
          net,
          rests.reduce((sum, rest, at) => sum + weightOf(at) * rest, added),
        )
      }
      return { weighing: alternatives[0]!, most: mostOver(before, net) }
    },
  )
}

/** Upper bound of the value at a net of at least `net`, with the error of doubles. */
export function mostOver(before: Money, net: number): Money {
  return Math.floor(before - net + leastMore(before))
}

/** True: some choice weighs all lines alike. */
export function isEvenSomewhere({ orderOffers }: BasketInstance): boolean {
  const isEven = (offer: Offer) => !isPercentage(offer) || isCapped(offer)
  return modesOf(orderOffers).some(
    ({ normals, stacks }) => stacks.every(isEven) && (normals.length === 0 || normals.some(isEven)),
  )
}

interface OrderMode {
  readonly normals: readonly Offer[]
  readonly stacks: readonly Offer[]
  readonly isStaying: boolean
}

function modesOf({ normals, stacks, hasOrderDiscounts }: OrderOffers): OrderMode[] {
  if (!hasOrderDiscounts) return [{ normals, stacks, isStaying: false }]
  const staying = { normals: normals.filter(adds), stacks: stacks.filter(adds), isStaying: true }
  if (stacks.some(replaces)) return [staying, { normals, stacks, isStaying: false }]
  const replacing = normals.filter(replaces)
  return replacing.length === 0 ? [staying] : [staying, { normals: replacing, stacks, isStaying: false }]
}

/** `full`: a percentage. `most`: its amount or maximum on lines of the greatest weight. `none`: all that its lines cost. */
type Count = 'full' | 'most' | 'none'

// The first combinations: counts of the first benefits vary fastest, later ones keep their first count.
function countsOf(basis: Basis, uses: readonly Offer[], most: number): Count[][] {
  const combinations: Count[][] = [[]]
  for (const offer of uses) {
    const counts: Count[] = isPercentage(offer) ? ['full'] : []
    if (!isPercentage(offer) || isCapped(offer)) counts.push('most')
    if (mayTakeAll(basis, offer)) counts.push('none')
    const before = combinations.length
    for (const count of counts.slice(1)) {
      for (let each = 0; each < before && combinations.length < most; each++)
        combinations.push([...combinations[each]!, count])
    }
    for (let each = 0; each < before; each++) combinations[each]!.push(counts[0]!)
  }
  return combinations
}

function mayTakeAll({ lines }: Basis, offer: Offer): boolean {
  if (isPercentage(offer)) return false
  return sumOf(offer.lines.map((at) => lines[at]!.gross)) <= takenTimes * orderAmountOf(offer, Number.MAX_SAFE_INTEGER)
}

function areLevel({ normals, stacks }: OrderMode): boolean {
  const under = stacks.filter(isPercentage)
  if (normals.length === 0) return haveSameLines(under)
  return normals.every((normal) => haveSameLines(isPercentage(normal) ? [normal, ...under] : under))
}

export function isPercentage({ percentage }: Offer): boolean {
  return percentage !== null
}

function isCapped({ percentage, maximumAmount }: Offer): boolean {
  return percentage !== null && maximumAmount !== Number.POSITIVE_INFINITY
}

interface Region {
  readonly uses: readonly Offer[]
  readonly inside: Uint8Array
  readonly touching: ReadonlySet<Offer>
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

// Over different lines, last to first. A percentage is spread and rounded once, with a maximum amount twice.
function apartWeighing({ lines }: Basis, uses: readonly Offer[], counts: readonly Count[]): Weighing {
  const weights = new Float64Array(lines.length).fill(1)
  let taken = 0
  for (let index = uses.length - 1; index >= 0; index--) {
    const offer = uses[index]!
    const later = offer.lines.map((at) => weights[at]!)
    const most = Math.max(...later)
    const amount = orderAmountOf(offer, Number.MAX_SAFE_INTEGER)
    switch (counts[index]!) {
      case 'none':
        for (const at of offer.lines) weights[at] = 0
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

// k of n lines receive at most k * (n - k) / n more than in proportion.
function spreadWrong(weights: readonly number[]): number {
  const sorted = weights.toSorted((one, other) => one - other)
  let wrong = 0
  for (let below = 1; below < sorted.length; below++) {
    wrong += ((sorted[below]! - sorted[below - 1]!) * below * (sorted.length - below)) / sorted.length
  }
  return wrong
}

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

// True: a better plan weighs more under percentages alone, beyond the error of doubles.
function isDistinguishing(weight: number, { gross }: Basis, uses: readonly Offer[]): boolean {
  return weight >= leastMore(gross) || (weight === 0 && !uses.some(isCapped))
}
