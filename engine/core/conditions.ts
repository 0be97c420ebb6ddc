import type { Basis } from './basis.js'
import type { CompiledBenefit } from './compile.js'
import type { Matched } from './matched-lines.js'
import type { Missing } from './outcome.js'

/** What the basket lacks of a benefit's conditions (3-benefits 2); empty when they are met. */
export function missingConditions(
  { benefit, minimumSpend, requires }: CompiledBenefit,
  { basis: { lines }, matched }: { readonly basis: Basis; readonly matched: Matched },
): Missing[] {
  const { conditions } = benefit
  if (conditions === null) return []
  const missing: Missing[] = []
  if (minimumSpend !== null) {
    let lacking = conditions.minimumSpend!.amount
    for (const at of matched.all(minimumSpend)) lacking -= lines[at]!.net
    if (lacking > 0) missing.push({ kind: 'spend', amount: lacking })
  }
  for (const [position, select] of requires.entries()) {
    let lacking = conditions.requires![position]!.quantity
    for (const at of matched.all(select)) lacking -= lines[at]!.units
    if (lacking > 0) missing.push({ kind: 'units', units: lacking })
  }
  return missing
}
