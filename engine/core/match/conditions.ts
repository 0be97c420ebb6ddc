import type { Basis } from '../base/basis.js'
import type { Missing } from '../base/outcome.js'
import type { CompiledBenefit } from './compile.js'
import type { Matched } from './matched-lines.js'

/** What the basket lacks of a benefit's conditions (3-benefits 2); empty if they are met. */
export function missingConditions(
  { benefit, minimumSpend, requires, requiredUnits }: CompiledBenefit,
  { basis: { lines }, matched }: { readonly basis: Basis; readonly matched: Matched },
): Missing[] {
  const { conditions } = benefit
  if (conditions === null) return []
  const missing: Missing[] = []
  if (minimumSpend !== null) {
    const positions = matched.all(minimumSpend)
    let lacking = conditions.minimumSpend!.amount
    for (let index = 0; index < positions.length && lacking > 0; index++) lacking -= lines[positions[index]!]!.net
    if (lacking > 0) missing.push({ kind: 'spend', amount: lacking })
  }
  for (let index = 0; index < requires.length; index++) {
    const lacking = requiredUnits[index]! - matched.units(requires[index]!)
    if (lacking > 0) missing.push({ kind: 'units', units: lacking })
  }
  return missing
}
