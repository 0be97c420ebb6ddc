import { type BasisLine, partOf } from '../base/basis.js'
import type { Serve } from '../lines/fill.js'
import { hasMaximum, heldBy, type LinePlan, mayBeOff, planLine, planLineIn, withReplacing } from '../lines/plan.js'
import type { ComponentInstance } from '../model/instance.js'
import type { Penalty, Task } from '../model/task.js'
import { hasAmountMax, isShared, type Offer, savesByTimes, savesTogether, shareLeft } from '../offers/offer.js'
import { cappedAssignments, isStacked } from './capped-stacks.js'
import { type LineWithOptions, nothing, type Option, type TiedLine } from './line-options.js'
import type { Use } from './state-machines.js'

/** A line and all its assignments, as numbers: there are thousands, most never taken. */
export interface WalkLine extends TiedLine {
  readonly uses: readonly (readonly Use[])[]
  readonly useOf: readonly (readonly number[])[]
  readonly gains: readonly number[]
  readonly busy: readonly number[]
  /** By assignment, below `count`: states with different numbers are never merged. */
  readonly apart: { readonly count: number; readonly numbers: readonly number[] }
  readonly planOf: (assignment: number) => LinePlan
  readonly isSure: (assignment: number) => boolean
}

/**
 * All assignments of each line, in the order of `tied`; null if too many to number.
 *
 * Shared amounts (savings of bundles, maxima) are known only at the end. If another benefit comes after them, or lines
 * weigh differently, assignments with a part are kept distinct. With `workedOut`, so are gains above the least weight
 * ('sums': the others are one sum), or all ('lines').
 */
export function walkLinesOf(
  instance: ComponentInstance,
  tied: readonly LineWithOptions[],
  { weights, penalties, workedOut, isApart }: WalkWeights,
): WalkLine[] | null {
  const entangled = new Set<number>()
  const light = workedOut === 'lines' ? 0 : Math.min(...(weights ?? [1]))
  for (const [index, offer] of instance.offers.entries()) {
    if (!isShared(offer)) continue
    const own = tied.filter(({ offers }) => offers.includes(index))
    const weight = workedOut !== undefined ? light : weights?.[own[0]!.at]
    const isEven = own.every((line) => isLastOn(instance, { line, offer, isApart }) && weights?.[line.at] === weight)
    if (!isEven) entangled.add(index)
  }
  let product = 1
  const lines = tied.map((each) => {
    const separatesGains = workedOut !== undefined && weights![each.at]! > light
    const counts = { weight: weights?.[each.at] ?? 1, penalty: penalties?.[each.at] ?? null }
    const line = walkLineOf(instance, each, { entangled, separatesGains, ...counts })
    product *= line.apart.count
    return line
  })
  return product < Number.MAX_SAFE_INTEGER ? lines : null
}

interface WalkWeights extends Pick<Task, 'weights' | 'penalties' | 'workedOut'> {
  readonly isApart: boolean
}

interface OfferOnLine {
  readonly line: TiedLine
  readonly offer: Offer
  readonly isApart: boolean
}

// No benefit follows the offer on the line and, if it is stackable, no other stackable one precedes it; with
// `isApart`, no other shared one either.
function isLastOn({ lineOffers, offers }: ComponentInstance, { line, offer, isApart }: OfferOnLine): boolean {
  const { stacks } = lineOffers[line.at]!
  if (!isStacked(offer)) return stacks.length === 0
  const others = line.offers.filter((index) => offers[index] !== offer)
  return (
    stacks.at(-1) === offer &&
    !others.some((index) => isStacked(offers[index]!) || (isApart && isShared(offers[index]!)))
  )
}

interface Separation {
  readonly entangled: ReadonlySet<number>
  readonly separatesGains: boolean
  readonly weight: number
  readonly penalty: Penalty | null
}

function walkLineOf(instance: ComponentInstance, tied: LineWithOptions, separation: Separation): WalkLine {
  const list = new AssignmentList(instance, tied, separation)
  const { at, offers, eligibilities, roles } = tied
  const known = isPlain(instance, at)
    ? listPlain(instance, tied, list)
    : listAll(instance, tied, { list, entangled: separation.entangled })
  const { uses, useOf, gains, busy, numbers, count, open } = list
  const isSure = (assignment: number) => known.isSure(assignment) && !open.has(assignment)
  const { planOf } = known
  return { at, offers, eligibilities, roles, uses, useOf, gains, busy, apart: { count, numbers }, planOf, isSure }
}

