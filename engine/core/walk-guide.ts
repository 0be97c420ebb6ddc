import type { Tableau } from './simplex.js'
import type { TieGround, TieModel } from './tie-model.js'
import type { WalkLine, Way } from './walk-ways.js'

/**
 * What a solved relaxation knows of ways to serve single lines: no plans with this way gain more than `most` and the
 * penalties of all their ways together.
 */
export interface Guide {
  readonly most: number
  /** 0 or less. */
  penaltyOf(line: WalkLine, way: Way): number
}

/** Reads the penalties off the reduced costs of an optimal tableau; lines with own discounts go without. */
export function guideOf(ground: TieGround, { columns }: TieModel, tableau: Tableau, most: number): Guide {
  const byLine = ground.lines.map(() => [] as number[])
  for (const [column, { line }] of columns.entries()) if (line >= 0) byLine[line]!.push(column)
  const roleOn = (line: number, role: string, offer: number) =>
    byLine[line]!.filter((column) => columns[column]!.role === role && columns[column]!.offer === offer)
  // Pieces fill the first column, which may be of one piece, before the second.
  const spread = (own: readonly number[], pieces: number) => {
    let [left, penalty] = [pieces, 0]
    for (const column of own) {
      const here = Math.min(left, columns[column]!.upper)
      penalty += tableau.penaltyOf(column, here)
      left -= here
    }
    return penalty
  }
  return {
    most,
    penaltyOf({ at, offers, roles }, { uses, plan }) {
      const { pieces, own } = ground.lines[at]!
      if (own > 0) return 0
      let penalty = 0
      let free = pieces
      const taken = new Map<number, readonly number[]>()
      for (const [of, offer] of offers.entries()) taken.set(of, roleOn(at, 'take', offer))
      const next = offers.map(() => 0)
      for (const { of, isBought, component } of roles) {
        const use = uses[of]!
        const units = isBought ? use.bought : use.taken[component]!
        free -= units
        if (isBought) penalty += spread(roleOn(at, 'buy', offers[of]!), units)
        else {
          const own = taken.get(of)!.slice(next[of]!)
          const first = own[0]
          if (first === undefined) continue
          const count = pieces > 1 && columns[first]!.upper < pieces ? 2 : 1
          next[of]! += count
          penalty += spread(own.slice(0, count), units)
        }
      }
      const isTouched = free < pieces
      const filled = plan.serves.reduce(
        (sum, serve) => sum + (ground.offers.includes(serve.offer) ? 0 : serve.pieces),
        0,
      )
      for (const column of roleOn(at, 'alone', -1)) penalty += tableau.penaltyOf(column, isTouched ? 0 : 1)
      return penalty + spread(roleOn(at, 'fill', -1), isTouched ? filled : 0)
    },
  }
}
