import type { Tail, TieGround } from '../model/tie-ground.js'
import { addTies } from './tie-lines.js'
import { TieSheet } from './tie-sheet.js'
import { addTail } from './tie-tail.js'
import type { TieModel } from './tie-terms.js'

/**
 * Builds the relaxation: an upper bound, at every whole-number point, of what the plan there gains.
 *
 * Amounts go in by their rate; the one rounding per benefit and line is allowed for on the first piece. A line whose
 * own discounts may be replaced has two sets of columns, one for each case, and a column that pays for taking them off.
 */
export function tieModelOf(ground: TieGround, tail: Tail | null): TieModel {
  const sheet = new TieSheet(ground)
  addTies(sheet)
  if (tail !== null) addTail(sheet, tail)
  return sheet.build()
}
