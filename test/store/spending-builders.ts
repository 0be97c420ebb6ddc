import type { Spent } from '../../engine/core/base/outcome.js'
import { textOfSpending } from '../../engine/wire/write-spending.js'
import type { CalculationRecord } from '../../store/ledger/calculations.js'
import type { Ledger } from '../../store/ledger.js'
import { aRecord } from './ledger-builders.js'

/** One payment of a benefit, in full. */
export function aSpent(currencyId: string, amount: number, more: Partial<Spent> = {}): Spent {
  const lines = [{ lineId: 'line-1', units: 1 }]
  return { benefitId: 'free-coffee', currencyId, per: 'times', amount, times: 1, lines, ...more }
}

/** A calculation that spends so much of a member's account. */
export function aSpender(
  ledger: Ledger,
  { memberId, currencyId, amount }: { memberId: string; currencyId: string; amount: number },
  more: Partial<CalculationRecord> = {},
): CalculationRecord {
  return aRecord(ledger, { memberId, spending: textOfSpending([aSpent(currencyId, amount)]), ...more })
}
