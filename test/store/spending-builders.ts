import type { Spent } from '../../engine/core/base/outcome.js'
import type { SaleEvent } from '../../engine/index.js'
import { textOfSpending } from '../../engine/wire/write-stored.js'
import type { CalculationRecord } from '../../store/ledger/calculations.js'
import type { Ledger } from '../support/open-ledger.js'
import { aRecord, aSale, eventBody, plenty, type Subject } from './ledger-builders.js'
import { aValueTable } from './value-builders.js'

/** One payment of a benefit, in full. */
export function aSpent(currencyId: string, amount: number, more: Partial<Spent> = {}): Spent {
  const lines = [{ lineId: 'line-1', units: 1 }]
  return { benefitId: 'free-coffee', currencyId, per: 'times', amount, times: 1, lines, ...more }
}

/** A calculation that spends from a member's account. */
export function aSpender(
  ledger: Ledger,
  { memberId, currencyId, amount }: { memberId: string; currencyId: string; amount: number },
  more: Partial<CalculationRecord> = {},
): CalculationRecord {
  return aRecord(ledger, { memberId, spending: textOfSpending([aSpent(currencyId, amount)]), ...more })
}

/** A member with stamps, and calculations that spend them. */
export async function aCard({ ledger }: Subject, stamps: number) {
  const value = aValueTable(ledger)
  const [memberId, currencyId] = [await value.enrol(), await value.currency()]
  if (stamps > 0) await value.adjust(memberId, currencyId, stamps)
  return {
    value,
    memberId,
    currencyId,
    spender: (amount: number, more: Partial<CalculationRecord> = {}) =>
      aSpender(ledger, { memberId, currencyId, amount }, more),
    confirm: (record: CalculationRecord) => ledger.calculations.confirm(record, plenty),
    sell: (record: CalculationRecord, more: Partial<SaleEvent> = {}) =>
      ledger.sales.record(aSale(record, more), eventBody),
    sums: () => value.sums(memberId, currencyId),
    lots: () => value.lots(memberId, currencyId),
    movements: () => value.movements(memberId, currencyId),
  }
}

/** The sums of an account that is empty. */
export const nothing = { available: 0, pending: 0, held: 0, debt: 0 }
