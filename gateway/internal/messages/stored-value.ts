import { factorOne } from '../../../engine/core/base/earning.js'
import { textFromScaled } from '../../../engine/wire/decimal.js'
import { spendingFromText } from '../../../engine/wire/write-stored.js'
import type { InspectedHold } from '../../../store/ledger/calculations.js'

interface StoredEarning {
  readonly rules: readonly {
    readonly ruleId: string
    readonly currencyId: string
    readonly per: string
    readonly factor: number
    readonly sent: number
    readonly returned: number
  }[]
}

/** Decimals of a factor. */
const factorDecimals = String(factorOne).length - 1

/** Amounts by ruleId, in the smallest units of the currency. */
type ByRule = Readonly<Record<string, number>>

interface Earned {
  readonly given: ByRule
  /** Earnings of a sale now, or of the sale made; 0 for a rule without an entry. null: not known. */
  readonly wouldEarn: ByRule | null
}

/** The rules' counts of a basket, from those stored with its calculation. */
export function earningRecords(earning: string | null, { given, wouldEarn }: Earned) {
  if (earning === null) return []
  const { rules } = JSON.parse(earning) as StoredEarning
  return rules.map((rule) => ({
    ...rule,
    factor: textFromScaled(rule.factor, factorDecimals),
    given: own(given, rule.ruleId),
    wouldEarn: wouldEarn && (own(wouldEarn, rule.ruleId) ?? 0),
  }))
}

function own(amounts: ByRule, ruleId: string): number | undefined {
  return Object.hasOwn(amounts, ruleId) ? amounts[ruleId] : undefined
}

/**
 * The cost of benefits to the member, from that stored with the calculation.
 *
 * @param holds  present or former holds of the calculation on accounts
 */
export function spendingRecords(spending: string | null, holds: readonly InspectedHold[]) {
  return spendingFromText(spending).map((cost) => {
    const hold = holds.find(({ currencyId }) => currencyId === cost.currencyId)
    return { ...cost, state: hold?.state, heldUntil: hold?.heldUntil }
  })
}
