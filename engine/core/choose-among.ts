import type { Basis } from './basis.js'
import { chooseBounded } from './bounded.js'
import { type Component, type ComponentChoice, chooseComponent } from './component.js'
import { type Field, isNeutral, jointTask, neutralTask, type Scene, settleBest } from './field.js'
import { componentsOf, groundOf, sceneOf } from './ground.js'
import { type Money, percentageWhole } from './money.js'
import type { Offer } from './offer.js'
import { sumOf } from './orders.js'
import { isLoose, type LineOffers, type LinePlan, planLine, untouchedPlan } from './plan.js'
import { type FreeUnits, type Settled, settleLines } from './settle.js'

/** What is chosen from. */
export interface Market {
  readonly basis: Basis
  /** In the order of benefitId. */
  readonly offers: readonly Offer[]
  readonly hasOrderDiscounts: boolean
  readonly stepsMax: number
}

/** The outcome chosen. */
export interface Chosen {
  readonly settled: Settled
  /** No outcome has a greater value; the value itself when proven. */
  readonly bound: number
  readonly steps: number
  /** Whether no other plan can be worth the same. */
  readonly isUnique: boolean
}

/** The best outcome of some offers that may all stand together; exclusiveness is the caller's. */
export function chooseAmong(market: Market, all: readonly Offer[]): Chosen {
  const { basis } = market
  const offers = all.filter(({ unitsMax }) => unitsMax > 0)
  const { lineOffers, tying } = groundOf(basis, offers)
  const scene = sceneOf(market, offers)
  const field = { basis, ground: { lines: basis.lines, lineOffers }, orderOffers: scene.orderOffers }
  const level = chooseLines(field, { tying, free: scene.free, stepsMax: market.stepsMax })
  const { settled, netBound } = settleBest(scene, level.plans)!
  let bound = settled.value + level.gap + settled.orders.net - netBound
  for (const [at, { rest }] of settled.lines.entries()) {
    if (!level.tied.has(at)) bound += rest - level.plans[at]!.restBound
  }
  const chosen = { settled, bound, steps: level.steps, isUnique: isUnique(scene, settled, { tying, level }) }
  return chosen.bound > settled.value ? tightened(market, offers, { chosen, scene }) : chosen
}

// Stackable benefits with a maximum amount: without them, the best outcome is worth at most their maxima less; and
// where a maximum bites, leaving a line out, or counting on one, may be better.
function tightened(
  market: Market,
  offers: readonly Offer[],
  { chosen, scene }: { chosen: Chosen; scene: Scene },
): Chosen {
  const loose = offers.filter((offer) => isStack(offer) && isLoose(offer))
  if (loose.length === 0) return chosen
  const { lineOffers } = groundOf(market.basis, offers)
  const settled = replanned(scene, chosen.settled, { loose, lineOffers })
  const others = offers.filter((offer) => !loose.includes(offer))
  const without = chooseAmong({ ...market, stepsMax: Math.max(0, market.stepsMax - chosen.steps) }, others)
  const most = without.bound + sumOf(loose.map(({ maximumAmount }) => maximumAmount))
  const bound = Math.max(settled.value, Math.min(chosen.bound, most))
  return { settled, bound, steps: chosen.steps + without.steps, isUnique: false }
}

interface Replanning {
  readonly loose: readonly Offer[]
  readonly lineOffers: readonly LineOffers[]
}

function replanned(scene: Scene, start: Settled, { loose, lineOffers }: Replanning): Settled {
  let best = start
  const keep = (at: number, plan: LinePlan) => {
    const tried = settleBest(
      scene,
      best.plan.lines.map((each, line) => (line === at ? plan : each)),
    )
    if (tried !== null && tried.settled.value > best.value) best = tried.settled
  }
  for (const at of new Set(loose.flatMap(({ lines }) => lines))) {
    const fixed = best.plan.lines[at]!.serves.filter(({ offer }) => !lineOffers[at]!.free.includes(offer))
    if (scene.basis.lines[at]!.own > 0) keep(at, planLine(scene.basis.lines[at]!, lineOffers[at]!, fixed, true))
    for (const offer of loose) {
      const plan = best.plan.lines[at]!
      if (plan.stacks.includes(offer)) keep(at, { ...plan, stacks: plan.stacks.filter((each) => each !== offer) })
    }
  }
  return best
}