class AssignmentList {
  readonly uses: Use[][]
  readonly useOf: number[][]
  readonly gains: number[] = []
  readonly busy: number[] = []
  readonly numbers: number[] = []
  /** Assignments whose gain or penalty depends on other lines. */
  readonly open = new Set<number>()
  count = 1
  private readonly numbersByGain: Map<number, number> | null
  private readonly options: LineWithOptions['options']
  private readonly leftShares: readonly number[]
  /** By offer: whether its amount for each time may be cut. */
  private readonly mayBeCut: readonly boolean[]
  private readonly apart: readonly number[]

  constructor(
    private readonly instance: ComponentInstance,
    private readonly tied: LineWithOptions,
    private readonly separation: Separation,
  ) {
    const { offers, options } = tied
    const { entangled, separatesGains, penalty } = separation
    const priceOf = (at: number) => instance.lines[instance.indexOf.get(at)!]!.price
    this.leftShares = (penalty === null ? [] : offers).map((offer) => {
      const { shape } = instance.offers[offer]!
      return shape.kind === 'bundle' ? shareLeft(shape, priceOf) : 0
    })
    this.mayBeCut = offers.map((offer) => {
      const { shape } = instance.offers[offer]!
      return shape.kind === 'bundle' && shape.pays.kind === 'amount' && !shape.pays.isSure
    })
    this.options = options
    this.uses = offers.map(() => [])
    this.useOf = offers.map(() => [])
    this.numbersByGain = separatesGains ? new Map() : null
    const apart: number[] = []
    for (let of = 0; of < offers.length; of++) if (entangled.has(offers[of]!)) apart.push(of)
    this.apart = apart
  }

  /**
   * @param chosen  by offer: index of its option
   * @param uses    by offer: index of its use
   */
  add(chosen: readonly number[], uses: readonly number[], gain: number): void {
    let busy = 0
    for (let of = 0; of < uses.length; of++) {
      this.useOf[of]!.push(uses[of]!)
      if (this.options[of]![chosen[of]!]!.units === 0) continue
      busy++
      if (this.mayBeCut[of]!) this.open.add(this.gains.length)
    }
    this.gains.push(gain * this.separation.weight - this.penaltyOf(chosen, uses, gain))
    this.busy.push(busy)
    const isApart = this.apart.some((of) => hasPart(this.options[of]![chosen[of]!]!, this.uses[of]![uses[of]!]!))
    this.numbers.push(
      isApart ? this.count++ : this.numbersByGain === null ? 0 : this.numberOf(gain, this.numbersByGain),
    )
  }

  indexOf(of: number, use: Use): number {
    const own = this.uses[of]!
    for (let index = 0; index < own.length; index++) if (own[index] === use || isSame(own[index]!, use)) return index
    return own.push(use) - 1
  }

  // A lower bound. The least cost gives it, since cost plus penalty never falls with the cost. If other lines affect
  // the cost, it is the lesser of both ends, since penalties are monotone.
  private penaltyOf(chosen: readonly number[], uses: readonly number[], gain: number): number {
    const { penalty } = this.separation
    if (penalty === null) return 0
    const line = this.instance.lines[this.tied.at]!
    let rest = heldBy(line) - gain
    let isShared = false
    for (let of = 0; of < chosen.length; of++) {
      const option = this.options[of]![chosen[of]!]!
      const { serve } = option
      const { amount } = this.uses[of]![uses[of]!]!
      rest -= amount
      isShared ||= amount > 0
      if (serve === null || serve.pieces === 0 || !savesTogether(serve.offer)) continue
      isShared = true
      const part = amountOf(line, option, heldBy(line))
      if (savesByTimes(serve.offer)) rest -= part
      else rest += Math.max(0, Math.floor(this.leftShares[of]! * part) - 1)
    }
    const [own, most] = [penalty(Math.max(0, rest)), penalty(line.gross)]
    if (!isShared || own === most) return own
    this.open.add(this.gains.length)
    return Math.min(own, most)
  }

