import type { BenefitReport } from '../core/base/outcome.js'

/** What a benefit gave: minor units that it took off, and what it took from the member, in smallest units. */
export interface Given {
  readonly benefitId: string
  readonly discount: number
  readonly spent: { readonly currencyId: string; readonly amount: number } | null
}

/**
 * What benefits give as compact JSON, as the ledger searches and sums it: `[id, discount]`, and of one that costs
 * `[id, discount, currencyId, amount]`. null: none applies.
 */
export function textOfGiven(reports: readonly BenefitReport[]): string | null {
  let text = ''
  for (const { benefitId, dropped, value, spent } of reports) {
    if (dropped !== null) continue
    const cost = spent === undefined ? '' : `,${JSON.stringify(spent.currencyId)},${spent.amount}`
    text += `${text === '' ? '[' : ','}[${JSON.stringify(benefitId)},${value}${cost}]`
  }
  return text === '' ? null : `${text}]`
}

export function givenFromText(text: string | null): readonly Given[] {
  if (text === null) return []
  const rows = JSON.parse(text) as readonly (readonly [string, number, string?, number?])[]
  return rows
    .map(([benefitId, discount, currencyId, amount]) => ({
      benefitId,
      discount,
      spent: currencyId === undefined ? null : { currencyId, amount: amount! },
    }))
    .sort((left, right) => Buffer.compare(Buffer.from(left.benefitId), Buffer.from(right.benefitId)))
}