function isStack({ benefit, shape }: Offer): boolean {
  return benefit.combination === 'stackable' && shape.kind === 'line'
}

interface LineLevel {
  readonly plans: readonly LinePlan[]
  /** Lines that benefits tie together. */
  readonly tied: ReadonlySet<number>
  /** No plans of those lines are worth more than these by more than this. */
  readonly gap: number
  readonly steps: number
  /** What moving any piece elsewhere costs at least, in minor units. */
  readonly margin: number
}

interface Lines {
  readonly tying: readonly Offer[]
  readonly free: readonly FreeUnits[]
  readonly stepsMax: number
}

function chooseLines(field: Field, { tying, free, stepsMax }: Lines): LineLevel {
  const { lines, lineOffers } = field.ground
  const components = componentsOf(lines.length, tying)
  let plans = lines.map((line, at) => {
    const offers = lineOffers[at]!
    return offers.free.length === 0 && offers.stacks.length === 0 ? untouchedPlan(line) : planLine(line, offers)
  })
  let [steps, gap] = [0, 0]
  const take = (component: Component, choice: ComponentChoice) => {
    steps += choice.steps
    gap += choice.bound - choice.worth
    for (const [index, at] of component.lines.entries()) plans[at] = choice.plans[index]!
  }
  for (const component of components) {
    if (!isNeutral(field, component)) continue
    const bounded = chooseBounded(field.ground, component)
    take(
      component,
      bounded ?? chooseComponent(field.ground, component, neutralTask(field, component, stepsMax - steps)),
    )
  }
  const others = components.filter((component) => !isNeutral(field, component))
  if (others.length > 0) {
    const joint = {
      lines: others.flatMap((component) => component.lines).sort((a, b) => a - b),
      offers: others.flatMap(({ offers }) => offers).sort((a, b) => a.rank - b.rank),
    }
    if (!areSettled(field, plans)) [plans, gap] = firmPlans(field, plans)
    const task = jointTask(field, { component: joint, plans, free, stepsMax: stepsMax - steps, ties: false })
    take(joint, chooseComponent(field.ground, joint, task))
  }
  if (!areSettled(field, plans)) [plans, gap] = firmPlans(field, plans)
  const tied = new Set(components.flatMap((component) => component.lines))
  const margin = plans.reduce((least, plan) => Math.min(least, plan.margin), Number.POSITIVE_INFINITY)
  return { plans, tied, gap, steps, margin }
}

// A stackable maximum amount is spread over lines of several components: then one of them may be left with nothing, and
// its own discounts are off for nobody.
function areSettled({ ground, basis }: Field, plans: readonly LinePlan[]): boolean {
  const isShared = ground.lineOffers.some(({ stacks }) => stacks.some(isLoose))
  return !isShared || settleLines(basis.lines, plans) !== null
}

// Plans that hold by themselves, with a gap that allows for all that they may miss.
function firmPlans({ basis }: Field, plans: readonly LinePlan[]): [LinePlan[], Money] {
  const isUnsure = ({ off, stacks }: LinePlan) => off && stacks.some(isLoose)
  const some = plans.map((plan, at) => (isUnsure(plan) ? untouchedPlan(basis.lines[at]!) : plan))
  const firm = settleLines(basis.lines, some) === null ? basis.lines.map(untouchedPlan) : some
  return [firm, basis.gross]
}

// A plan in which every piece moved would cost more than all roundings could win back, before and after the order
// level, is the only one of its value.
function isUnique(
  scene: Scene,
  settled: Settled,
  { tying, level }: { tying: readonly Offer[]; level: LineLevel },
): boolean {
  const { placed, nets } = settled.orders
  const { normals, stacks } = scene.orderOffers
  if (tying.length > 0 || scene.basis.orderDiscounts.length > 0) return false
  if (normals.length + stacks.length !== placed.length || placed.length > 1) return false
  const [order] = placed
  if (order === undefined) return level.margin > moveCost
  const isAmountHeld = order.lines.some((at) => nets[at]! > 0)
  const share = order.offer.percentage === null ? (isAmountHeld ? 0 : 1) : order.offer.percentage / percentageWhole
  return level.margin * (1 - share) > moveCost
}

/** Minor units that the roundings of a line and of an order discount can come to together. */
const moveCost = 2
