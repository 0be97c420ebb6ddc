import type { Spent } from '../core/base/outcome.js'

/** What an outcome takes from its member as compact JSON, as the ledger stores it; null: nothing. */
export function textOfSpending(spending: readonly Spent[]): string | null {
  return spending.length === 0 ? null : JSON.stringify(spending)
}

export function spendingFromText(text: string | null): readonly Spent[] {
  return text === null ? [] : (JSON.parse(text) as readonly Spent[])
}
