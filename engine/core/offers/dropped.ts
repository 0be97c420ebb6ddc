import type { Basis } from '../base/basis.js'
import type { Dropped, Missing } from '../base/outcome.js'

export function lackingUnits(units: number): Dropped {
  const missing: Missing[] = [{ kind: 'units', units }]
  return { stage: 'conditions_not_met', missing }
}

export function flagged(lines: readonly number[], basis: Basis): Extract<Dropped, { stage: 'not_discountable' }> {
  return { stage: 'not_discountable', lines: sentPositions(lines, basis) }
}

export function kept(lines: readonly number[], basis: Basis): Extract<Dropped, { stage: 'existing_discount_kept' }> {
  return { stage: 'existing_discount_kept', lines: sentPositions(lines, basis) }
}

export function withoutOwn(positions: readonly number[], { lines }: Basis): readonly number[] {
  return positions.filter((at) => lines[at]!.own === 0)
}

function sentPositions(lines: readonly number[], basis: Basis): number[] {
  return lines.map((at) => basis.lines[at]!.position)
}
