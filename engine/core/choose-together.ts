import type { OrderChoice } from './choose-orders.js'
import { chooseRounded } from './choose-rounded.js'
import { type Component, chooseComponent } from './component.js'
import { jointTask, type LineField, lineTask, orderSteps, ordersOver, plansWith, settleSteps } from './field.js'
import { makeFirm } from './firm.js'
import type { Money } from './money.js'
import { sumOf } from './orders.js'
import { heldBy, type LinePlan, stepsFor } from './plan.js'
import { quickPlans } from './quick-plans.js'
import { type FreeUnits, netBefore, settleLines } from './settle.js'
import { isEvenSomewhere, type Weighing, weighingsOf } from './weigh-orders.js'

/** What components that the order level tells apart come to together. */
export interface Joint {
  readonly plans: ReadonlyMap<number, LinePlan>
  /** The best order level over the plans of all lines, these among them; null where nobody has chosen it. */
  readonly orders: OrderChoice | null
  /** No plans of the basket are worth more. */
  readonly most: number
  /** Whether that follows from what lines cost alone, each times its weight. */
  readonly isSummed: boolean
  /** Whether nothing bounds them but what the basket costs before: the order level takes too long to be worked out. */
  readonly isUnbounded?: boolean
  readonly steps: number
}

interface Together {
  /** Plans of all lines; those of the components are to be found. */
  readonly plans: readonly LinePlan[]
  /** What the other lines cost at least. */
  readonly restBounds: readonly Money[]
  readonly free: readonly FreeUnits[]
  readonly stepsMax: number
}

/**
 * Chooses for components of which the order level sees some lines otherwise than others, so that it matters where the
 * gain is made. Under each way in which order discounts can weigh the lines, every component is a choice by itself;
 * where that does not prove the best, all of them are searched at once with the order level in the relaxation.
 */
export function chooseTogether(field: LineField, components: readonly Component[], together: Together): Joint {
  const joint = {
    lines: components.flatMap((component) => component.lines).sort((a, b) => a - b),
    offers: components.flatMap(({ offers }) => offers).sort((a, b) => a.rank - b.rank),
    loose: components.flatMap(({ loose }) => loose),
  }
  const first = chooseWeighed(field, components, together)
  const weighed = first === null || first.most === first.value ? first : workedOut(field, joint, { together, first })
  if (weighed !== null && weighed.most === weighed.value) return weighed
  const stepsMax = together.stepsMax - (weighed?.steps ?? 0)
  if (stepsMax < startsJudged * settleSteps(field)) return weighed ?? quickly(field, joint, together)
  const plans = together.plans.map((plan, at) => weighed?.plans.get(at) ?? plan)
  makeFirm(field, plans)
  const task = jointTask(field, { component: joint, plans, free: together.free, stepsMax })
  const start = joint.lines.map((at) => plans[at]!)
  const choice = chooseComponent(field.ground, joint, weighed === null ? task : { ...task, start })
  const summed = weighed?.most ?? Number.POSITIVE_INFINITY
  const relaxed = choice.bound + openBeside(field, joint, together)
  return {
    plans: new Map(joint.lines.map((at, index) => [at, choice.plans[index]!])),
    orders: null,
    most: Math.min(summed, relaxed),
    isSummed: summed <= relaxed,
    steps: choice.steps + (weighed?.steps ?? 0),
  }
}

/** Plans that a search works out, however small its budget is. */
const startsJudged = 2

/**
 * Whether within so many steps nothing would bound the basket either where its stackable maximum amounts were left out,
 * once that is so with them: the order level is the same, and it tells lines of some benefit apart.
 */
export function staysUnbounded(field: LineField, stepsMax: number): boolean {
  const { tying, kinds, orderOffers } = field
  const isApart = tying.some(({ lines }) => lines.some((at) => kinds[at] !== kinds[lines[0]!]))
  return (isApart || (tying.length > 0 && orderOffers.hasOrderDiscounts)) && stepsMax < startsJudged * orderSteps(field)
}

