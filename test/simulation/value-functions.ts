import { lockInOrder } from './lock-functions.js'
import type { Terms } from './terms.js'
import type { AccountRow, EntryRow, HoldRow, Transaction } from './transactions.js'

/** What a calculation takes of one account of its member. */
export interface Spend {
  readonly currencyId: string
  readonly amount: number
}

/** A rule of `CalculationRecord.earning`, as far as rules are known here: no maximum, no cooldown, no multiplier. */
interface RuleJson {
  readonly currencyId: string
  readonly give: number
  readonly every: number
  readonly sent: number
  readonly returned: number
}

/** The key of an account, and of its member's name for it. */
export function accountOf(memberId: string, currencyId: string): string {
  return `${memberId}\n${currencyId}`
}

/** member_hints: what each account has, held or not. */
export function memberHints(tx: Transaction, memberId: string) {
  const own = tx.rows('accounts').filter((account) => account.memberId === memberId)
  const balances = own.map(({ currencyId, available, held }) => [currencyId, available + held] as const)
  return { balances: Object.fromEntries(balances.filter(([, amount]) => amount > 0)), visits: 0, tier: null }
}

export function holdsOf(tx: Transaction, ids: readonly string[]): HoldRow[] {
  return tx.rows('holds').filter(({ calculationId }) => ids.includes(calculationId))
}

/** lock_held_accounts: of what these calculations hold, or held, and others; creates those and releases what has expired. */
export async function lockAccounts(
  tx: Transaction,
  { held, others }: { readonly held: readonly string[]; readonly others: readonly string[] },
  terms: Terms,
): Promise<void> {
  const keys = [...new Set([...holdsOf(tx, held).map(({ account }) => account), ...others])]
  if (!terms.planted.has('account_not_locked')) {
    await lockInOrder(
      tx,
      keys.map((key) => `account ${key}`),
      terms,
    )
  }
  for (const key of keys) {
    const [memberId, currencyId] = key.split('\n') as [string, string]
    if (tx.get('accounts', key) === undefined)
      tx.put('accounts', key, { memberId, currencyId, available: 0, held: 0, debt: 0, total: 0 })
  }
  const states = terms.planted.has('hold_released_after_use') ? ['open', 'used'] : ['open']
  const nowMs = terms.nowMs()
  for (const hold of tx.rows('holds')) {
    if (keys.includes(hold.account) && states.includes(hold.state) && hold.heldUntilMs <= nowMs) giveBack(tx, hold)
  }
}

/** release_value: what these calculations hold is available again. Their accounts are locked. */
export function releaseValue(tx: Transaction, ids: readonly string[]): void {
  for (const hold of holdsOf(tx, ids)) if (hold.state === 'open') giveBack(tx, hold)
}

function giveBack(tx: Transaction, hold: HoldRow): void {
  addTo(tx, hold.account, { available: hold.amount, held: -hold.amount })
  putHold(tx, { ...hold, state: 'released' })
}

export type ValueLeft = readonly { readonly currencyId: string; readonly left: number }[]

/** value_left: what is left where an account has too little, with what the calculation being freed holds; null: all have enough. */
export function valueLeft(
  tx: Transaction,
  { memberId, spends }: { readonly memberId: string | null; readonly spends: readonly Spend[] },
  freeing: string | null,
): ValueLeft | null {
  const rows = spends.map(({ currencyId, amount }) => {
    const key = accountOf(String(memberId), currencyId)
    const freed = tx.get('holds', holdKey(String(freeing), key))
    const left = (tx.get('accounts', key)?.available ?? 0) + (freed?.state === 'open' ? freed.amount : 0)
    return { currencyId, left, isShort: amount > left }
  })
  return rows.some(({ isShort }) => isShort) ? rows.map(({ currencyId, left }) => ({ currencyId, left })) : null
}

/** hold_value: its accounts are locked and have enough. */
export function holdValue(tx: Transaction, id: string, spends: readonly Spend[], terms: Terms): void {
  const { memberId, expiresAtMs } = tx.get('calculations', id)!
  for (const { currencyId, amount } of spends) {
    const account = accountOf(String(memberId), currencyId)
    const there = terms.planted.has('basket_makes_debt') ? tx.get('accounts', account)!.available : amount
    const taken = Math.min(there, amount)
    addTo(tx, account, { available: -taken, held: amount, debt: amount - taken })
    putHold(tx, { calculationId: id, account, amount, heldUntilMs: expiresAtMs, state: 'open' })
  }
}

