import { compareAsSent } from '../base/basis.js'
import {
  assignmentsMax,
  cappedPlans,
  nanos,
  nanosIn,
  plainRolesMax,
  shares,
  stepsOf,
  stepsPerRole,
} from '../base/costs.js'
import { scratch } from '../base/scratch.js'
import { hasMaximum, stepsFor } from '../lines/plan.js'
import type { ComponentInstance } from '../model/instance.js'
import type { ComponentChoice, SolverTask } from '../model/task.js'
import { withinUses } from '../offers/costs-left.js'
import { isShared, type Offer, unitsEach } from '../offers/offer.js'
import { type WalkLine, walkLinesOf } from './assignments.js'
import { type Automaton, automatonOf } from './automaton.js'
import { type LineWithOptions, OptionLister, type TiedLine, tiedLines } from './line-options.js'
import { lookaheadOf } from './lookahead.js'
import { productMachine } from './product-machine.js'
import { type MachineTerms, type StateMachine, spending, stateMachineOf } from './state-machines.js'
import { Walk } from './walk.js'

/**
 * The best plans of a component by dynamic programming, line by line (3-benefits 4). Lines come by falling cost as sent, so
 * that units got are never dearer than those bought for them.
 *
 * Too many assignments: no bound. If shared amounts below capped stacks leave a gap, a second walk distinguishes them,
 * with more assignments.
 */
export function walkComponent(component: ComponentInstance, task: SolverTask): ComponentChoice {
  const first = scratch.during(() => walk(component, task, false))
  const { cappedStacks, offers } = component
  const isOpen = first.bound < Number.POSITIVE_INFINITY && first.bound >= first.worth + 1
  if (!isOpen || cappedStacks.length === 0 || !offers.some(isShared)) return first
  const left = { ...task, start: first, stepsMax: task.stepsMax - first.steps }
  const second = scratch.during(() => walk(component, left, true))
  return { ...second, bound: Math.min(first.bound, second.bound), steps: first.steps + second.steps }
}

function walk(component: ComponentInstance, task: SolverTask, isApart: boolean): ComponentChoice {
  const { weights = null, penalties = null, workedOut, stepsMax } = task
  const { offers, cappedStacks } = component
  const refused = (steps: number) => ({ ...task.start, bound: Number.POSITIVE_INFINITY, steps })
  const instance = cappedStacks.length === 0 ? component : { ...component, offers: [...offers, ...cappedStacks] }
  const roles = instance.offers.reduce((sum, { lines }) => sum + lines.length, 0)
  const setup = Math.max(0, roles - plainRolesMax) * stepsPerRole
  if (setup > stepsMax * shares.start) return refused(0)
  const { linesWithOptions, steps: listing } = listLineOptions(instance, stepsMax - setup)
  const steps = setup + listing
  const lines =
    linesWithOptions === null
      ? null
      : walkLinesOf(instance, linesWithOptions, { weights, penalties, workedOut, isApart })
  if (lines === null) return refused(steps)
  const weigh = (at: number) => weights?.[at] ?? 1
  const transitionsMax = nanosIn((stepsMax - steps) * shares.automata) / nanos.made
  const { automata, transitionCount } = automataOf(instance, lines, { weigh, transitionsMax })
  const made = steps + Math.ceil(stepsOf(transitionCount * nanos.made))
  return automata === null ? refused(made) : new Walk(task, { lines, automata }).run(made)
}

function listLineOptions(instance: ComponentInstance, stepsMax: number) {
  const linesWithOptions: LineWithOptions[] = []
  const optionLister = new OptionLister(instance)
  let cost = 0
  for (const tied of inOrder(instance, tiedLines(instance))) {
    const offers = instance.lineOffers[tied.at]!
    const isPlain = offers.untied.length + offers.stacks.length === 0 && instance.lines[tied.at]!.own === 0
    const line = optionLister.list(tied, assignmentsMax)
    const plans = isPlain ? stepsOf(nanos.made) : stepsFor(offers) * (offers.stacks.some(hasMaximum) ? cappedPlans : 1)
    cost += line === null ? 0 : line.assignmentCount * plans
    if (line === null || cost > stepsMax) return { linesWithOptions: null, steps: instance.lines.length }
    linesWithOptions.push(line)
  }
  return { linesWithOptions, steps: Math.ceil(cost) }
}

