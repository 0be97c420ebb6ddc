import type { BasisLine } from '../base/basis.js'
import { subsetsOf } from '../base/lists.js'
import type { Money } from '../base/money.js'
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

export interface CappedAssignment {
  readonly plan: LinePlan
  /** Lower bound of the cost without them. */
  readonly restBound: Money
  /** Upper bound of each amount, without its maximum. */
  readonly amounts: ReadonlyMap<Offer, Money>
}

/**
 * All uses that capped stacks can make of a line under an assignment.
 *
 * The gain without them plus all amounts bounds every plan: a later benefit loses at most the amount of an earlier one.
 * Each amount is the benefit's as the only capped one, which is the most.
 *
 * @param fixed  serves of the assignment
 * @param even   whether it does not matter on which lines a benefit takes; such ones apply wherever they may
 */
export function cappedAssignments(
  line: BasisLine,
  offers: LineOffers,
  { fixed, even }: { fixed: readonly Serve[]; even: (offer: Offer) => boolean },
): CappedAssignment[] {
  const uncapped = { ...offers, stacks: offers.stacks.filter((each) => !hasMaximum(each)) }
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

function planAs(
  line: BasisLine,
  offers: LineOffers,
  { off, fixed }: { off: boolean; fixed: readonly Serve[] },
): LinePlan {
  return line.own === 0 ? planLine(line, offers, fixed) : planLineIn(line, offers, { off, fixed })
}

export function isStacked({ shape, benefit }: Offer): boolean {
  return shape.kind === 'line' && benefit.combination === 'stackable'
}

// Capped stacks may also take own discounts off.
function basesOf(
  line: BasisLine,
  offers: LineOffers,
  { fixed, cappedStacks }: { fixed: readonly Serve[]; cappedStacks: readonly Offer[] },
): LinePlan[] {
  const plan = planLine(line, offers, fixed)
  if (line.own === 0) return [plan]
  const other = planLineIn(line, offers, { off: !plan.off, fixed })
  if (other.off === mayBeOff(line, other) || (other.off && cappedStacks.some(replaces))) return [plan, other]
  // By roundings alone, of each maximum too, own discounts off without a `replace` benefit may look better.
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
