import type { Tables } from './transactions.js'
import { freeOf } from './value-checks.js'
import { accountOf } from './value-functions.js'

const kinds: Readonly<Record<string, string>> = { spending: 'used', calculation: 'earned', adjusting: 'adjusted' }

interface Adjusting {
  readonly member: { readonly memberId: string }
  readonly currencyId: string
  readonly amount: number
}

/** The methods of a ledger by which suites give members value and look at it, on simulated tables. Currencies and members need no row. */
export function simulatedValue({ accounts, holds, entries }: Tables, nowMs: () => number) {
  return {
    members: { store: async () => ({ kind: 'done' }), block: async () => ({ kind: 'done' }) },
    programmes: { publishFile: async () => ({ kind: 'done' }) },
    value: {
      async adjust(_command: unknown, { member: { memberId }, currencyId, amount }: Adjusting) {
        const key = accountOf(memberId, currencyId)
        const row = accounts.get(key) ?? { memberId, currencyId, available: 0, held: 0, debt: 0, total: 0 }
        const paid = Math.min(row.debt, amount)
        accounts.set(key, { ...row, available: row.available + amount - paid, debt: row.debt - paid })
        entries.set(`adjusting ${entries.size}`, { cause: `adjusting:${entries.size}`, account: key, amount })
      },
      async findAccounts(memberId: string) {
        return [...accounts].flatMap(([key, account]) => {
          if (account.memberId !== memberId) return []
          const available = freeOf({ accounts, holds }, key, nowMs())
          return [{ ...account, available, held: account.held - (available - account.available), pending: 0 }]
        })
      },
      async listMovements({ memberId, currencyId }: { readonly memberId: string; readonly currencyId: string }) {
        const own = [...entries.values()].filter(({ account }) => account === accountOf(memberId, currencyId))
        return own.toReversed().map(({ cause, amount }) => ({ kind: kinds[cause.split(':')[0]!], amount }))
      },
    },
    calculations: {
      async find(id: string) {
        return { holds: [...holds.values()].filter(({ calculationId }) => calculationId === id) }
      },
    },
  }
}