/** use_value: what a calculation holds leaves its accounts, which are locked. */
export function useValue(tx: Transaction, id: string): void {
  for (const hold of holdsOf(tx, [id])) {
    if (hold.state !== 'open') continue
    addTo(tx, hold.account, { held: -hold.amount })
    addEntry(tx, { cause: `spending:${id}`, account: hold.account, amount: -hold.amount })
    putHold(tx, { ...hold, state: 'used' })
  }
}

/** use_value_late: uses what a calculation held; what is no longer there becomes debt. Says whether any does. */
export function useValueLate(tx: Transaction, id: string, terms: Terms): boolean {
  let isOverdrawn = false
  for (const hold of holdsOf(tx, [id])) {
    if (hold.state !== 'released') continue
    const there = Math.min(hold.amount, tx.get('accounts', hold.account)!.available)
    if (there < hold.amount) isOverdrawn = true
    const debt = terms.planted.has('late_use_forgiven') ? 0 : hold.amount - there
    addTo(tx, hold.account, { available: -there, debt })
    addEntry(tx, { cause: `spending:${id}`, account: hold.account, amount: -hold.amount })
    putHold(tx, { ...hold, state: 'late' })
  }
  return isOverdrawn
}

export interface Earner {
  readonly calculationId: string
  readonly memberId: string | null
  readonly earning: string | null
}

/** The accounts that a sale of it may credit. */
export function earningAccounts({ memberId, earning }: Earner): string[] {
  return memberId === null ? [] : rulesOf(earning).map(({ currencyId }) => accountOf(memberId, currencyId))
}

/** earn: gives what the sale of a calculation earns; debt is paid first. */
export async function earn(tx: Transaction, earner: Earner, status: string, terms: Terms): Promise<void> {
  const { calculationId, memberId, earning } = earner
  if (memberId === null || status === 'member_not_found' || status === 'cancelled') return
  await lockAccounts(tx, { held: [], others: earningAccounts(earner) }, terms)
  for (const { currencyId, give, every, sent, returned } of rulesOf(earning)) {
    const account = accountOf(memberId, currencyId)
    const { total, debt } = tx.get('accounts', account)!
    const counted = status === 'applied' ? returned : sent
    const amount = give * (Math.floor((total + counted) / every) - Math.floor(total / every))
    const paid = Math.min(debt, amount)
    addTo(tx, account, { available: amount - paid, debt: -paid, total: counted })
    if (amount > 0) addEntry(tx, { cause: `calculation:${calculationId}`, account, amount })
  }
}

function rulesOf(earning: string | null): readonly RuleJson[] {
  return earning === null ? [] : (JSON.parse(earning) as { readonly rules: readonly RuleJson[] }).rules
}

function addTo(tx: Transaction, key: string, more: Partial<Omit<AccountRow, 'memberId' | 'currencyId'>>): void {
  const row = tx.get('accounts', key)!
  const { available = 0, held = 0, debt = 0, total = 0 } = more
  tx.put('accounts', key, {
    ...row,
    available: row.available + available,
    held: row.held + held,
    debt: row.debt + debt,
    total: row.total + total,
  })
}

function holdKey(id: string, account: string): string {
  return `${id} ${account}`
}

function putHold(tx: Transaction, hold: HoldRow): void {
  tx.put('holds', holdKey(hold.calculationId, hold.account), hold)
}

/** forget_calculation: its accounts are locked and what it held is released. */
export function forgetHolds(tx: Transaction, id: string): void {
  for (const { account } of holdsOf(tx, [id])) tx.remove('holds', holdKey(id, account))
}

/** Nothing keeps a second entry of one cause away but the locks: it would show as a row of its own. */
function addEntry(tx: Transaction, entry: EntryRow): void {
  const { cause, account } = entry
  const same = tx.rows('entries').filter((other) => other.cause === cause && other.account === account)
  tx.put('entries', `${cause} ${account} ${same.length}`, entry)
}
