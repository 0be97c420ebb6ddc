import { type BasisLine, partOf } from '../base/basis.js'
import { lineSteps, piecesTriedMax } from '../base/costs.js'
import type { Money } from '../base/money.js'
import type { Offer } from '../offers/offer.js'
import { fillLine, type Serve } from './fill.js'

/** What a plan says of one line. */
export interface LinePlan {
  /** Whether the POS's own line discounts are taken off. */
  readonly off: boolean
  /** Normal line-level benefits; each offer at most once. */
  readonly serves: readonly Serve[]
  /** Stackable line-level benefits, in the order of benefitId. */
  readonly stacks: readonly Offer[]
  /** What the line costs then, before order discounts and while no maximum amount bites. */
  readonly rest: Money
  /** Whatever is chosen here, the line costs no less than this; `rest` itself when proven. */
  readonly restBound: Money
}

/** The offers that look at one line. */
export interface LineOffers {
  /** Normal ones that no other line concerns, in the order of benefitId. */
  readonly free: readonly Offer[]
  /** Stackable ones, in the order of benefitId. */
  readonly stacks: readonly Offer[]
}

const noServes: readonly Serve[] = []
const noStacks: readonly Offer[] = []

/** Steps that planning or settling a line takes. */
export function stepsFor({ free, stacks }: LineOffers): number {
  return lineSteps(free.length + stacks.length)
}

/** What a line costs as the POS sent it, without order discounts. */
export function heldBy(line: BasisLine): Money {
  return line.gross - line.own
}

/** A line that no benefit touches. */
export function untouchedPlan(line: BasisLine): LinePlan {
  const rest = heldBy(line)
  return { off: false, serves: noServes, stacks: noStacks, rest, restBound: rest }
}

/**
 * The plan that makes one line cheapest, given what benefits shared with other lines have of it already.
 *
 * With own discounts of the POS on it there are two cases, each priced for itself: they stay, and only `add` benefits
 * stand on the line; or they are off, because some `replace` benefit stands on it (3-benefits 3). Where that is a
 * stackable one whose maximum may leave nothing for this line, only a bold plan counts on it; else it shows in the bound.
 */
export function planLine(
  line: BasisLine,
  offers: LineOffers,
  fixed: readonly Serve[] = noServes,
  isBold = false,
): LinePlan {
  if (line.own === 0) return planWith(line, offers, { off: false, hold: line.gross, fixed })
  const adding = { free: offers.free.filter(adds), stacks: offers.stacks.filter(adds) }
  const forced = fixed.some((serve) => replacesOn(line, serve))
  const kept = planWith(line, adding, { off: false, hold: heldBy(line), fixed })
  if (!forced && offers.free.every(adds) && offers.stacks.every(adds)) return kept
  const most = planWith(line, offers, { off: true, hold: line.gross, fixed })
  if (forced) return most
  if (most.rest >= kept.rest) return boundedBy(kept, most)
  const off = withReplacing(line, offers, most)
  const feasible = mayBeOff(line, { ...off, stacks: off.stacks.filter((each) => !hasMaximum(each)) })
  const isBetter = off.rest < kept.rest && (feasible || (isBold && off.stacks.some(replaces)))
  return isBetter ? boundedBy(off, kept) : boundedBy(kept, most)
}

// What a line costs at least in either case.
function boundedBy(plan: LinePlan, other: LinePlan): LinePlan {
  return other.restBound < plan.restBound ? { ...plan, restBound: other.restBound } : plan
}

/**
 * Of a line with its own discounts off the best plan found in which some benefit takes them off, where roundings alone
 * make one without any look best; that one bounds it.
 *
 * @param most  the plan that would be best, whoever takes them off; returned where no other is found
 */
export function withReplacing(line: BasisLine, offers: LineOffers, most: LinePlan): LinePlan {
  if (mayBeOff(line, most)) return most
  const fixed = most.serves.filter(({ offer }) => !offers.free.includes(offer))
  const free = fixed.reduce((left, { pieces, bought }) => left - pieces - bought, line.pieces)
  let best: LinePlan | null = null
  const judge = (plan: LinePlan) => {
    if (mayBeOff(line, plan) && (best === null || plan.rest < best.rest)) best = plan
  }
  for (let pieces = 1; pieces <= Math.min(free, piecesTriedMax); pieces++) {
    const mode = { off: true, hold: line.gross }
    if (offers.stacks.some(replaces)) judge(planWith(line, offers, { ...mode, fixed, idle: pieces }))
    for (const offer of offers.free) {
      if (!replaces(offer) || (offer.wholeLine && pieces < line.pieces)) continue
      const others = { free: offers.free.filter((each) => each !== offer), stacks: offers.stacks }
      judge(planWith(line, others, { ...mode, fixed: [...fixed, { offer, pieces, bought: 0 }] }))
    }
  }
  return best === null ? most : boundedBy(best, most)
}

