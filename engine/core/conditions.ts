import type { Basis, BasisLine } from './basis.js'
import type { CompiledBenefit } from './compile.js'
import type { Missing } from './outcome.js'
import { selectedLines } from './selector.js'

/** What the basket lacks of a benefit's conditions (3-benefits 2); empty when they are met. */
export function missingConditions({ benefit, minimumSpend, requires }: CompiledBenefit, basis: Basis): Missing[] {
  const { conditions } = benefit
  if (conditions === null) return []
  const missing: Missing[] = []
  if (minimumSpend !== null) {
    const lacking =
      conditions.minimumSpend!.amount - sumOver(basis.lines, selectedLines(minimumSpend, basis.lines), netOf)
    if (lacking > 0) missing.push({ kind: 'spend', amount: lacking })
  }
  for (const [position, select] of requires.entries()) {
    const units = sumOver(basis.lines, selectedLines(select, basis.lines), unitsOf)
    const lacking = conditions.requires![position]!.quantity - units
    if (lacking > 0) missing.push({ kind: 'units', units: lacking })
  }
  return missing
}

/** A figure summed over the taken lines. */
export function sumOver(
  lines: readonly BasisLine[],
  taken: readonly boolean[],
  figure: (line: BasisLine) => number,
): number {
  let sum = 0
  for (let position = 0; position < lines.length; position++) if (taken[position]) sum += figure(lines[position]!)
  return sum
}

/** Whole units of a line. */
export function unitsOf(line: BasisLine): number {
  return line.units
}

function netOf(line: BasisLine): number {
  return line.net
}
