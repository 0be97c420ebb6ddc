import { haveSameLines } from './choose-orders.js'
import type { Field } from './field.js'
import { percentageWhole } from './money.js'
import type { Offer } from './offer.js'

/**
 * A lower bound of what a basket costs after one choice of order-level benefits: what each line costs times its weight,
 * and a constant.
 */
export interface Weighing {
  readonly weightOf: (at: number) => number
  /** 0 or less, in minor units. */
  readonly added: number
}

/**
 * For each choice of order-level benefits the weighings that hold under it, so that the greatest of them is the bound:
 * percentages in full, or the maximum amounts of those that have one. Null where what is taken does not follow from one
 * sum: order discounts of the POS, or stackable benefits over other lines.
 */
export function weighingsOf({ orderOffers }: Field): (readonly Weighing[])[] | null {
  const { normals, stacks, hasOrderDiscounts } = orderOffers
  if (hasOrderDiscounts) return null
  const choices = normals.length === 0 ? [stacks] : normals.map((normal) => [normal, ...stacks])
  if (!choices.every(haveSameLines)) return null
  return choices.map((uses) => {
    const full = weighingOf(uses, false)
    return uses.some(isCapped) ? [full, weighingOf(uses, true)] : [full]
  })
}

function isCapped({ percentage, maximumAmount }: Offer): boolean {
  return percentage !== null && maximumAmount !== Number.POSITIVE_INFINITY
}

function weighingOf(uses: readonly Offer[], capped: boolean): Weighing {
  const lines = new Set(uses[0]?.lines ?? [])
  let [weight, added] = [1, 0]
  for (const offer of uses) {
    const { percentage, maximumAmount, shape } = offer
    if (percentage !== null && !(capped && isCapped(offer))) {
      const left = 1 - percentage / percentageWhole
      weight *= left
      added = added * left - halfUp
    } else if (percentage !== null) added -= maximumAmount
    else if (shape.kind === 'order') added -= shape.takes(Number.MAX_SAFE_INTEGER)
  }
  return { weightOf: (at) => (lines.has(at) ? weight : 1), added }
}

/** What rounding half up can add to a percentage. */
const halfUp = 0.5