/** Whether some benefit of a plan takes a line's own discounts off, as far as the line decides it. */
export function mayBeOff(line: BasisLine, { serves, stacks }: Pick<LinePlan, 'serves' | 'stacks'>): boolean {
  return serves.some((serve) => replacesOn(line, serve)) || stacks.some(replaces)
}

/** The plan of each line with what it has to itself. */
export function plansAlone(lines: readonly BasisLine[], lineOffers: readonly LineOffers[]): LinePlan[] {
  return lines.map((line, at) => {
    const { free, stacks } = lineOffers[at]!
    return free.length === 0 && stacks.length === 0 ? untouchedPlan(line) : planLine(line, lineOffers[at]!)
  })
}

/** The plan of a line with own discounts of the POS in one of the two cases, whatever the other would give. */
export function planLineIn(
  line: BasisLine,
  offers: LineOffers,
  { off, fixed }: { off: boolean; fixed: readonly Serve[] },
): LinePlan {
  if (off) return planWith(line, offers, { off, hold: line.gross, fixed })
  const adding = { free: offers.free.filter(adds), stacks: offers.stacks.filter(adds) }
  return planWith(line, adding, { off, hold: heldBy(line), fixed })
}

/**
 * What a line-level benefit that looks at each line by itself takes off one of its lines on which nothing else stands,
 * without its limits and maximum amount. One that keeps own discounts has no lines with any.
 */
export function gainAlone(line: BasisLine, offer: Offer): Money {
  const held = heldBy(line)
  if (line.own === 0 || adds(offer)) return offer.amountOn(line, line.pieces, held)
  return Math.max(0, offer.amountOn(line, line.pieces, line.gross) - line.own)
}

/** Whether an offer takes the POS's own discounts off what it discounts. */
export function replaces({ benefit }: Offer): boolean {
  return benefit.existingDiscounts === 'replace'
}

/**
 * Whether an offer takes the POS's own discounts off a line by what it has of it: units that it gives for nothing off keep
 * them; one of a bundle is always discounted.
 */
function replacesOn(line: BasisLine, { offer, pieces }: Serve): boolean {
  if (pieces === 0 || !replaces(offer)) return false
  return offer.shape.kind === 'bundle' || offer.amountOn(line, pieces, partOf(line, pieces, line.gross)) > 0
}

/** Whether a maximum amount may leave an offer with less than its share on a line, or with nothing. */
export function hasMaximum({ maximumAmount }: Offer): boolean {
  return maximumAmount !== Number.POSITIVE_INFINITY
}

/** Whether an offer stands beside the POS's own discounts. */
export function adds({ benefit }: Offer): boolean {
  return benefit.existingDiscounts === 'add'
}

interface LineMode {
  readonly off: boolean
  readonly hold: Money
  readonly fixed: readonly Serve[]
  /** Pieces that nobody is to have; absent: 0. */
  readonly idle?: number
}

function planWith(line: BasisLine, offers: LineOffers, { off, hold, fixed, idle = 0 }: LineMode): LinePlan {
  let free = line.pieces - idle
  let taken = 0
  for (const { offer, pieces, bought } of fixed) {
    free -= pieces + bought
    const isUnshared = offer.shape.kind !== 'bundle' && offer.maximumAmount === Number.POSITIVE_INFINITY
    if (pieces > 0 && isUnshared) taken += offer.amountOn(line, pieces, partOf(line, pieces, hold))
  }
  const fill = fillLine(line, offers.free, { free, hold })
  const left = hold - taken - fill.gain
  const stacked = stackOn(line, offers.stacks, left)
  const serves = fixed.length === 0 ? fill.serves : [...fixed, ...fill.serves]
  const least = hold - taken - fill.bound
  const restBound =
    fill.bound > fill.gain ? openBound(line, offers.stacks, { least, rest: stacked.rest }) : stacked.rest
  return { off, serves, stacks: stacked.stacks, rest: stacked.rest, restBound }
}

// What stackable benefits leave at least where it is not proven what they find. That their roundings make up for it does not
// prove it: what several lines share is still to come off before them.
function openBound(line: BasisLine, stacks: readonly Offer[], { least, rest }: { least: Money; rest: Money }): Money {
  return Math.min(stackOn(line, stacks, least).rest, Math.max(0, rest - 1))
}

/** Every stackable benefit that still takes something: a smaller rest before one never leaves a larger rest after it. */
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
    // Mostly all of them stand: the list is the same then.
    if (amount === 0) applied ??= stacks.slice(0, index)
    else applied?.push(offer)
    if (rest === 0) return { stacks: applied ?? stacks.slice(0, index + 1), rest }
  }
  return { stacks: applied ?? stacks, rest }
}
