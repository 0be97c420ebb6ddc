import type { Counted, Earning } from '../base/earning.js'
import type { Money } from '../base/money.js'
import { dayOf } from '../match/calendar.js'
import type { CompiledEarning, CompiledRule } from '../match/compile-rule.js'
import { isOpenBy, type Occasion } from '../match/open.js'
import { factorFor } from './earning-of.js'

export interface SaleEarning {
  readonly earning: Earning | null
  /** Whether an open rule needs the basket; for support. */
  readonly isPartial: boolean
}

/**
 * What the rules count of a sale that failed for an unknown calculation (4-member-value 4): `visit` and amount rules
 * without selectors, of the amount paid.
 *
 * @param occasion  with the sale's `requestedAt`
 */
export function earningOfSale({ rules }: CompiledEarning, occasion: Occasion, paidTotal: Money): SaleEarning {
  const open = rules.filter((compiled) => isOpenBy(compiled.rule, compiled, occasion))
  const countable = open.filter(isCountable)
  const isPartial = countable.length < open.length
  const counted: Counted[] = countable
    .filter(({ rule }) => paidTotal > 0 && paidTotal >= (rule.minimumSpend?.amount ?? 0))
    .map((compiled) => {
      const count = compiled.rule.per.kind === 'visit' ? 1 : paidTotal
      return { rule: compiled.rule, factor: factorFor(compiled, occasion), sent: count, returned: count }
    })
  if (counted.length === 0) return { earning: null, isPartial }
  const { timeZone } = occasion.venue
  const at = occasion.basket.requestedAt
  return { earning: { at, day: dayOf(occasion.clock()), timeZone, counted }, isPartial }
}

function isCountable({ rule: { per, select, minimumSpend } }: CompiledRule): boolean {
  return per.kind !== 'units' && select === null && minimumSpend?.select === undefined
}