// No plans take more off than there is.
function quickly(field: LineField, component: Component, { free, stepsMax }: Together): Joint {
  const { plans, steps } = quickPlans(field.ground, component, stepsMax)
  const chosen = new Map(component.lines.map((at, index) => [at, plans[index]!]))
  return { plans: chosen, orders: null, most: netBefore(field.basis, free), isSummed: false, isUnbounded: true, steps }
}

// How much less the lines outside could cost than they do in the plans: whatever is chosen inside, the basket costs at
// most that much less.
function openBeside({ basis }: LineField, { lines }: Component, { plans, restBounds }: Together): Money {
  const inside = new Set(lines)
  const settled = settleLines(basis.lines, plans)!.lines
  return sumOf(settled.map(({ rest }, at) => (inside.has(at) ? 0 : Math.max(0, rest - restBounds[at]!))))
}

/** The best plans of all components under the weights of one weighing. */
interface Chosen {
  readonly plans: ReadonlyMap<number, LinePlan>
  /** What all lines cost at least, each times its weight. */
  readonly least: number
  /** The same for the same plans. */
  readonly name: string
}

interface Weighed extends Joint {
  readonly value: number
  /** The weighing of each choice of order-level benefits in full, with what any plans are worth at most under it. */
  readonly choices: readonly { readonly weighing: Weighing; readonly most: number }[]
}

// Where roundings alone could make plans better that are worth less by their weights; such plans are worked out.
function workedOut(
  field: LineField,
  component: Component,
  { together, first }: { together: Together; first: Weighed },
): Weighed {
  const open = first.choices.filter(({ most }) => most > first.value)
  if (!open.every(({ weighing }) => weighing.isRounded)) return first
  const before = netBefore(field.basis, together.free)
  let { value, steps, orders } = first
  let all: readonly LinePlan[] = together.plans.map((plan, at) => first.plans.get(at) ?? plan)
  let most = value
  for (const { weighing, most: mostWeighed } of open) {
    if (steps >= together.stepsMax) {
      most = Math.max(most, mostWeighed)
      continue
    }
    const stepsMax = (together.stepsMax - steps) * workedOutShare
    const rounded = chooseRounded(field, component, { ...together, weighing, plans: all, before, stepsMax })
    steps += rounded.steps
    most = Math.max(most, Math.min(mostWeighed, rounded.most))
    if (rounded.value <= value) continue
    value = rounded.value
    orders = null
    all = plansWith(all, component, rounded.plans)
  }
  const plans = new Map(component.lines.map((at) => [at, all[at]!]))
  return { ...first, plans, orders, value, most: Math.max(value, most), steps }
}

/** Share of what is left of the budget for working plans out; the rest is for the relaxation. */
const workedOutShare = 0.5

