import type { BasisLine } from '../base/basis.js'
import type { Money } from '../base/money.js'
import { subsetsOf } from '../base/subsets.js'
import type { Serve } from '../lines/fill.js'
import {
  adds,
  hasMaximum,
  type LineOffers,
  type LinePlan,
  mayBeOff,
  planLine,
  planLineIn,
  replaces,
  withReplacing,
} from '../lines/plan.js'
import type { Offer } from '../offers/offer.js'

/** An assignment of a line on which stackable benefits with a maximum amount can stand. */
export interface CappedAssignment {
  readonly plan: LinePlan
  /** What the line costs without those benefits at least. */
  readonly restBound: Money
  /** What each that stands would take at most, were there no maximum. */
  readonly amounts: ReadonlyMap<Offer, Money>
}

/**
 * What stackable benefits with a maximum amount can have of a line with some assignment.
 *
 * No plan gains more than the line does without them and what all of them take: whatever one takes off, a later one
 * finds less, and what a later one takes falls by no more than that. What each takes is at most what it would take were it
 * the only one of its kind.
 *
 * @param fixed  what the line is to serve
 * @param even   those of which it does not matter on which of their lines they take: they stand wherever they may
 */
export function cappedAssignments(
  line: BasisLine,
  offers: LineOffers,
  { fixed, even }: { fixed: readonly Serve[]; even: (offer: Offer) => boolean },
): CappedAssignment[] {
  const uncapped = { free: offers.free, stacks: offers.stacks.filter((each) => !hasMaximum(each)) }
  const cappedStacks = offers.stacks.filter(hasMaximum)
  return basesOf(line, uncapped, { fixed, cappedStacks }).flatMap((plan) => {
    const { off, restBound } = plan
    const applied = offers.stacks.filter((each) => off || line.own === 0 || adds(each))
    const amounts = amountsOf(line, applied, planAs(line, { ...uncapped, stacks: [] }, { off, fixed }).rest)
    const chosen = [...amounts.keys()].filter((each) => !even(each))
    return [...subsetsOf(chosen)].map((taken) => {
      const stands = (each: Offer) => !hasMaximum(each) || (amounts.has(each) && (even(each) || taken.includes(each)))
      return {
        plan: { ...plan, stacks: applied.filter(stands) },
        restBound,
        amounts: new Map([...amounts].filter(([each]) => stands(each))),
      }
    })
  })
}

/** The plan of a line, in the given one of its two cases where it has own discounts. */
export function planAs(
  line: BasisLine,
  offers: LineOffers,
  { off, fixed }: { off: boolean; fixed: readonly Serve[] },
): LinePlan {
  return line.own === 0 ? planLine(line, offers, fixed) : planLineIn(line, offers, { off, fixed })
}

/** Whether an offer ties lines by its maximum amount alone, on top of all that is assigned to others. */
export function isStacked({ shape, benefit }: Offer): boolean {
  return shape.kind === 'line' && benefit.combination === 'stackable'
}

// With own discounts on the line they stay, or go, be it for the sake of what is stacked.
function basesOf(
  line: BasisLine,
  offers: LineOffers,
  { fixed, cappedStacks }: { fixed: readonly Serve[]; cappedStacks: readonly Offer[] },
): LinePlan[] {
  const plan = planLine(line, offers, fixed)
  if (line.own === 0) return [plan]
  const other = planLineIn(line, offers, { off: !plan.off, fixed })
  if (other.off === mayBeOff(line, other) || (other.off && cappedStacks.some(replaces))) return [plan, other]
  // Where nobody takes own discounts off roundings alone can look better, each maximum's too.
  const isNear = other.off && other.restBound < plan.restBound + cappedStacks.length
  return isNear ? [plan, withReplacing(line, offers, other)] : [plan]
}

function amountsOf(line: BasisLine, applied: readonly Offer[], rest: Money): Map<Offer, Money> {
  const amounts = new Map<Offer, Money>()
  let left = rest
  for (const offer of applied) {
    const amount = offer.amountOn(line, line.pieces, left)
    if (!hasMaximum(offer)) left -= amount
    else if (amount > 0) amounts.set(offer, amount)
  }
  return amounts
}
