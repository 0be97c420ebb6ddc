import type { Serve } from '../lines/fill.js'
import { type LinePlan, mayBeOff, planLine, planLineIn, replaces, replacesOn, withReplacing } from '../lines/plan.js'
import type { TieGround } from '../model/tie-ground.js'
import { servesAt } from './tie-reading.js'
import type { Column } from './tie-terms.js'

/** A whole-number point of the relaxation. */
export interface Point {
  readonly columns: readonly Column[]
  readonly values: readonly number[]
}

/** The plans at a point. */
export interface PlansAt {
  /** Of all lines: the best of each by itself, and where they differ those with own discounts off, or kept, as the point has them. */
  readonly plans: readonly (readonly LinePlan[])[]
  /** Whether no others with as much in the benefits that tie lines can be worth more, as far as single lines decide it. */
  readonly isSure: boolean
}

/**
 * The plans at a whole-number point of the relaxation; none, and nothing sure, where the point does not add up.
 *
 * @param alone  the plan of each line without the benefits that tie them
 */
export function plansAt(ground: TieGround, alone: readonly LinePlan[], point: Point): PlansAt {
  const fixed = servesAt(ground, point.columns, point.values)
  if (fixed === null) return { plans: [], isSure: false }
  const plans = ground.lines.map((line, at) =>
    fixed[at]!.length === 0 ? alone[at]! : planLine(line, ground.lineOffers[at]!, fixed[at]!),
  )
  const meant = asMeant(ground, point, { plans, fixed })
  const isOther = meant.some(({ off }, at) => off !== plans[at]!.off)
  return { plans: isOther ? [plans, meant] : [plans], isSure: meant.every((plan, at) => isSure(ground, at, plan)) }
}

interface Planned {
  readonly plans: readonly LinePlan[]
  readonly fixed: readonly (readonly Serve[])[]
}

function asMeant(ground: TieGround, { columns, values }: Point, { plans, fixed }: Planned): LinePlan[] {
  const meant = [...plans]
  for (const [column, { role, line: at }] of columns.entries()) {
    if (role !== 'off' || fixed[at]!.length === 0) continue
    const [line, offers] = [ground.lines[at]!, ground.lineOffers[at]!]
    const off = values[column]! > 0.5
    const plan = planLineIn(line, offers, { off, fixed: fixed[at]! })
    if (off) meant[at] = withReplacing(line, offers, plan)
    else if (!fixed[at]!.some((serve) => replacesOn(line, serve))) meant[at] = plan
  }
  return meant
}

// Where nobody takes own discounts off that are off, another way to share the line out may have somebody who does.
function isSure({ lines, lineOffers }: TieGround, at: number, plan: LinePlan): boolean {
  const { free, stacks } = lineOffers[at]!
  const isAllowed = !plan.off || mayBeOff(lines[at]!, plan) || ![...free, ...stacks].some(replaces)
  return isAllowed && plan.rest === plan.restBound
}
