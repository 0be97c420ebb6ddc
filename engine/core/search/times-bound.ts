import { isLoose, type LinePlan, planLine, replaces } from '../lines/plan.js'
import type { Task } from '../model/task.js'
import type { TieGround } from '../model/tie-ground.js'

/** Times above which they are not worked out one by one. */
const timesMost = 3

/**
 * What the lines of a component of one bundle come to at most, where its units leave no choice but how often it is
 * applied: each of its components has one line, and no two the same. Then what the others make of the pieces that are
 * left is best line by line, and every number of times is worked out.
 *
 * Null for other components, where a line's own discounts could stay or go, and where plans of lines are not proven.
 *
 * @param alone  the plan of each line without the bundle
 * @param judge  what plans of the lines come to
 */
export function timesBound(ground: TieGround, alone: readonly LinePlan[], judge: Task['judge']): number | null {
  const { lines, lineOffers, offers, indexOf } = ground
  const [offer] = offers
  if (offers.length !== 1 || offer!.shape.kind !== 'bundle') return null
  const { components, timesMax } = offer!.shape
  if (components.length !== lines.length || components.some((each) => each.lines.length > 1)) return null
  if (lines.some(({ own }) => own > 0) && !replaces(offer!)) return null
  if (lineOffers.some(({ stacks }) => stacks.some(isLoose))) return null
  const parts = components.map(({ lines: [position], quantity }) => ({ at: indexOf.get(position!)!, quantity }))
  const times = Math.min(timesMax, ...parts.map(({ at, quantity }) => Math.floor(lines[at]!.pieces / quantity)))
  if (times > timesMost) return null
  let most = Number.NEGATIVE_INFINITY
  for (let each = 0; each <= times; each++) {
    const plans = [...alone]
    for (const { at, quantity } of each === 0 ? [] : parts) {
      plans[at] = planLine(lines[at]!, lineOffers[at]!, [{ offer: offer!, pieces: each * quantity, bought: 0 }])
    }
    const worth = judge(plans)
    if (worth === null || plans.some(({ rest, restBound }) => rest !== restBound)) return null
    most = Math.max(most, worth)
  }
  return most
}
