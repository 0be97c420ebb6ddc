import { isDeepStrictEqual } from 'node:util'
import type { LotState } from '../../../store/ledger/value.js'
import { totals } from '../value-builders.js'
import type { AccountModel } from './account-model.js'
import type { Played } from './played.js'
import { currencies, rules } from './rules.js'
import type { WorldModel } from './world-model.js'

/** Two moments that one step made are at most so far apart; two moments that matter are a quarter of an hour apart. */
const sameMs = 60_000
const movementsMax = 1_000

/** Compares sums, lots, debts, totals of rules and movements of these members; the first difference in words, or null. */
export async function compareAccounts(
  { ledger, database }: Played,
  model: WorldModel,
  memberIds: ReadonlyMap<number, string>,
): Promise<string | null> {
  for (const [member, memberId] of memberIds) {
    const accounts = await ledger.value.findAccounts(memberId)
    const rows = await ledger.value.listMovements({ memberId, currencyId: '' }, { after: null, limit: movementsMax })
    const counted = await totals(database, memberId)
    const now = ledger.clock()
    model.sales.expire(now)
    for (const { currencyId } of currencies) {
      const due = model.account(member, currencyId)
      due.expire(now)
      const found = accounts.find((account) => account.currencyId === currencyId)
      const fault =
        differs('sums', sumsOf(found), sumsDue(due, now)) ??
        lotsDiffer(found?.lots ?? [], due, now) ??
        differs(
          'movements',
          movedOf(rows.filter((row) => row.currencyId === currencyId)),
          movedDue(due, model.forgotten.has(member)),
        )
      if (fault !== null) return `member ${member}, ${currencyId}: ${fault}`
    }
    const fault = model.forgotten.has(member) ? null : differs('totals', totalsOf(counted), totalsDue(model, member))
    if (fault !== null) return `member ${member}: ${fault}`
  }
  return null
}

function differs(what: string, found: unknown, due: unknown): string | null {
  return isDeepStrictEqual(found, due) ? null : `${what} are ${JSON.stringify(found)}, due ${JSON.stringify(due)}`
}

type Sums = Readonly<Record<'available' | 'pending' | 'held' | 'debt', number>>

function sumsOf({ available, pending, held, debt }: Sums = { available: 0, pending: 0, held: 0, debt: 0 }): Sums {
  return { available, pending, held, debt }
}

function sumsDue(account: AccountModel, now: number): Sums {
  const { debt } = account
  return { available: account.available(now), pending: account.pending(now), held: account.held(), debt }
}

interface SeenLot {
  readonly isPending: boolean
  readonly opensAt: number
  readonly expiresAt: number
  amount: number
  held: number
}

/** Open lots of one expiry are one; so are pending ones of one opening and expiry. */
function lotsDiffer(found: readonly LotState[], { lots }: AccountModel, now: number): string | null {
  const seen = joined(
    found.map(({ expiresAt, ...lot }) => ({ ...lot, expiresAt: expiresAt ?? Number.POSITIVE_INFINITY })),
    now,
  )
  const due = joined(lots, now)
  const same =
    seen.length === due.length &&
    seen.every((lot, at) => {
      const other = due[at]!
      return lot.amount === other.amount && lot.held === other.held && isAlike(lot, other)
    })
  return same ? null : `lots are ${JSON.stringify(seen.map(legible))}, due ${JSON.stringify(due.map(legible))}`
}

function joined(lots: readonly Omit<SeenLot, 'isPending'>[], now: number): SeenLot[] {
  const sorted = lots
    .map(({ amount, held, opensAt, expiresAt }) => ({ isPending: opensAt > now, opensAt, expiresAt, amount, held }))
    .sort((left, right) => order(left, right))
  const whole: SeenLot[] = []
  for (const lot of sorted) {
    const last = whole.at(-1)
    if (last === undefined || !isAlike(last, lot)) whole.push(lot)
    else {
      last.amount += lot.amount
      last.held += lot.held
    }
  }
  return whole
}

function order(left: SeenLot, right: SeenLot): number {
  if (left.isPending !== right.isPending) return left.isPending ? 1 : -1
  const apart = left.isPending && !isNear(left.opensAt, right.opensAt) ? left.opensAt - right.opensAt : 0
  return apart !== 0 ? apart : left.expiresAt === right.expiresAt ? 0 : left.expiresAt < right.expiresAt ? -1 : 1
}

function isAlike(left: SeenLot, right: SeenLot): boolean {
  if (left.isPending !== right.isPending || !isNear(left.expiresAt, right.expiresAt)) return false
  return !left.isPending || isNear(left.opensAt, right.opensAt)
}

function isNear(left: number, right: number): boolean {
  return left === right || Math.abs(left - right) < sameMs
}

function legible({ isPending, opensAt, expiresAt, amount, held }: SeenLot): string {
  const text = (at: number) => (Number.isFinite(at) ? new Date(at).toISOString() : 'never')
  return `${amount} (${held} held)${isPending ? ` from ${text(opensAt)}` : ''} to ${text(expiresAt)}`
}

/** Amounts by kind, ascending; expiries as one sum. */
function movedOf(rows: readonly { readonly kind: string; readonly amount: number }[]) {
  return inKinds(rows.map(({ kind, amount }) => [kind, amount] as const))
}

function movedDue({ moved }: AccountModel, isForgotten: boolean) {
  if (isForgotten) return {}
  return inKinds(
    [...moved].filter(([, amount]) => amount !== 0).map(([key, amount]) => [key.split(' ').at(-1)!, amount] as const),
  )
}

function inKinds(rows: readonly (readonly [string, number])[]): Record<string, readonly number[]> {
  const kinds: Record<string, number[]> = {}
  for (const [kind, amount] of rows.toSorted(([left], [right]) => (left < right ? -1 : left > right ? 1 : 0))) {
    const amounts = kinds[kind] ?? []
    kinds[kind] = amounts
    if (kind === 'expired' && amounts.length > 0) amounts[0]! += amount
    else amounts.push(amount)
  }
  for (const amounts of Object.values(kinds)) amounts.sort((left, right) => left - right)
  return kinds
}

function totalsOf(counted: Readonly<Record<string, readonly [total: string, given: number]>>) {
  return Object.fromEntries(
    rules.flatMap(({ ruleId }) => {
      const total = counted[ruleId]?.[0] ?? '0'
      return total === '0' ? [] : [[ruleId, total]]
    }),
  )
}

function totalsDue({ sales }: WorldModel, member: number) {
  return Object.fromEntries(
    rules.flatMap(({ ruleId }) => {
      const { total } = sales.total(member, ruleId)
      return total === 0n ? [] : [[ruleId, String(total)]]
    }),
  )
}
