import { everyCounter } from '../../engine/core/base/input.js'
import { accountKey, type Spent } from '../../engine/core/base/outcome.js'
import type { PricingFacts } from '../../engine/index.js'
import type { Dice } from '../support/dice.js'
import type { Base, BasketBody, CostedId } from './bodies.js'
import type { Tables } from './transactions.js'
import { accountOf } from './value-functions.js'

/** What a unit of each costed benefit costs. */
export const costs: Readonly<Record<CostedId, { readonly currencyId: string; readonly amount: number }>> = {
  D: { currencyId: 'stamps', amount: 2 },
  E: { currencyId: 'points', amount: 3 },
}

export interface Rule {
  readonly currencyId: string
  readonly give: number
  /** Minor units of the base. */
  readonly every: number
}

/** The earning rules: one for each currency. */
export const rules: readonly Rule[] = [
  { currencyId: 'stamps', give: 1, every: 700 },
  { currencyId: 'points', give: 2, every: 900 },
]

/** Minor units of a basket as sent, and what each unit of a costed benefit takes off. */
const sentNet = 1_000
const unitValue = 150

/** What a basket takes of its member, at most what is there as far as anybody knows. */
export function spendingOf({ wants }: BasketBody, { member, available }: PricingFacts): readonly Spent[] {
  return (Object.keys(costs) as CostedId[]).flatMap((benefitId) => {
    const { currencyId, amount } = costs[benefitId]
    const balance = member?.balances?.[currencyId] ?? 0
    const free = available[accountKey(currencyId)] ?? (available[everyCounter] === undefined ? balance : 0)
    const times = Math.min(wants[benefitId] ?? 0, Math.floor(free / amount))
    const lines = [{ lineId: 'line-1', units: times }]
    return times > 0 ? [{ benefitId, currencyId, per: 'unit' as const, amount, times, lines }] : []
  })
}

/** What the rules count: no rule has a selector. */
export function baseOf(spending: readonly Spent[]): Base {
  const units = spending.reduce((sum, { times }) => sum + times, 0)
  return { sent: sentNet, returned: sentNet - unitValue * units }
}

/** The rules as a calculation keeps them, as far as the simulated ledger reads them. */
export function earningText(base: Base): string {
  return JSON.stringify({ rules: rules.map((rule) => ({ ...rule, ...base })) })
}

/** Some members hold some value from before. */
export function giveOpeningBalances({ accounts, entries }: Tables, dice: Dice): void {
  for (const memberId of ['m1', 'm2']) {
    for (const { currencyId, amount: unit } of Object.values(costs)) {
      const amount = dice.pick([0, unit, unit, 2 * unit + 1, 4 * unit])
      const account = accountOf(memberId, currencyId)
      if (amount === 0) continue
      accounts.set(account, { memberId, currencyId, available: amount, held: 0, debt: 0, total: 0 })
      entries.set(`opening ${account}`, { cause: 'opening', account, amount })
    }
  }
}