function chooseWeighed(field: LineField, components: readonly Component[], together: Together): Weighed | null {
  const weighings = weighingsOf(field)
  if (weighings === null) return null
  const before = netBefore(field.basis, together.free)
  const mostOf = (net: number) => Math.floor(before - net + Math.max(1e-4, before * 1e-12))
  const chooser = new WeighedChooser(field, components, together)
  let best: Pick<Weighed, 'plans' | 'orders' | 'value'> = {
    plans: noPlans,
    orders: null,
    value: Number.NEGATIVE_INFINITY,
  }
  const judged = new Set<string>()
  const judge = ({ plans, name }: Chosen) => {
    const isLate = chooser.steps >= together.stepsMax || plans === noPlans
    if (judged.has(name) || (judged.size > 0 && isLate)) return
    judged.add(name)
    chooser.steps += settleSteps(field)
    const all = together.plans.map((plan, at) => plans.get(at) ?? plan)
    const orders = ordersOver(field, all)
    const value = orders === null ? Number.NEGATIVE_INFINITY : before - orders.net
    if (judged.size === 1 || value > best.value) best = { plans, orders, value }
  }
  // Where all lines count alike in some weighing, the best plans of that show which others need not be looked at.
  const isEven = isEvenSomewhere(field)
  if (isEven) judge(chooser.choose(evenWeighing))
  const choices: { weighing: Weighing; most: number }[] = []
  const stepsEach = weighingSteps(field)
  for (const alternatives of weighings) {
    chooser.steps += stepsEach
    let net = isEven ? Math.max(0, ...alternatives.map((each) => chooser.leastOf(each) + each.added)) : 0
    // Once the budget is used up nothing closer is known of a choice either.
    if (isEven && (mostOf(net) <= best.value || chooser.isSpent())) {
      choices.push({ weighing: alternatives[0]!, most: mostOf(net) })
      continue
    }
    net = 0
    for (const weighing of alternatives) {
      const chosen = chooser.choose(weighing)
      net = Math.max(net, chosen.least + weighing.added)
      judge(chosen)
    }
    choices.push({ weighing: alternatives[0]!, most: mostOf(net) })
  }
  const most = choices.reduce((greatest, each) => Math.max(greatest, each.most), best.value)
  const { plans, orders, value } = best
  return { plans, orders, value, most, isSummed: true, choices, steps: chooser.steps }
}

/** Lines of order-level benefits that are put into a weighing in the time of one step. */
const weighedPerStep = 60

function weighingSteps({ orderOffers: { normals, stacks } }: LineField): number {
  const normal = normals.reduce((most, { lines }) => Math.max(most, lines.length), 0)
  return Math.ceil(stacks.reduce((sum, { lines }) => sum + lines.length, normal) / weighedPerStep)
}

class WeighedChooser {
  steps = 0
  /** By component. */
  private readonly known = new Map<Component, KnownChoice[]>()
  private isKnown = false
  private readonly leastSteps: number
  private held: readonly Money[] | null = null

  constructor(
    private readonly field: LineField,
    private readonly components: readonly Component[],
    private readonly together: Together,
  ) {
    const { lineOffers } = field.ground
    let each = 0
    for (const { lines } of components) for (const at of lines) each += stepsFor(lineOffers[at]!)
    this.leastSteps = startsJudged * each
  }

  /** Whether less of the budget is left than a search takes that works out nothing but its starts; the first one always may. */
  isSpent(): boolean {
    return this.isKnown && this.steps + this.leastSteps > this.together.stepsMax
  }

  choose({ weightOf }: Pick<Weighing, 'weightOf'>): Chosen {
    // Once the budget is used up plans are not looked for any more.
    if (this.isSpent()) return this.bounded(weightOf)
    const plans = new Map<number, LinePlan>()
    const inside = new Set<number>()
    const names: string[] = []
    let least = 0
    for (const component of this.components) {
      const choice = this.chooseOne(component, weightOf)
      names.push(choice.name)
      for (let index = 0; index < component.lines.length; index++) {
        const at = component.lines[index]!
        plans.set(at, choice.plans[index]!)
        inside.add(at)
        least += weightOf(at) * heldBy(this.field.ground.lines[at]!)
      }
      least -= choice.bound
    }
    const { restBounds } = this.together
    for (let at = 0; at < restBounds.length; at++) if (!inside.has(at)) least += weightOf(at) * restBounds[at]!
    this.steps += Math.ceil(inside.size / linesPerStep)
    return { plans, least, name: names.join() }
  }

  /**
   * What all lines cost at least under a weighing, by the best plans where all count alike; those must be known. A line
   * whose own discounts are taken off for the others' sake may come to more than it does, by them at most, and weigh less.
   */
  leastOf({ weightOf }: Weighing): number {
    const { canGain, ground } = this.field
    this.held ??= this.withoutGains()
    let least = 0
    for (const component of this.components) {
      const { lines } = component
      let scale = 0
      for (const at of lines) if (canGain[at]!) scale = Math.max(scale, weightOf(at))
      for (const at of lines) if (canGain[at]!) least -= (scale - weightOf(at)) * ground.lines[at]!.own
      least -= this.knownOf(component, null)!.bound * scale
    }
    for (let at = 0; at < this.held.length; at++) least += weightOf(at) * this.held[at]!
    this.steps += Math.ceil(this.held.length / linesBoundedPerStep)
    return least
  }

