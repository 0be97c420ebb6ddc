import { type CounterName, counterKey } from '../../engine/core/base/outcome.js'
import type { CounterLookUp } from '../../store/ledger/counters.js'

interface LimitedCounter extends CounterName {
  readonly maximum: number
}

/**
 * Units or money left of these counters in the ledger now, by counterKey, 0 or more. Rejects with StoreFault.
 *
 * @param freed  units by counterKey that are open now and count as free
 */
export async function unitsLeft(
  ledger: { readonly counters: CounterLookUp },
  limited: readonly LimitedCounter[],
  freed: ReadonlyMap<string, number> = new Map(),
): Promise<Readonly<Record<string, number>>> {
  if (limited.length === 0) return {}
  const counters = new Map((await ledger.counters.lookUp(limited)).map((counter) => [counterKey(counter), counter]))
  return Object.fromEntries(
    limited.map((each) => {
      const key = counterKey(each)
      const { used = 0, open = 0 } = counters.get(key) ?? {}
      return [key, Math.max(0, each.maximum - used - open + (freed.get(key) ?? 0))]
    }),
  )
}
