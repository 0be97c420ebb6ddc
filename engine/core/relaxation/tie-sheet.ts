import type { TieGround } from '../model/tie-ground.js'
import type { LinearProgramme } from './simplex.js'
import type { Column, Role, Rounded, TieModel } from './tie-terms.js'

/** A coefficient of a column in a row. */
export type Entry = readonly [number, number]

/** A row of the relaxation while it is written: the sum of coefficient times column is at most `most`. */
export interface Row {
  readonly entries: Entry[]
  readonly most: number
}

/** Columns that are amounts, not numbers of pieces or times. */
const amountRoles: ReadonlySet<Role> = new Set(['value', 'order', 'stays', 'waste'])

/** Most that a piece comes to in the rows about amounts. */
const amountMost = 65_536

/** The relaxation of a component while it is written. */
export class TieSheet {
  readonly columns: Column[] = []
  readonly rounded: Rounded[] = []
  /** What each line costs before anything that a column stands for. */
  readonly rests: number[] = []
  /** Gain that every solution has beside the objective. */
  base = 0
  private readonly rows: Row[] = []

  constructor(readonly ground: TieGround) {}

  build(): TieModel {
    const { columns, base, rounded } = this
    return { columns, base, rounded, programme: this.programme() }
  }

  // Amounts are counted in units so large that a piece comes to some ten thousands of them: the tableau cannot tell the
  // inverse of a large amount from nothing.
  private programme(): LinearProgramme {
    const isAmount = this.columns.map(({ role }) => amountRoles.has(role))
    const amounts = new Set(this.rows.filter(({ entries }) => entries.some(([column]) => isAmount[column])))
    let most = 1
    for (const { entries } of amounts) for (const [, each] of entries) most = Math.max(most, Math.abs(each))
    const unit = 2 ** Math.max(0, Math.ceil(Math.log2(most / amountMost)))
    const inUnits = (row: Row): Row => ({
      entries: row.entries.map(([column, each]): Entry => [column, isAmount[column] ? each : each / unit]),
      most: row.most / unit,
    })
    return {
      objective: this.columns.map(({ objective }, column) => (isAmount[column] ? objective * unit : objective)),
      upper: this.columns.map(({ upper }, column) => (isAmount[column] ? upper / unit : upper)),
      rows: unit === 1 ? this.rows : this.rows.map((row) => (amounts.has(row) ? inUnits(row) : row)),
    }
  }

  /** Adds a column and returns its number; its gain is sure unless `least` says less. */
  column(
    role: Role,
    [offer, line]: readonly [number, number],
    objective: number,
    upper: number,
    least = objective,
  ): number {
    return this.columns.push({ role, offer, line, objective, upper, least }) - 1
  }

  /** Adds a row, to which entries may still be added. */
  row(entries: Entry[], most: number): Row {
    const row = { entries, most: Math.min(most, Number.MAX_SAFE_INTEGER) }
    this.rows.push(row)
    return row
  }

  /**
   * Adds gains without a line of their own to a row about some lines, by basis position: a maximum counts where all its
   * lines are meant, a bundle's price wherever it can.
   */
  addShared(entries: Entry[], positions: readonly number[], share: number): void {
    for (const [column, { role, offer, least }] of this.columns.entries()) {
      if (offer === -1 || (role !== 'value' && role !== 'times')) continue
      const { lines } = this.ground.offers[offer]!
      const inside = lines.filter((position) => positions.includes(position)).length
      if (role === 'value' ? inside === lines.length : inside > 0) entries.push([column, share * least])
    }
  }
}
