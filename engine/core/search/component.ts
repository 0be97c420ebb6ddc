import { partOf } from '../base/basis.js'
import { isLoose, type LinePlan } from '../lines/plan.js'
import { tieGroundOf } from '../model/components.js'
import type { Component, ComponentChoice, Ground, Task } from '../model/task.js'
import type { TieGround } from '../model/tie-ground.js'
import { leastMore } from '../model/tolerance.js'
import { isShared } from '../offers/offer.js'
import { type Ended, Tableau } from '../relaxation/simplex.js'
import { tieModelOf } from '../relaxation/tie-model.js'
import { plansAt } from '../relaxation/tie-plans.js'
import type { Column, TieModel } from '../relaxation/tie-terms.js'
import { walkComponent } from '../walk/walk-component.js'
import { greedyOrder, greedyPlans } from './greedy.js'
import { loneBound } from './lone-bound.js'
import { simpleBound } from './simple-bound.js'
import { timesBound } from './times-bound.js'

/** Cells of a relaxation above which only the quick plans are looked at: solving it would take the whole budget. */
const cellsMax = 400_000

/** Minor units a basket may come to for doubles with their tolerances to be trusted with it. */
const amountMax = 1e9

/** Quick plans to start from, and the share of the budget for them. */
const greedyStartsMax = 12
const greedyShareMax = 0.3

/** Cells touched that count as one step: measured, about a microsecond. */
const cellsPerStep = 300

/** Finds the plans of greatest worth for one component, within a budget of steps. */
export function chooseComponent(whole: Ground, component: Component, task: Task): ComponentChoice {
  const alone = component.lines.map((at) => whole.alone[at]!)
  return new ComponentSearch(tieGroundOf(whole, component), alone, task).run()
}

/** A solved tableau that several nodes start from; the last one may have it. */
interface Start {
  readonly tableau: Tableau
  users: number
}

interface Node {
  readonly model: TieModel
  readonly start: Start
  readonly bound: number
  /** What is still to be narrowed, if anything. */
  readonly narrowed: Narrowing | null
}

interface Narrowing {
  readonly column: number
  readonly least: number
  readonly most: number
}

/** A node whose relaxation is solved. */
interface Solved {
  readonly model: TieModel
  readonly tableau: Tableau
  readonly bound: number
}

class ComponentSearch {
  private best: { plans: readonly LinePlan[]; worth: number }
  private steps = 0
  /** Stackable benefits with a maximum amount could leave lines out: not looked at here. */
  private readonly hasLooseStacks: boolean
  private unproven = Number.NEGATIVE_INFINITY
  private order: readonly number[] | null = null

  constructor(
    private readonly ground: TieGround,
    /** The plan of each line without any of the offers. */
    private readonly alone: readonly LinePlan[],
    private readonly task: Task,
  ) {
    this.hasLooseStacks = ground.lineOffers.some(({ stacks }) => stacks.some(isLoose))
    this.best = { plans: alone, worth: Number.NEGATIVE_INFINITY }
    this.keep(alone)
    if (task.start !== undefined) this.keep(task.start)
  }

  run(): ComponentChoice {
    this.startGreedily(0, 1)
    const proven = this.provenAlone() ?? this.walk()
    if (proven !== null) return proven
    this.startGreedily(1, greedyStartsMax)
    if ((this.task.weights ?? null) !== null || this.isTooLarge())
      return { ...this.best, bound: this.task.most, steps: this.steps }
    const open: Node[] = []
    let bound = this.best.worth
    for (const tail of this.task.tails) {
      if (this.steps < this.task.stepsMax) open.push(this.rootOf(tieModelOf(this.ground, tail)))
      else bound = this.task.most
    }
    open.sort((a, b) => a.bound - b.bound)
    while (open.length > 0) {
      const node = open.pop()!
      if (this.isHopeless(node.bound)) continue
      if (this.steps >= this.task.stepsMax) bound = Math.max(bound, node.bound)
      else this.visit(node, open)
    }
    const { plans, worth } = this.best
    bound = Math.max(worth, Math.min(this.task.most, Math.max(bound, this.unproven)))
    return { plans, worth, bound, steps: this.steps }
  }

