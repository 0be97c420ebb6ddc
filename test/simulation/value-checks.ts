import type { AnswerBody } from './bodies.js'
import type { AccountRow, HoldRow, SaleRow, Tables } from './transactions.js'
import { accountOf } from './value-functions.js'
import { rules } from './value-programme.js'

/** The answers that the ledger has stored, by calculation. */
export type LedgerAnswers = ReadonlyMap<string, Pick<AnswerBody, 'spends' | 'base'>>

/** I17: an account is the sum of its entries, holds what its holds say, and is never overdrawn. */
export function accountsAstray({ accounts, holds, entries }: Tables): string[] {
  const sums = new Map([...accounts.keys()].map((key) => [key, { entries: 0, open: 0 }]))
  const causes = new Set<string>()
  const lines: string[] = []
  for (const { cause, account, amount } of entries.values()) {
    sums.get(account)!.entries += amount
    if (causes.has(`${cause} ${account}`)) lines.push(`${cause} moved ${named(account)} twice`)
    causes.add(`${cause} ${account}`)
  }
  for (const { account, amount, state } of holds.values()) if (state === 'open') sums.get(account)!.open += amount
  for (const [key, { available, held, debt }] of accounts) {
    const sum = sums.get(key)!
    const has = `${named(key)} has ${available} + ${held} - ${debt}`
    if (available + held - debt !== sum.entries) lines.push(`${has}, its entries are ${sum.entries}`)
    if (held !== sum.open) lines.push(`${has}, its open holds are ${sum.open}`)
    if (Math.min(available, held, debt) < 0) lines.push(`${has}: overdrawn`)
  }
  return lines
}

/** I15: each calculation took what its answer spends; a sale that was charged used it once, any other released it. */
export function spendingAstray({ calculations, holds, sales, entries }: Tables, answers: LedgerAnswers): string[] {
  const taken = grouped(holds.values(), ({ calculationId }) => calculationId)
  const spent = grouped(entries.values(), ({ cause }) => cause)
  return [...calculations.values()].flatMap(({ calculationId: id, memberId, state }) => {
    const own = taken.get(id) ?? []
    const due = dueState(state, sales.get(id))
    const took = own.map(({ account, amount }) => `${named(account)} ${amount}`)
    const asked = Object.entries(answers.get(id)!.spends).map(
      ([currencyId, amount]) => `${named(accountOf(String(memberId), currencyId))} ${amount}`,
    )
    const wrong = own.filter((hold) => hold.state !== due && !(hold.state === 'released' && due === 'open'))
    const isUsed = due === 'used' || due === 'late'
    const moved = (spent.get(`spending:${id}`) ?? []).map(({ account, amount }) => `${named(account)} ${-amount}`)
    return [
      ...(isSame(asked, took) ? [] : [`the answer of ${id} spends ${asked}, it took ${took}`]),
      ...wrong.map((hold) => `what ${id} took is ${hold.state}, and is due to be ${due}`),
      ...(isSame(moved, isUsed ? took : []) ? [] : [`${id} is due to be ${due} and spent ${moved}`]),
    ]
  })
}

function grouped<T>(rows: Iterable<T>, keyOf: (row: T) => string): ReadonlyMap<string, readonly T[]> {
  const groups = new Map<string, T[]>()
  for (const row of rows) groups.set(keyOf(row), [...(groups.get(keyOf(row)) ?? []), row])
  return groups
}

function isSame(left: readonly string[], right: readonly string[]): boolean {
  return JSON.stringify(left.toSorted()) === JSON.stringify(right.toSorted())
}

/** What an expired calculation holds may have been released before anybody marks it. */
function dueState(state: string, sale: SaleRow | undefined): HoldRow['state'] {
  if (sale?.status === 'applied') return state === 'finalised' ? 'used' : 'late'
  return state === 'open' ? 'open' : 'released'
}