  // What the lines cost at least without what the components gain.
  private withoutGains(): Money[] {
    const held = [...this.together.restBounds]
    for (const { lines } of this.components) for (const at of lines) held[at] = heldBy(this.field.ground.lines[at]!)
    return held
  }

  // Of components that were not looked at under these weights, all lines that can gain anything may cost nothing.
  private bounded(weightOf: (at: number) => number): Chosen {
    const { lines } = this.field.ground
    const isShort = this.steps >= this.together.stepsMax * overrunMax
    const rests = [...this.together.restBounds]
    let least = 0
    for (const component of this.components) {
      const bound = isShort ? null : this.knownBound(component, weightOf)
      least -= bound ?? 0
      for (const at of component.lines) rests[at] = bound === null && this.field.canGain[at]! ? 0 : heldBy(lines[at]!)
    }
    for (let at = 0; at < rests.length; at++) least += weightOf(at) * rests[at]!
    this.steps += Math.ceil(rests.length / linesBoundedPerStep)
    return { plans: noPlans, least, name: '' }
  }

  private chooseOne(component: Component, weightOf: (at: number) => number) {
    const { weights, scale } = this.weighed(component, weightOf)
    let choice = this.knownOf(component, weights)
    if (choice === undefined) {
      const stepsMax = Math.max(0, this.together.stepsMax - this.steps)
      const task = lineTask(this.field, component, { weights, stepsMax })
      const { plans, bound, steps } = chooseComponent(this.field.ground, component, task)
      this.steps += steps + component.lines.length
      const own = this.known.get(component) ?? []
      choice = { weights, plans, bound, name: `${component.lines[0]}:${own.length}` }
      this.known.set(component, [...own, choice])
      this.isKnown = true
    }
    return { plans: choice.plans, bound: choice.bound * scale, name: choice.name }
  }

  private knownBound(component: Component, weightOf: (at: number) => number): number | null {
    const { weights, scale } = this.weighed(component, weightOf)
    const choice = this.knownOf(component, weights)
    return choice === undefined ? null : choice.bound * scale
  }

  private knownOf(component: Component, weights: readonly number[] | null): KnownChoice | undefined {
    return this.known.get(component)?.find((each) => areAlike(each.weights, weights))
  }

  // Where all lines that can gain weigh the same, the weight changes nothing but the scale. Else some are none of the
  // percentages' and weigh 1, which no line passes.
  private weighed(component: Component, weightOf: (at: number) => number) {
    const { canGain } = this.field
    const all = component.lines.map(weightOf)
    let [least, scale] = [Number.POSITIVE_INFINITY, 0]
    for (let index = 0; index < all.length; index++) {
      if (!canGain[component.lines[index]!]!) continue
      least = Math.min(least, all[index]!)
      scale = Math.max(scale, all[index]!)
    }
    return { weights: least === scale ? null : all, scale }
  }
}

/** The best plans of a component under some weights. */
interface KnownChoice {
  readonly weights: readonly number[] | null
  readonly plans: readonly LinePlan[]
  readonly bound: number
  /** The same for the same plans. */
  readonly name: string
}

function areAlike(one: readonly number[] | null, other: readonly number[] | null): boolean {
  if (one === null || other === null) return one === other
  return one.every((each, index) => each === other[index])
}

const evenWeighing = { weightOf: () => 1 }

const noPlans: ReadonlyMap<number, LinePlan> = new Map()

/** How often the budget is overrun before plans that are known under the same weights are not looked up any more. */
const overrunMax = 2

/** Lines that are weighed in the time of one step, and those that are only bounded. */
const linesPerStep = 4
const linesBoundedPerStep = 20
