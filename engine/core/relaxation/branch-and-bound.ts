import { partOf } from '../base/basis.js'
import { isLoose, type LinePlan } from '../lines/plan.js'
import type { ComponentChoice, Incumbent, SolverTask } from '../model/task.js'
import type { TieGround } from '../model/tie-ground.js'
import { type Ended, Tableau } from './simplex.js'
import { tieModelOf } from './tie-model.js'
import { plansAt } from './tie-plans.js'
import type { Column, TieModel } from './tie-terms.js'

/** Cells of a relaxation above which only the quick plans are looked at: solving it would take the whole budget. */
const cellsMax = 400_000

/** Minor units a basket may come to for doubles with their tolerances to be trusted with it. */
const amountMax = 1e9

/** Cells touched that count as one step: measured, about a microsecond. */
const cellsPerStep = 300

/**
 * Looks for the best plans of a component by branch and bound over the linear relaxation, from the best plans known: for
 * those that have too many ways for a walk, and where the order level counts.
 *
 * Nothing is proven where lines are weighed, and where solving one relaxation would take too long.
 */
export function branchAndBound(ground: TieGround, task: SolverTask): ComponentChoice {
  return new BranchAndBound(ground, task).run()
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

class BranchAndBound {
  private best: Incumbent
  private steps = 0
  /** Stackable benefits with a maximum amount could leave lines out: not looked at here. */
  private readonly hasLooseStacks: boolean
  private unproven = Number.NEGATIVE_INFINITY

  constructor(
    private readonly ground: TieGround,
    private readonly task: SolverTask,
  ) {
    this.best = task.start
    this.hasLooseStacks = ground.lineOffers.some(({ stacks }) => stacks.some(isLoose))
  }

  run(): ComponentChoice {
    if ((this.task.weights ?? null) !== null || this.isTooLarge())
      return { ...this.best, bound: Number.POSITIVE_INFINITY, steps: 0 }
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
    const { plans, isSure } = plansAt(this.ground, this.ground.alone, { columns, values })
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
