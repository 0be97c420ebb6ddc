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

/** An assignment of a line with stackable benefits that have a maximum amount. */
export interface CappedAssignment {
  readonly plan: LinePlan
  /** Lower bound of the line's cost without those benefits. */
  readonly restBound: Money
  /** Upper bound of what each of them takes, without its maximum. */
  readonly amounts: ReadonlyMap<Offer, Money>
}

/**
 * All uses that capped stacks can make of a line under an assignment.
 *
 * The gain of the line without them plus all their amounts bounds every plan: whatever one takes off, a later one finds
 * less, and takes less by no more than that. Each amount is at most what the benefit takes as the only capped one.
 *
 * @param fixed  serves of the assignment
 * @param even   benefits for which it does not matter on which lines they take; they apply wherever they may
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

/** The plan of a line; with own discounts, in the given case. */
export function planAs(
  line: BasisLine,
  offers: LineOffers,
  { off, fixed }: { off: boolean; fixed: readonly Serve[] },
): LinePlan {
  return line.own === 0 ? planLine(line, offers, fixed) : planLineIn(line, offers, { off, fixed })
}

/** Whether an offer ties lines by its maximum amount alone, on top of others. */
export function isStacked({ shape, benefit }: Offer): boolean {
  return shape.kind === 'line' && benefit.combination === 'stackable'
}

// Own discounts stay, or go, also for the benefit of capped stacks.
function basesOf(
  line: BasisLine,
  offers: LineOffers,
  { fixed, cappedStacks }: { fixed: readonly Serve[]; cappedStacks: readonly Offer[] },
): LinePlan[] {
  const plan = planLine(line, offers, fixed)
  if (line.own === 0) return [plan]
  const other = planLineIn(line, offers, { off: !plan.off, fixed })
  if (other.off === mayBeOff(line, other) || (other.off && cappedStacks.some(replaces))) return [plan, other]
  // By roundings alone, of each maximum too, taking off own discounts without a benefit that does so may look better.
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