  private numberOf(gain: number, numbersByGain: Map<number, number>): number {
    const number = numbersByGain.get(gain) ?? (numbersByGain.size === 0 ? 0 : this.count++)
    numbersByGain.set(gain, number)
    return number
  }
}

function isSame(one: Use, other: Use): boolean {
  return (
    one.bought === other.bought &&
    one.amount === other.amount &&
    one.spent === other.spent &&
    one.taken.every((units, component) => units === other.taken[component])
  )
}

function hasPart({ units }: Option, { bought, amount }: Use): boolean {
  return units > bought || (units === 0 && amount > 0)
}

function eachAssignment(
  options: LineWithOptions['options'],
  pieces: number,
  add: (chosen: readonly number[]) => void,
): void {
  const chosen = options.map(() => 0)
  const assign = (of: number, free: number) => {
    const own = options[of]
    if (own === undefined) return add(chosen)
    for (let option = 0; option < own.length; option++) {
      const { units } = own[option]!
      if (units > free) continue
      chosen[of] = option
      assign(of + 1, free - units)
    }
  }
  assign(0, pieces)
}

function isPlain({ lines, lineOffers }: ComponentInstance, at: number): boolean {
  const [{ own, cluster }, { untied, stacks }] = [lines[at]!, lineOffers[at]!]
  return own === 0 && cluster === undefined && untied.length + stacks.length === 0
}

type PlanLookup = Pick<WalkLine, 'planOf' | 'isSure'>

function listPlain(
  { lines, lineOffers }: ComponentInstance,
  { at, options }: LineWithOptions,
  list: AssignmentList,
): PlanLookup {
  const line = lines[at]!
  const gains = options.map((own, of) => {
    return own.map((option) => {
      const amount = amountOf(line, option, line.gross)
      const { serve, use } = option
      const isCapped = serve !== null && !savesTogether(serve.offer) && isShared(serve.offer)
      const known = serve !== null && hasAmountMax(serve.offer) ? { ...use, spent: amount } : use
      list.uses[of]!.push(isCapped ? { ...known, amount } : known)
      return isCapped || (serve !== null && savesByTimes(serve.offer)) ? 0 : amount
    })
  })
  eachAssignment(options, line.pieces, (chosen) => {
    let gain = 0
    for (let of = 0; of < chosen.length; of++) gain += gains[of]![chosen[of]!]!
    list.add(chosen, chosen, gain)
  })
  const chosenBy = (assignment: number) => options.map((own, of) => own[list.useOf[of]![assignment]!]!)
  return { planOf: (assignment) => planLine(line, lineOffers[at]!, servesOf(chosenBy(assignment))), isSure: () => true }
}

interface Assignment {
  readonly plan: LinePlan
  readonly uses: readonly Use[]
  readonly gain: number
  readonly isSure: boolean
}

function listAll(
  instance: ComponentInstance,
  tied: LineWithOptions,
  { list, entangled }: { list: AssignmentList; entangled: ReadonlySet<number> },
): PlanLookup {
  const { options } = tied
  const assignments: Assignment[] = []
  const taken = options.map((own) => own[0]!)
  const numbers = options.map(() => 0)
  eachAssignment(options, instance.lines[tied.at]!.pieces, (chosen) => {
    for (let of = 0; of < chosen.length; of++) taken[of] = options[of]![chosen[of]!]!
    for (const assignment of assignmentsOf(instance, tied, { chosen: taken, entangled })) {
      assignments.push(assignment)
      for (let of = 0; of < numbers.length; of++) numbers[of] = list.indexOf(of, assignment.uses[of]!)
      list.add(chosen, numbers, assignment.gain)
    }
  })
  return {
    planOf: (assignment) => assignments[assignment]!.plan,
    isSure: (assignment) => assignments[assignment]!.isSure,
  }
}

function amountOf(line: BasisLine, { serve }: Option, hold: number): number {
  if (serve === null || serve.pieces === 0) return 0
  return serve.offer.amountOn(line, serve.pieces, partOf(line, serve.pieces, hold))
}

function servesOf(chosen: readonly Option[]): Serve[] {
  const serves: Serve[] = []
  for (let of = 0; of < chosen.length; of++) {
    const { serve } = chosen[of]!
    if (serve !== null) serves.push(serve)
  }
  return serves
}

