import { factorOne } from '../../engine/core/base/earning.js'
import { spendingFromText } from '../../engine/wire/write-stored.js'

/** Value of a currency then and with a draft, in its smallest units. */
export interface ValueRow {
  /** Empty in a table of totals. */
  readonly key: string
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
  /** A basket that was charged as returned, under its own key where the table has one for each basket. */
  add(then: BasketValue, draft: BasketValue, key?: string): void
  /** By the bytes of their keys, then of their currency ids. */
  rows(): readonly ValueRow[]
}

/** The key of a basket's value: its own, or that of the rule or benefit that issues or spends it. */
export type KeyedBy = 'basket' | 'source'

/**
 * Sums the value that baskets would issue and spend. Counts of rules are summed over all members before they are divided, as if one member had
 * carried every remainder, so that nothing is stored per member. Only maxima per basket apply, and no cooldown.
 */
export function createValueTable(keyedBy: KeyedBy = 'basket'): ValueTable {
  const [then, draft] = [createSums(keyedBy), createSums(keyedBy)]
  return {
    add(thenValue, draftValue, key = '') {
      then.add(thenValue, key)
      draft.add(draftValue, key)
    },
    rows() {
      const places = [...new Set([...then.places(), ...draft.places()])].sort()
      return places.map((place) => {
        const [key = '', currencyId = ''] = place.split(separator)
        const amounts = { issuedThen: then.issued(place), issuedDraft: draft.issued(place) }
        return { key, currencyId, ...amounts, spentThen: then.spent(place), spentDraft: draft.spent(place) }
      })
    },
  }
}

const separator = '\n'

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

/** A rule's value at a place, in parts of `step`. */
interface RuleSum {
  readonly place: string
  readonly step: bigint
  readonly parts: bigint
}

function createSums(keyedBy: KeyedBy) {
  const rules = new Map<string, RuleSum>()
  const spent = new Map<string, bigint>()
  const placeOf = (key: string, source: string, currencyId: string) =>
    `${keyedBy === 'source' ? source : key}${separator}${currencyId}`
  return {
    add({ earning, spending }: BasketValue, key: string): void {
      const counts = earning === null ? [] : (JSON.parse(earning) as StoredEarning).rules
      for (const count of counts) {
        const { currencyId, ...sum } = sumFrom(count)
        const place = placeOf(key, count.ruleId, currencyId)
        const own = `${place}${separator}${count.ruleId}`
        // A published rule keeps its currency and step; a draft's is one and the same in every basket.
        rules.set(own, { ...sum, place, parts: (rules.get(own)?.parts ?? 0n) + sum.parts })
      }
      for (const { benefitId, currencyId, amount, times } of spendingFromText(spending)) {
        const place = placeOf(key, benefitId, currencyId)
        spent.set(place, (spent.get(place) ?? 0n) + BigInt(amount) * BigInt(times))
      }
    },
    issued: (place: string) =>
      [...rules.values()]
        .filter((rule) => rule.place === place)
        .reduce((sum, { parts, step }) => sum + parts / step, 0n),
    spent: (place: string) => spent.get(place) ?? 0n,
    places: () => [...[...rules.values()].map(({ place }) => place), ...spent.keys()],
  }
}

function sumFrom({ currencyId, give, per, every = 1, factor, returned, maximum }: StoredCount) {
  const step = BigInt(every) * BigInt(factorOne)
  const parts = BigInt(give) * BigInt(returned) * BigInt(factor)
  // A visit carries no remainder.
  const given = per === 'visit' ? (parts / step) * step : parts
  const most = maximum?.period === 'basket' ? BigInt(maximum.amount) * step : given
  return { currencyId, step, parts: given < most ? given : most }
}
