/** A linear programme: greatest `objective` under `rows`, every column between 0 and its upper bound. */
export interface LinearProgramme {
  readonly objective: readonly number[]
  /** Upper bounds; Infinity where there is none. */
  readonly upper: readonly number[]
  /** Each says: sum of coefficient times column is at most `most`, which is 0 or more. */
  readonly rows: readonly { readonly entries: readonly (readonly [number, number])[]; readonly most: number }[]
}

/** How an optimisation ended; `stuck` after too many pivots, when the last known bound still holds. */
export type Ended = 'optimal' | 'infeasible' | 'stuck'

const tiny = 1e-9

/** What is left of 0 by the rounding of doubles, at most. */
const nothing = 1e-11

/** Most pivots of one optimisation, as a multiple of rows and columns together. */
const pivotsFactor = 6

/**
 * A dense simplex tableau with bounded variables, re-optimised after bounds change: the relaxation under the exact
 * search. Deterministic: ties go to the lower index.
 *
 * Columns are variables 0 to n-1, slacks follow. A variable is `offset + sign * x` with x from 0 to `span`; nonbasic
 * ones stand at x = 0.
 */
export class Tableau {
  readonly rowCount: number
  readonly columnCount: number
  /** Cells touched so far; what the budget counts. */
  work = 0
  /** Work after which an optimisation ends as `stuck`. */
  workMax = Number.POSITIVE_INFINITY
  private constructor(
    private readonly cells: Float64Array,
    private readonly basics: Float64Array,
    private readonly costs: Float64Array,
    private readonly basic: Int32Array,
    private readonly nonbasic: Int32Array,
    private readonly offset: Float64Array,
    private readonly sign: Float64Array,
    private readonly span: Float64Array,
    /** Row of a basic variable, or -1 - column of a nonbasic one. */
    private readonly place: Int32Array,
    private total: number,
  ) {
    this.rowCount = basics.length
    this.columnCount = costs.length
  }

  static from({ objective, upper, rows }: LinearProgramme): Tableau {
    const [m, n] = [rows.length, objective.length]
    const cells = new Float64Array(m * n)
    for (const [row, { entries }] of rows.entries()) {
      for (const [column, coefficient] of entries) cells[row * n + column]! += coefficient
    }
    const span = new Float64Array(n + m).fill(Number.POSITIVE_INFINITY)
    span.set(upper)
    return new Tableau(
      cells,
      Float64Array.from(rows, ({ most }) => most),
      Float64Array.from(objective),
      Int32Array.from(rows, (_, row) => n + row),
      Int32Array.from(objective, (_, column) => column),
      new Float64Array(n + m),
      new Float64Array(n + m).fill(1),
      span,
      Int32Array.from({ length: n + m }, (_, variable) => (variable < n ? -1 - variable : variable - n)),
      0,
    )
  }

  copy(): Tableau {
    return new Tableau(
      this.cells.slice(),
      this.basics.slice(),
      this.costs.slice(),
      this.basic.slice(),
      this.nonbasic.slice(),
      this.offset.slice(),
      this.sign.slice(),
      this.span.slice(),
      this.place.slice(),
      this.total,
    )
  }

  /** The objective where the tableau stands; after `optimise` an upper bound of all solutions. */
  get value(): number {
    return this.total
  }

  /** Value of a column. */
  valueOf(column: number): number {
    const place = this.place[column]!
    return this.offset[column]! + (place < 0 ? 0 : this.sign[column]! * this.basics[place]!)
  }

  /** The bounds of a column. */
  boundsOf(column: number): [number, number] {
    const [start, span] = [this.offset[column]!, this.span[column]!]
    return this.sign[column]! > 0 ? [start, start + span] : [start - span, start]
  }

  /** Narrows a column to `least`..`most`; call `restore` afterwards. */
  narrow(column: number, least: number, most: number): void {
    const positive = this.sign[column]! > 0
    const start = positive ? least : most
    const delta = positive ? least - this.offset[column]! : this.offset[column]! - most
    this.offset[column] = start
    this.span[column] = most - least
    const place = this.place[column]!
    if (place >= 0) this.basics[place]! -= delta
    else if (delta !== 0) this.shift(-1 - place, delta)
  }

  /** From a feasible start to the greatest objective. */
  optimise(): Ended {
    for (let pivots = 0; this.mayPivot(pivots); pivots++) {
      const column = this.entering(pivots > this.pivotsMax / 2)
      if (column === -1) return 'optimal'
      this.raise(column)
    }
    return 'stuck'
  }

  /** From an optimal start whose bounds were narrowed back to a feasible one; ends early at or below `cutoff`. */
  restore(cutoff: number): Ended {
    for (let pivots = 0; this.mayPivot(pivots); pivots++) {
      const row = this.leaving()
      if (row === -1) return this.optimise()
      if (this.basics[row]! > 0) this.complementBasic(row)
      const column = this.dualEntering(row)
      if (column === -1) return this.isOutOfReach(row) ? 'infeasible' : 'stuck'
      this.pivot(row, column)
      if (this.total <= cutoff) return 'infeasible'
    }
    return 'stuck'
  }