  // Of plans of a single benefit that no others of these lines can better; null elsewhere.
  private provenAlone(): ComponentChoice | null {
    const { ground, alone, task } = this
    const { weights = null } = task
    if (task.tails[0] !== null || task.isWorkedOut || ground.loose.length > 0) return null
    const { plans, worth } = this.best
    const more = weights === null ? 1 : leastMore(task.most)
    const isMet = (bound: number | null) => bound !== null && bound < worth + more
    const isSimple = weights === null && isMet(simpleBound(ground))
    if (!isSimple && !isMet(loneBound(ground, alone, weights)) && !isMet(timesBound(ground, alone, task.judge)))
      return null
    const bound = weights === null ? worth : Math.min(worth + more, Math.max(worth, task.most))
    return { plans, worth, bound, steps: this.steps }
  }

  // Where the lines alone count; null where that would take too long. With maximum amounts below others on top a second time:
  // ways are many once they are told apart for what is shared below.
  private walk(): ComponentChoice | null {
    if (this.task.tails[0] !== null) return null
    const first = this.walkOnce(this.best, false)
    const { loose, offers } = this.ground
    if (first === null || first.bound < first.worth + 1 || loose.length === 0 || !offers.some(isShared)) return first
    const second = this.walkOnce(first, true)
    if (second === null) return { ...first, steps: this.steps }
    return { ...second, bound: Math.max(second.worth, Math.min(first.bound, second.bound)) }
  }

  private walkOnce(start: Pick<ComponentChoice, 'plans' | 'worth'>, isApart: boolean): ComponentChoice | null {
    const stepsMax = this.task.stepsMax - this.steps
    const { choice, steps } = walkComponent(this.ground, this.task, { start, stepsMax, isApart })
    this.steps += steps
    if (choice === null) return null
    return { ...choice, bound: Math.max(choice.worth, Math.min(choice.bound, this.task.most)), steps: this.steps }
  }

  // Each offer once as the first to choose, for what it leaves decides what the others find.
  private startGreedily(from: number, to: number): void {
    this.order ??= greedyOrder(this.ground)
    const all = this.order
    for (const [start, first] of all.slice(from, to).entries()) {
      const affordable = this.task.stepsMax * greedyShareMax - this.steps
      if (from + start > 0 && affordable <= 0) return
      const order = first === all[0] ? all : [first, ...all.filter((offer) => offer !== first)]
      const share = from + start === 0 ? this.task.stepsMax * greedyShareMax : affordable
      const { plans, steps } = greedyPlans(this.ground, { order, alone: this.alone, stepsMax: share })
      this.steps += steps
      this.keep(plans)
    }
  }

  private isTooLarge(): boolean {
    const { lines, offers } = this.ground
    if (this.task.most > amountMax) return true
    let columns = 2 * lines.length
    let rows = lines.length
    for (const offer of offers) {
      const bought = offer.shape.kind === 'buy_get' ? offer.shape.buyLines.length : 0
      columns += 1 + offer.lines.length + bought
      rows += 3 + Math.min(offer.lines.length, bought)
    }
    const bare = { columns, rows }
    for (const tail of this.task.tails) {
      const staying = tail?.staying ?? []
      const stays = staying.reduce((sum, order) => sum + order.lines.length + 1, tail?.uses.length ?? 0)
      columns = Math.max(columns, bare.columns + stays)
      rows = Math.max(rows, bare.rows + lines.length + staying.length + (tail?.uses.length ?? 0))
    }
    const affordable = (this.task.stepsMax - this.steps) * cellsPerStep
    return columns * rows > Math.min(cellsMax, affordable)
  }

  private isHopeless(bound: number): boolean {
    return bound <= this.best.worth
  }

  private rootOf(model: TieModel): Node {
    const tableau = Tableau.from(model.programme)
    this.steps += Math.ceil((tableau.rowCount * tableau.columnCount) / cellsPerStep)
    const ended = this.counted(tableau, () => tableau.optimise())
    const bound = ended === 'optimal' ? this.boundOf(model, tableau) : this.task.most
    return { model, start: { tableau, users: 1 }, bound, narrowed: null }
  }

  private visit(node: Node, open: Node[]): void {
    const { model, narrowed, start } = node
    start.users--
    const tableau = start.users === 0 ? start.tableau : start.tableau.copy()
    this.steps += 1 + Math.ceil((tableau.rowCount * tableau.columnCount) / cellsPerStep)
    let { bound } = node
    if (narrowed !== null) {
      const { column, least, most } = narrowed
      tableau.narrow(column, least, most)
      const cutoff = this.best.worth - this.task.base - model.base
      const ended = this.counted(tableau, () => tableau.restore(cutoff))
      if (ended === 'infeasible') return
      if (ended === 'stuck') {
        this.unproven = Math.max(this.unproven, bound)
        return
      }
      bound = Math.min(bound, this.boundOf(model, tableau))
      if (this.isHopeless(bound)) return
    }
    const values = model.columns.map((_, column) => tableau.valueOf(column))
    const split = fractionalColumn(model, values)
    const solved = { model, tableau, bound }
    const narrowings = split === -1 ? this.besideWhole(solved, values) : around(tableau, split, values[split]!)
    const shared = { tableau, users: narrowings.length }
    for (const each of narrowings) open.push({ model, start: shared, bound, narrowed: each })
  }