interface Tabulation {
  readonly weigh: (at: number) => number
  readonly transitionsMax: number
}

function automataOf(
  instance: ComponentInstance,
  lines: readonly WalkLine[],
  { weigh, transitionsMax }: Tabulation,
): { readonly automata: readonly Automaton[] | null; readonly transitionCount: number } {
  const automata: Automaton[] = []
  let transitionCount = 0
  const stagesOf = instance.offers.map((): number[] => [])
  for (const [stage, { offers }] of lines.entries()) for (const index of offers) stagesOf[index]!.push(stage)
  for (const index of instance.offers.keys()) {
    const stages = stagesOf[index]!
    const ownLines = stages.map((stage) => lines[stage]!)
    const weights = ownLines.map(({ at }) => weigh(at))
    const [least, most] = [Math.min(...weights), Math.max(...weights)]
    const machine = machineOf(instance, { index, ownLines, terms: { least, most } })
    const { tables, transitionCount: own } = automatonOf(
      lines,
      { index, stages },
      { machine, transitionsMax: transitionsMax - transitionCount },
    )
    transitionCount += own
    if (tables === null) return { automata: null, transitionCount }
    automata.push({ tables, transitionCount: own })
  }
  return { automata, transitionCount }
}

interface OwnLines {
  readonly index: number
  readonly ownLines: readonly WalkLine[]
  readonly terms: MachineTerms
}

// Money left for bundles at a price, of one product each, is not counted: plans that spend more are refused.
function machineOf(instance: ComponentInstance, { index, ownLines, terms }: OwnLines): StateMachine {
  const offer = instance.offers[index]!
  const { shape } = offer
  const lookahead = lookaheadOf(instance, ownLines, index)
  const products = productsIn(offer)
  if (products === null) return stateMachineOf(offer, lookahead, terms)
  const linesOf = new Map<number, WalkLine[]>()
  const places = ownLines.map((line) => {
    const product = products[instance.positions[line.at]!]!
    const own = linesOf.get(product) ?? []
    linesOf.set(product, own)
    return { product, lineNumber: own.push(line) - 1 }
  })
  const unlimited = { ...withinUses(offer, Number.POSITIVE_INFINITY), amountMax: Number.POSITIVE_INFINITY }
  const each = shape.kind === 'bundle' ? unitsEach(shape.components) : 1
  const machine = productMachine(
    places,
    (product) => stateMachineOf(unlimited, lookaheadOf(instance, linesOf.get(product)!, index), terms),
    offer.unitsMax * each,
  )
  const isPriced = shape.kind === 'bundle' && shape.pays.kind === 'price'
  return isPriced ? machine : spending(machine, offer, lookahead)
}

function productsIn({ shape }: Offer): readonly number[] | null {
  return shape.kind === 'buy_get' || shape.kind === 'bundle' ? shape.products : null
}

// Lines with 'either' units last, each group by falling cost as sent. If all such units are of one product each time, product
// after product.
function inOrder({ lines, offers, positions }: ComponentInstance, tied: readonly TiedLine[]): TiedLine[] {
  const isLater = ({ eligibilities }: TiedLine) => Number(eligibilities.includes('either'))
  const mixing = offers.filter(({ shape }) => shape.kind === 'buy_get')
  const products = offers.map(productsIn).find((each) => each !== null) ?? null
  const isApart = mixing.every((offer) => productsIn(offer) !== null)
  const productOf = ({ at }: TiedLine) => products?.[positions[at]!] ?? 0
  const byProduct = (a: TiedLine, b: TiedLine) => productOf(a) - productOf(b)
  return [...tied].sort(
    (a, b) =>
      isLater(a) - isLater(b) ||
      (isApart ? byProduct(a, b) : 0) ||
      compareAsSent(lines[b.at]!, lines[a.at]!) ||
      byProduct(a, b) ||
      a.at - b.at,
  )
}
