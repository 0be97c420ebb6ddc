import { everyCounter } from '../../engine/core/base/input.js'
import { accountKey } from '../../engine/core/base/outcome.js'
import type { Benefit } from '../../engine/core/base/programme.js'
import type { CalculationInput } from '../../engine/core/index.js'

/** By currencyId. */
export type Purse = ReadonlyMap<string, number>

/** Value free for this basket; with `held`, also value held by other open calculations. */
export function purseOf(benefits: readonly Benefit[], { member, available }: CalculationInput, held = false): Purse {
  const ids = benefits.flatMap(({ costs }) => (costs === null ? [] : [costs.currencyId]))
  return new Map(
    ids.map((id) => {
      const isShut = everyCounter in available
      const balance = member.balances?.[id] ?? (isShut && member.balances === undefined ? Number.MAX_SAFE_INTEGER : 0)
      const free = Math.max(0, available[accountKey(id)] ?? (isShut ? 0 : balance))
      return [id, held ? Math.max(balance, free) : free]
    }),
  )
}

/** The rest after `payments` payments of a benefit; null: not enough is there. */
export function paidFrom(purse: Purse, { costs }: Benefit, payments: number): Purse | null {
  if (costs === null) return purse
  const left = purse.get(costs.currencyId)! - payments * costs.amount
  return left < 0 ? null : new Map(purse).set(costs.currencyId, left)
}

/** Payments of the least that the benefit can be used: units of one time of a `buy_get`. */
export function leastPayments({ costs, reward }: Benefit): number {
  return costs?.per === 'unit' && reward.kind === 'buy_get' ? reward.get.quantity : 1
}

/** A cost with the worth of the spending, and the amounts spent; the smaller cost is better, then the smaller spending. */
export interface Outlay {
  readonly cost: number
  readonly spent: number
}

export function withPayments({ cost, spent }: Outlay, { costs }: Benefit, payments: number): Outlay {
  if (costs === null) return { cost, spent }
  return { cost: cost + payments * costs.worth, spent: spent + payments * costs.amount }
}

/** The better of two; null: none. */
export function better(one: Outlay | null, other: Outlay | null): Outlay | null {
  if (one === null || other === null) return one ?? other
  return other.cost < one.cost || (other.cost === one.cost && other.spent < one.spent) ? other : one
}

/** Equal for equal purses only. */
export function purseKey(purse: Purse): string {
  return [...purse.values()].join()
}
