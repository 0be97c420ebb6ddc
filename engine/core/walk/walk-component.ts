import { type BasisLine, compareAsSent } from '../base/basis.js'
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
import {
  type Eligibility,
  type LineUse,
  type Lookahead,
  type MachineTerms,
  type StateMachine,
  spending,
  stateMachineOf,
} from './state-machines.js'
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

function lookaheadOf({ lines, offers }: ComponentInstance, ownLines: readonly WalkLine[], index: number): Lookahead {
  const { shape } = offers[index]!
  const components = shape.kind === 'bundle' ? shape.components.length : 1
  const entries = ownLines.map(({ at, offers: own, eligibilities, roles }) => {
    const of = own.indexOf(index)
    const takes: number[] = []
    for (const role of roles[of]!) if (!role.isBought) takes.push(role.component)
    return { line: lines[at]!, eligibility: eligibilities[of]!, takes }
  })
  const takes: number[][] = []
  const pure: number[] = []
  let after = { takes: new Array<number>(components).fill(0), pure: 0 }
  for (let lineNumber = entries.length - 1; lineNumber >= 0; lineNumber--) {
    takes[lineNumber] = after.takes
    pure[lineNumber] = after.pure
    const { line, eligibility, takes: own } = entries[lineNumber]!
    const { pieces } = line
    after = {
      takes: own.length === 0 ? after.takes : after.takes.map((units, at) => units + (own.includes(at) ? pieces : 0)),
      pure: after.pure + (eligibility === 'pure' ? pieces : 0),
    }
  }
  const mixes = entries.some(({ eligibility }) => eligibility === 'either')
  return { pure, takes, level: levelsOf(entries), mixes, spends: spendsOf(ownLines, index) }
}

function spendsOf(ownLines: readonly WalkLine[], index: number): number[] {
  const spends = ownLines.map(() => 0)
  for (let lineNumber = ownLines.length - 1; lineNumber > 0; lineNumber--) {
    const { offers, uses } = ownLines[lineNumber]!
    const most = uses[offers.indexOf(index)]!.reduce((greatest, { spent }) => Math.max(greatest, spent), 0)
    spends[lineNumber - 1] = spends[lineNumber]! + most
  }
  return spends
}

// Units that can be bought after each line at the cost of the last 'either' line.
function levelsOf(entries: readonly { readonly line: BasisLine; readonly eligibility: Eligibility }[]): number[] {
  const level = entries.map(() => 0)
  let [next, run] = [entries.length, 0]
  for (let lineNumber = entries.length - 1; lineNumber >= 0; lineNumber--) {
    if (entries[lineNumber]!.eligibility !== 'either') continue
    const later = entries[next]?.line
    const isLevel = later !== undefined && compareAsSent(later, entries[lineNumber]!.line) === 0
    run = isLevel ? run + later.pieces : 0
    level.fill(run, lineNumber, next)
    next = lineNumber
  }
  return level
}

interface ProductLine {
  readonly product: number
  readonly lineNumber: number
}

interface Place extends ProductLine {
  readonly machine: StateMachine
  readonly from: number
  readonly isLast: boolean
}

/**
 * Each product by a machine of its own, whose digits another takes after its last line; all machines have as many. One
 * more digit: units discounted, if `unitsMax` limits them.
 *
 * @param lines  in the order of the walk
 */
function productMachine(
  lines: readonly ProductLine[],
  machineOf: (product: number) => StateMachine,
  unitsMax: number,
): StateMachine {
  const places = placesOf(lines, machineOf)
  const [{ machine }] = places as [Place, ...Place[]]
  const width = machine.digits
  const counter = places.reduce((most, { from }) => Math.max(most, from), 0) + width
  const isLimited = unitsMax !== Number.POSITIVE_INFINITY
  return {
    digits: counter + 1,
    advance(row, start, { lineNumber, eligibility, use }: LineUse) {
      const place = places[lineNumber]!
      const from = start + place.from
      if (isLimited) {
        for (let component = 0; component < use.taken.length; component++)
          row[start + counter]! += use.taken[component]!
        if (row[start + counter]! > unitsMax) return noEnd
      }
      const gain = place.machine.advance(row, from, { lineNumber: place.lineNumber, eligibility, use })
      if (gain === noEnd || !place.isLast) return gain
      if (!place.machine.isEnd(row, from)) return noEnd
      row.fill(0, from, from + width)
      return gain
    },
    isEnd: () => true,
  }
}

const noEnd = Number.NEGATIVE_INFINITY

function placesOf(lines: readonly ProductLine[], machineOf: (product: number) => StateMachine): Place[] {
  const last = new Map(lines.map(({ product }, at) => [product, at]))
  const open = new Map<number, { readonly machine: StateMachine; readonly slot: number }>()
  return lines.map((line, at) => {
    const taken = new Set([...open.values()].map(({ slot }) => slot))
    let slot = 0
    while (taken.has(slot)) slot++
    const own = open.get(line.product) ?? { machine: machineOf(line.product), slot }
    const isLast = last.get(line.product) === at
    if (isLast) open.delete(line.product)
    else open.set(line.product, own)
    return { ...line, machine: own.machine, from: own.slot * own.machine.digits, isLast }
  })
}
