import type { Calculation } from '../../engine/core/base/outcome.js'
import type { Benefit } from '../../engine/core/base/programme.js'
import { sumOf } from './spread.js'

/** Benefits that were applied to part of a group: half a bundle, or a bought unit without its free one. */
export function groupFaults(benefits: readonly Benefit[], calculation: Calculation): string[] {
  return calculation.benefits.flatMap(({ benefitId, dropped, lines }) => {
    if (dropped !== null) return []
    const each = unitsEach(benefits.find((benefit) => benefit.benefitId === benefitId)!)
    const units = sumOf(lines.map((line) => line.units))
    return units % each === 0 ? [] : [`${benefitId} has ${units} units, and takes ${each} each time`]
  })
}

function unitsEach({ reward }: Benefit): number {
  if (reward.kind === 'buy_get') return reward.buy.quantity + reward.get.quantity
  return 'components' in reward ? sumOf(reward.components.map(({ quantity }) => quantity)) : 1
}