/** I16: each sale earned once, by the basket that was charged, and each rule gave what all sales of a member make together. */
export function earningAstray(tables: Tables, answers: LedgerAnswers): string[] {
  const { accounts, entries } = tables
  const bases = basesOf(tables, answers)
  const given = new Map<string, number>()
  for (const { cause, account, amount } of entries.values()) {
    if (cause.startsWith('calculation:')) given.set(account, amount + (given.get(account) ?? 0))
  }
  return [...accounts].flatMap(([key, { memberId, currencyId, total }]) => {
    const { give, every } = rules.find((rule) => rule.currencyId === currencyId)!
    const base = bases.get(memberId) ?? 0
    const due = give * Math.floor(base / every)
    const gave = given.get(key) ?? 0
    return total === base && gave === due
      ? []
      : [`${named(key)} earned ${gave} of ${total}, its sales make ${due} of ${base}`]
  })
}

/** What was charged of the sales of each member. */
function basesOf({ calculations, sales }: Tables, answers: LedgerAnswers): ReadonlyMap<string, number> {
  const bases = new Map<string, number>()
  for (const { calculationId, status, result } of sales.values()) {
    const memberId = calculations.get(calculationId)?.memberId ?? null
    const cameAlone = status === 'failed' && result === 'unknown_calculation'
    if (memberId === null || cameAlone || !['applied', 'unchanged', 'failed'].includes(status)) continue
    const { sent, returned } = answers.get(calculationId)!.base
    bases.set(memberId, (bases.get(memberId) ?? 0) + (status === 'applied' ? returned : sent))
  }
  return bases
}

/** Notes debts, to see who makes them. */
export interface DebtWitness {
  /** I17: debt that no late use has made. To be called after every commit. */
  committed(tables: Tables): string[]
}

export function createDebtWitness(): DebtWitness {
  const debts = new Map<string, number>()
  const late = new Set<string>()
  return {
    committed({ accounts, holds }) {
      const overdrawn = new Set<string>()
      for (const [key, { account, state }] of holds) {
        if (state !== 'late' || late.has(key)) continue
        late.add(key)
        overdrawn.add(account)
      }
      return [...accounts].flatMap(([key, { debt }]) => {
        const before = debts.get(key) ?? 0
        debts.set(key, debt)
        return debt > before && !overdrawn.has(key) ? [`a basket made a debt of ${debt - before} of ${named(key)}`] : []
      })
    },
  }
}

/** I3: what living answers spend is within all that the member ever had. */
export function livingSpends(
  { calculations, entries }: Tables,
  living: Iterable<readonly [id: string, answer: Pick<AnswerBody, 'spends'>]>,
): string[] {
  const spends = new Map<string, number>()
  for (const [id, { spends: own }] of living) {
    const memberId = String(calculations.get(id)?.memberId)
    for (const [currencyId, amount] of Object.entries(own)) {
      const key = accountOf(memberId, currencyId)
      spends.set(key, amount + (spends.get(key) ?? 0))
    }
  }
  if (spends.size === 0) return []
  const had = new Map<string, number>()
  for (const { account, amount } of entries.values()) if (amount > 0) had.set(account, amount + (had.get(account) ?? 0))
  return [...spends].flatMap(([key, amount]) =>
    amount > (had.get(key) ?? 0) ? [`answers spend ${amount} of ${named(key)}, which had ${had.get(key) ?? 0}`] : [],
  )
}

/** What is free of an account now, with what expired calculations hold. */
export function freeOf({ accounts, holds }: Pick<Tables, 'accounts' | 'holds'>, key: string, nowMs: number): number {
  const account: Pick<AccountRow, 'available'> = accounts.get(key) ?? { available: 0 }
  return [...holds.values()]
    .filter((hold) => hold.account === key && hold.state === 'open' && hold.heldUntilMs <= nowMs)
    .reduce((sum, { amount }) => sum + amount, account.available)
}

function named(account: string): string {
  return account.replace('\n', '/')
}