  private mayPivot(pivots: number): boolean {
    return pivots < this.pivotsMax && this.work <= this.workMax
  }

  private get pivotsMax(): number {
    return pivotsFactor * (this.rowCount + this.columnCount) + 50
  }

  // The column of the greatest cost; after many pivots the first one, which cannot cycle.
  private entering(first: boolean): number {
    let best = -1
    let most = tiny
    for (let column = 0; column < this.columnCount; column++) {
      const cost = this.costs[column]!
      if (cost <= most || this.span[this.nonbasic[column]!]! === 0) continue
      if (first) return column
      most = cost
      best = column
    }
    return best
  }

  private raise(column: number): void {
    const { cells, basics, span, columnCount } = this
    let least = span[this.nonbasic[column]!]!
    let leaving = -1
    let toUpper = false
    for (let row = 0; row < this.rowCount; row++) {
      const cell = cells[row * columnCount + column]!
      if (cell > -tiny && cell < tiny) continue
      const upwards = cell < 0
      const room = upwards ? span[this.basic[row]!]! - basics[row]! : basics[row]!
      const step = Math.max(0, room) / Math.abs(cell)
      if (step >= least) continue
      least = step
      leaving = row
      toUpper = upwards
    }
    this.work += this.rowCount
    if (leaving === -1) {
      this.complement(column)
      return
    }
    if (toUpper) this.complementBasic(leaving)
    this.pivot(leaving, column)
  }

  private leaving(): number {
    let worst = tiny * 100
    let found = -1
    for (let row = 0; row < this.rowCount; row++) {
      const value = this.basics[row]!
      const fault = value < 0 ? -value : value - this.span[this.basic[row]!]!
      if (fault <= worst) continue
      worst = fault
      found = row
    }
    return found
  }

  private dualEntering(row: number): number {
    const { cells, costs, columnCount } = this
    let found = -1
    let least = Number.POSITIVE_INFINITY
    let steepest = 0
    for (let column = 0; column < columnCount; column++) {
      const cell = cells[row * columnCount + column]!
      if (cell >= -1e-7 || this.span[this.nonbasic[column]!]! === 0) continue
      const ratio = Math.min(0, costs[column]!) / cell
      if (ratio > least + tiny || (ratio > least - tiny && -cell <= steepest)) continue
      least = Math.min(least, ratio)
      steepest = -cell
      found = column
    }
    return found
  }

  // Whether cells too small to pivot on could not bring the row back between its bounds all together.
  private isOutOfReach(row: number): boolean {
    let missing = -this.basics[row]!
    for (let column = 0; column < this.columnCount; column++) {
      const cell = this.cells[row * this.columnCount + column]!
      if (cell < -nothing) missing += cell * this.span[this.nonbasic[column]!]!
    }
    return missing > 0
  }

  private pivot(row: number, column: number): void {
    const { cells, basics, costs, columnCount, rowCount } = this
    const start = row * columnCount
    const pivot = 1 / cells[start + column]!
    for (let at = 0; at < columnCount; at++) cells[start + at]! *= pivot
    cells[start + column] = pivot
    basics[row]! *= pivot
    for (let other = 0; other < rowCount; other++) {
      if (other === row) continue
      const from = other * columnCount
      const factor = cells[from + column]!
      if (factor === 0) continue
      for (let at = 0; at < columnCount; at++) cells[from + at]! -= factor * cells[start + at]!
      cells[from + column] = -factor * pivot
      basics[other]! -= factor * basics[row]!
      this.work += columnCount
    }
    const cost = costs[column]!
    if (cost !== 0) {
      for (let at = 0; at < columnCount; at++) costs[at]! -= cost * cells[start + at]!
      costs[column] = -cost * pivot
      this.total += cost * basics[row]!
    }
    this.work += 2 * columnCount
    const [out, into] = [this.basic[row]!, this.nonbasic[column]!]
    this.basic[row] = into
    this.nonbasic[column] = out
    this.place[into] = row
    this.place[out] = -1 - column
  }

  // Moves a nonbasic variable to its other bound and looks at it from there.
  private complement(column: number): void {
    const variable = this.nonbasic[column]!
    const span = this.span[variable]!
    this.shift(column, span)
    for (let row = 0; row < this.rowCount; row++) this.cells[row * this.columnCount + column]! *= -1
    this.costs[column]! *= -1
    this.offset[variable]! += this.sign[variable]! * span
    this.sign[variable]! *= -1
  }

  private complementBasic(row: number): void {
    const variable = this.basic[row]!
    const span = this.span[variable]!
    const start = row * this.columnCount
    for (let at = 0; at < this.columnCount; at++) this.cells[start + at]! *= -1
    this.basics[row] = span - this.basics[row]!
    this.offset[variable]! += this.sign[variable]! * span
    this.sign[variable]! *= -1
  }

  private shift(column: number, delta: number): void {
    for (let row = 0; row < this.rowCount; row++) {
      this.basics[row]! -= this.cells[row * this.columnCount + column]! * delta
    }
    this.total += this.costs[column]! * delta
  }
}