interface ChosenOptions {
  readonly chosen: readonly Option[]
  readonly entangled: ReadonlySet<number>
}

function assignmentsOf(instance: ComponentInstance, tied: TiedLine, chosenOptions: ChosenOptions): Assignment[] {
  const { at, offers } = tied
  const { chosen } = chosenOptions
  const line = instance.lines[at]!
  const fixed = servesOf(chosen)
  if (offers.some((index) => isStacked(instance.offers[index]!)))
    return assignmentsBelow(instance, tied, { ...chosenOptions, fixed })
  const assignments = plansOf(instance, at, fixed).map((plan): Assignment => {
    const { uses, taken } = usesOf(line, chosen, plan)
    const gain = heldBy(line) - plan.restBound + taken
    return { plan, uses, gain, isSure: isSure(plan) }
  })
  if (assignments.length === 1) return assignments
  // By roundings alone, own discounts off without a `replace` benefit may look better.
  return assignments.flatMap((assignment, index) => {
    if (index === 0 || assignment.plan.off === mayBeOff(line, assignment.plan)) return [assignment]
    if (!assignment.plan.off || mostOf(assignment) <= mostOf(assignments[0]!)) return []
    const plan = withReplacing(line, instance.lineOffers[at]!, assignment.plan)
    return [{ ...assignment, plan, isSure: isSure(plan) }]
  })
}

function isSure({ rest, restBound, stacks }: LinePlan): boolean {
  return rest === restBound && !stacks.some(hasMaximum)
}

function mostOf({ gain, uses }: Assignment): number {
  return uses.reduce((sum, { amount }) => sum + amount, gain)
}

// Amounts of bundles are returned apart: no line gains them by itself.
function usesOf(
  line: BasisLine,
  chosen: readonly Option[],
  { off }: LinePlan,
): { readonly uses: Use[]; readonly taken: number } {
  const hold = off ? line.gross : heldBy(line)
  let taken = 0
  const uses = chosen.map((option) => {
    const { use, serve } = option
    if (serve === null || !(isShared(serve.offer) || hasAmountMax(serve.offer))) return use
    const amount = amountOf(line, option, hold)
    const known = hasAmountMax(serve.offer) ? { ...use, spent: amount } : use
    if (!isShared(serve.offer)) return known
    if (!savesTogether(serve.offer)) return { ...known, amount }
    if (!savesByTimes(serve.offer)) taken += amount
    return known
  })
  return { uses, taken }
}

// Assignments with entangled offers stay distinct and are settled. In others, shared amounts may leave less to capped
// stacks.
function assignmentsBelow(
  instance: ComponentInstance,
  { at, offers }: TiedLine,
  { chosen, entangled, fixed }: ChosenOptions & { fixed: readonly Serve[] },
): Assignment[] {
  const line = instance.lines[at]!
  const even = (offer: Offer) => !entangled.has(instance.offers.indexOf(offer))
  const isSettled = fixed.every(({ offer }) => !isShared(offer))
  return cappedAssignments(line, instance.lineOffers[at]!, { fixed, even }).map(({ plan, restBound, amounts }) => {
    const used = usesOf(line, chosen, plan)
    const uses = used.uses.map((use, of) =>
      chosen[of] === nothing ? { ...use, amount: amounts.get(instance.offers[offers[of]!]!) ?? 0 } : use,
    )
    const gain = heldBy(line) - restBound + used.taken
    const areApart = [...amounts.keys()].every((offer) => !even(offer))
    return { plan, uses, gain, isSure: plan.rest === restBound && (areApart || isSettled) }
  })
}

// Shared amounts and money left may decide whether own discounts stay.
function plansOf({ lines, lineOffers }: ComponentInstance, at: number, fixed: readonly Serve[]): LinePlan[] {
  const line = lines[at]!
  const plan = planLine(line, lineOffers[at]!, fixed)
  if (line.own === 0 || fixed.every(({ offer }) => !isShared(offer) && !hasAmountMax(offer))) return [plan]
  return [plan, planLineIn(line, lineOffers[at]!, { off: !plan.off, fixed })]
}
