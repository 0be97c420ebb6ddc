import type { Basis } from '../base/basis.js'
import { quantityOne } from '../base/money.js'
import type { Missing } from '../base/outcome.js'
import type { CompiledBenefit } from './compile.js'
import type { Matched } from './matched-lines.js'

export function missingConditions(
  { benefit, minimumSpend, requires }: CompiledBenefit,
  { basis: { lines }, matched }: { readonly basis: Basis; readonly matched: Matched },
): Missing[] {
  const { conditions } = benefit
  if (conditions === null) return []
  const missing: Missing[] = []
  if (minimumSpend !== null) {
    const positions = matched.money(minimumSpend, minimumSpend.includeNoDiscount)
    let lacking = conditions.minimumSpend!.amount
    for (let index = 0; index < positions.length && lacking > 0; index++) lacking -= lines[positions[index]!]!.net
    if (lacking > 0) missing.push({ kind: 'spend', amount: lacking })
  }
  for (let index = 0; index < requires.length; index++) {
    const { quantity, measure = false } = conditions.requires![index]!
    const lacking = quantity - (measure ? matched.measure : matched.units)(requires[index]!)
    if (lacking > 0) missing.push({ kind: 'units', units: measure ? Math.ceil(lacking / quantityOne) : lacking })
  }
  return missing
}
