import type { Basis } from './basis.js'
import { findsLowest, haveSameLines } from './choose-orders.js'
import type { Field } from './field.js'
import { type Money, percentageWhole } from './money.js'
import type { Offer } from './offer.js'
import { orderAmountOf } from './orders.js'
import { leastMore } from './walk.js'

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
 * percentages in full, or the maximum amounts of those that have one. Null where what is taken does not follow from the
 * sum over the lines of the percentages: order discounts of the POS, or percentages over different lines.
 *
 * They are worked out as they are asked for.
 */
export function weighingsOf({ basis, orderOffers }: Field): Iterable<readonly Weighing[]> | null {
  const { normals, stacks, hasOrderDiscounts } = orderOffers
  if (hasOrderDiscounts) return null
  const under = stacks.filter(isPercentage)
  if (!normals.every((normal) => haveSameLines(isPercentage(normal) ? [normal, ...under] : under))) return null
  if (normals.length === 0 && !haveSameLines(under)) return null
  const choices = normals.length === 0 ? [[]] : normals.map((normal) => [normal])
  return weighings(choices, stacks, { basis, mayRound: findsLowest(orderOffers) })
}

/** Whether all lines count alike in some of the weighings: where percentages take their maximum amounts, or none stands. */
export function isEvenSomewhere({ orderOffers: { normals, stacks } }: Field): boolean {
  const isEven = (offer: Offer) => !isPercentage(offer) || isCapped(offer)
  return stacks.every(isEven) && (normals.length === 0 || normals.some(isEven))
}

// One by one: there may be more than a budget is for.
function* weighings(
  choices: readonly (readonly Offer[])[],
  stacks: readonly Offer[],
  { basis, mayRound }: Pick<Field, 'basis'> & { readonly mayRound: boolean },
): Generator<readonly Weighing[]> {
  for (const normal of choices) {
    const uses = [...normal, ...stacks]
    const region = regionOf(basis, uses)
    const full = weighingOf(basis, region, false)
    const each = mayRound ? full : { ...full, isRounded: false }
    yield uses.some(isCapped) ? [each, weighingOf(basis, region, true)] : [each]
  }
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

function regionOf({ lines }: Basis, uses: readonly Offer[]): Region {
  const inside = new Uint8Array(lines.length)
  for (const at of (uses.find(isPercentage) ?? uses[0]!).lines) inside[at] = 1
  const touching = new Set(uses.filter((each) => !isPercentage(each) && each.lines.some((at) => inside[at] === 1)))
  const others = new Set<number>()
  for (const offer of touching) for (const at of offer.lines) if (inside[at] === 0) others.add(at)
  let outside = 0
  for (const at of others) outside += lines[at]!.gross
  return { uses, inside, touching, outside }
}

// Amounts go outside the lines of the percentages as far as anything can be there, for those inside are shrunk by all
// percentages that come later.
function weighingOf(basis: Basis, { uses, inside, touching, outside: held }: Region, capped: boolean): Weighing {
  let outside = held
  let [weight, within, beside] = [1, 0, 0]
  for (const offer of uses) {
    const { percentage, maximumAmount } = offer
    if (percentage !== null && !(capped && isCapped(offer))) {
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
    isRounded: !capped && uses.every(isPercentage) && isTelling(weight, basis, uses),
  }
}

// Whether of plans that differ under the percentages alone the better one weighs more, as far as doubles can tell.
function isTelling(weight: number, { gross }: Basis, uses: readonly Offer[]): boolean {
  return weight >= leastMore(gross) || (weight === 0 && !uses.some(isCapped))
}

/** What rounding half up can add to a percentage. */
const halfUp = 0.5