  private counted(tableau: Tableau, run: () => Ended): Ended {
    const before = tableau.work
    tableau.workMax = before + Math.max(0, this.task.stepsMax - this.steps) * cellsPerStep
    const ended = run()
    this.steps += Math.ceil((tableau.work - before) / cellsPerStep)
    return ended
  }

  // Worth is whole: anything below the next whole number is out of reach. Doubles err by less than the allowance.
  private boundOf(model: TieModel, tableau: Tableau): number {
    return Math.floor(this.mostOf(model, tableau) - overstated(model, tableau))
  }

  private mostOf(model: TieModel, tableau: Tableau): number {
    const value = tableau.value + model.base + this.task.base
    return value + Math.max(1e-4, Math.abs(value) * 1e-10)
  }

  // A whole-number point of the relaxation: its plan may be worth less than the relaxation says, by roundings; then
  // the points beside it are looked at too.
  private besideWhole({ model, tableau, bound }: Solved, values: readonly number[]): Narrowing[] {
    const isSure = this.keepAt(model, values)
    if (this.isHopeless(bound)) return []
    const isOpen = (column: number) => {
      const [least, most] = tableau.boundsOf(column)
      return isWhole(model.columns[column]!.role) && most > least
    }
    const rounded = model.rounded.find(
      ({ columns }) => columns.some(isOpen) && columns.some((each) => values[each]! > 0.5),
    )
    const column = rounded?.columns.find(isOpen) ?? model.columns.findIndex((_, each) => isOpen(each))
    if (column === -1) {
      if (!isSure || this.hasLooseStacks || !this.task.isExact) this.unproven = Math.max(this.unproven, bound)
      return []
    }
    const value = Math.round(values[column]!)
    const [least, most] = tableau.boundsOf(column)
    const narrowings: Narrowing[] = []
    if (value > least) narrowings.push({ column, least, most: value - 1 })
    if (value < most) narrowings.push({ column, least: value + 1, most })
    return [...narrowings, { column, least: value, most: value }]
  }

  // Whether no other plans at the point can be worth more, as far as single lines decide it.
  private keepAt({ columns }: TieModel, values: readonly number[]): boolean {
    const { plans, isSure } = plansAt(this.ground, this.alone, { columns, values })
    for (const each of plans) this.keep(each)
    return isSure
  }

  private keep(plans: readonly LinePlan[]): void {
    this.steps += this.task.judgeSteps
    const worth = this.task.judge(plans)
    if (worth !== null && worth > this.best.worth) this.best = { plans, worth }
  }
}

// Times first: they decide most.
function fractionalColumn({ columns }: TieModel, values: readonly number[]): number {
  let found = -1
  let most = 1e-6
  for (const [column, value] of values.entries()) {
    const { role } = columns[column]!
    if (!isWhole(role)) continue
    const distance = Math.abs(value - Math.round(value)) * (role === 'times' ? 4 : role === 'off' ? 2 : 1)
    if (distance <= most) continue
    most = distance
    found = column
  }
  return found
}

// The nearer side last: it is looked at first.
function around(tableau: Tableau, column: number, value: number): Narrowing[] {
  const [least, most] = tableau.boundsOf(column)
  const below = { column, least, most: Math.floor(value) }
  const above = { column, least: Math.ceil(value), most }
  return value - Math.floor(value) > 0.5 ? [below, above] : [above, below]
}

// What the objective says too much of pieces that are settled.
function overstated({ rounded, columns }: TieModel, tableau: Tableau): number {
  let over = 0
  for (const { columns: own, offer, line, hold } of rounded) {
    let [pieces, said, isSettled] = [0, 0, true]
    for (const column of own) {
      const [least, most] = tableau.boundsOf(column)
      if (least !== most) isSettled = false
      pieces += least
      said += least * columns[column]!.objective
    }
    if (isSettled && pieces > 0) over += said - offer.amountOn(line, pieces, partOf(line, pieces, hold))
  }
  return over
}

// What is worked out from the rest needs no whole number.
function isWhole(role: Column['role']): boolean {
  return role !== 'value' && role !== 'fill' && role !== 'order' && role !== 'stays' && role !== 'waste'
}
