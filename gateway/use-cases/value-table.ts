import { factorOne } from '../../engine/core/base/earning.js'
import { spendingFromText } from '../../engine/wire/write-spending.js'

/** Value of a currency then and with a draft, in its smallest units. */
export interface ValueRow {
  readonly currencyId: string
  readonly issuedThen: bigint
  readonly issuedDraft: bigint
  readonly spentThen: bigint
  readonly spentDraft: bigint
}

/** As `CalculationRecord.earning` and `.spending`. */
export interface BasketValue {
  readonly earning: string | null
  readonly spending: string | null
}

export interface ValueTable {
  /** A basket that was charged as returned. */
  add(then: BasketValue, draft: BasketValue): void
  /** By the bytes of their currency ids. */
  rows(): readonly ValueRow[]
}

/**
 * Sums what baskets would issue and spend. What rules count is summed over all members before it is divided, as if one member had
 * carried every remainder, so that nothing is kept per member. Of maxima only those of a basket hold, and no cooldown does.
 */
export function createValueTable(): ValueTable {
  const [then, draft] = [createSums(), createSums()]
  return {
    add(thenValue, draftValue) {
      then.add(thenValue)
      draft.add(draftValue)
    },
    rows() {
      const names = [...new Set([...then.currencies(), ...draft.currencies()])].sort()
      return names.map((currencyId) => ({
        currencyId,
        issuedThen: then.issued(currencyId),
        issuedDraft: draft.issued(currencyId),
        spentThen: then.spent(currencyId),
        spentDraft: draft.spent(currencyId),
      }))
    },
  }
}

/** As `textOfEarning` writes it. */
interface StoredEarning {
  readonly rules: readonly StoredCount[]
}

interface StoredCount {
  readonly ruleId: string
  readonly currencyId: string
  readonly give: number
  readonly per: string
  readonly every?: number
  readonly factor: number
  readonly returned: number
  readonly maximum?: { readonly amount: number; readonly period: string }
}

/** What a rule gives, in parts of `step`. */
interface RuleSum {
  readonly currencyId: string
  readonly step: bigint
  readonly parts: bigint
}

function createSums() {
  const rules = new Map<string, RuleSum>()
  const spent = new Map<string, bigint>()
  return {
    add({ earning, spending }: BasketValue): void {
      const counts = earning === null ? [] : (JSON.parse(earning) as StoredEarning).rules
      for (const count of counts) {
        const sum = sumFrom(count)
        // A published rule keeps its currency and step; a draft's is one and the same in every basket.
        rules.set(count.ruleId, { ...sum, parts: (rules.get(count.ruleId)?.parts ?? 0n) + sum.parts })
      }
      for (const { currencyId, amount, times } of spendingFromText(spending))
        spent.set(currencyId, (spent.get(currencyId) ?? 0n) + BigInt(amount) * BigInt(times))
    },
    issued: (currencyId: string) =>
      [...rules.values()]
        .filter((rule) => rule.currencyId === currencyId)
        .reduce((sum, { parts, step }) => sum + parts / step, 0n),
    spent: (currencyId: string) => spent.get(currencyId) ?? 0n,
    currencies: () => [...[...rules.values()].map(({ currencyId }) => currencyId), ...spent.keys()],
  }
}

function sumFrom({ currencyId, give, per, every = 1, factor, returned, maximum }: StoredCount): RuleSum {
  const step = BigInt(every) * BigInt(factorOne)
  const parts = BigInt(give) * BigInt(returned) * BigInt(factor)
  // A visit carries no remainder.
  const given = per === 'visit' ? (parts / step) * step : parts
  const most = maximum?.period === 'basket' ? BigInt(maximum.amount) * step : given
  return { currencyId, step, parts: given < most ? given : most }
}
