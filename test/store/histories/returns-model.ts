import { givenFor } from '../../../engine/value/earning.js'
import { type AccountModel, type Dates, isOpen, type Lot, lastToExpire, sum } from './account-model.js'
import { countOf, discountedBack, paidBack, paidOf, type Side } from './basket-model.js'
import { currencyOf, type RuleModel, rules } from './rules.js'
import { chargedSide, type Hold, type SaleModel, type SalesModel } from './sales-model.js'

/** Value of one currency moved by a return, as the service answers it. */
export interface MovedBack {
  amount: number
  debt: number
  forgiven: number
}

export interface ReturnModel {
  readonly refund: number
  readonly givenBack: Readonly<Record<string, MovedBack>>
  readonly takenBack: Readonly<Record<string, MovedBack>>
}

const dayMs = 86_400_000

/** By position in the basket: thousandths. */
export type ReturnedNow = ReadonlyMap<number, number>

/** Returns of a sale (4-member-value, sections 5 and 9): first spent value comes back, then earned value is taken. */
export function giveBack(
  sales: SalesModel,
  slot: number,
  { now, cause, lines }: { readonly now: number; readonly cause: string; readonly lines: ReturnedNow },
): ReturnModel {
  const [sale, basket] = [sales.sales.get(slot)!, sales.baskets[slot]!]
  const side = chargedSide(basket, sale.status)
  const paid = paidOf(basket, side, sale.paidTotal)
  const before = [...sale.returned]
  for (const [at, quantity] of lines) sale.returned[at]! += quantity
  const back = (returned: readonly number[]) =>
    sum(basket.lines.map((line, at) => paidBack(paid[at]!, line, side, returned[at]!)))
  const refund = back(sale.returned) - back(before)
  if (basket.member === null || sale.status === 'member_not_found') return { refund, givenBack: {}, takenBack: {} }
  const givenBack = spentBack(sales, slot, { before, now, cause })
  const takenBack: Record<string, MovedBack> = {}
  for (const [at, rule] of rules.entries()) {
    const amount = overearned(sales, slot, { at, side, paid, sale })
    if (amount === 0) continue
    const row = rowOf(takenBack, rule.currencyId)
    takeBack(sales.accountOf(slot, rule.currencyId), row, { amount, rule, now, cause, from: `sale ${slot}` })
  }
  return { refund, givenBack, takenBack }
}

function rowOf(rows: Record<string, MovedBack>, currencyId: string): MovedBack {
  const row = rows[currencyId] ?? { amount: 0, debt: 0, forgiven: 0 }
  rows[currencyId] = row
  return row
}

function spentBack(
  sales: SalesModel,
  slot: number,
  { before, now, cause }: { readonly before: readonly number[]; readonly now: number; readonly cause: string },
): Record<string, MovedBack> {
  const [sale, basket, calculation] = [sales.sales.get(slot)!, sales.baskets[slot]!, sales.stored.get(slot)!]
  const rows: Record<string, MovedBack> = {}
  if (!calculation.isUsed) return rows
  for (const [at, cost] of basket.costs.entries()) {
    const amount = discountedBack(basket, at, sale.returned) - discountedBack(basket, at, before)
    if (amount === 0) continue
    const account = sales.accountOf(slot, cost.currencyId)
    const row = rowOf(rows, cost.currencyId)
    const debt = account.debt
    for (const part of lastHeld(calculation.holds.get(cost.currencyId)!, amount, now))
      account.credit(cause, 'given returned', part)
    row.amount += amount
    row.debt += debt - account.debt
  }
  return rows
}

/** The part held last comes back first, with its old expiry, or 30 days from now where that has passed or is nearer. */
function lastHeld(hold: Hold, wanted: number, now: number): ({ amount: number } & Dates)[] {
  const least = now + 30 * dayMs
  const fromDebt = Math.min(hold.debt, wanted)
  hold.debt -= fromDebt
  let left = wanted - fromDebt
  const back = [{ amount: fromDebt, opensAt: now, expiresAt: least }]
  while (left > 0) {
    const part = hold.parts.pop()!
    const amount = Math.min(left, part.amount)
    left -= amount
    back.push({ amount, opensAt: now, expiresAt: Math.max(part.expiresAt, least) })
    if (amount < part.amount) hold.parts.push({ ...part, amount: part.amount - amount })
  }
  return back.filter(({ amount }) => amount > 0)
}

interface Counted {
  /** Place of the rule. */
  readonly at: number
  readonly side: Side
  readonly paid: readonly number[]
  readonly sale: SaleModel
}

/** The part that a rule gave beyond the earning of the kept units; T falls. */
function overearned(sales: SalesModel, slot: number, { at, side, paid, sale }: Counted): number {
  const [rule, basket] = [rules[at]!, sales.baskets[slot]!]
  const total = sales.total(basket.member!, rule.ruleId)
  const counted = total.sales.find((each) => each.slot === slot)
  if (counted === undefined) return 0
  const count = countOf(rule, basket, side, { paid, returned: sale.returned })
  const kept = BigInt(count) * BigInt(basket.factors[at]!)
  const out = counted.weighted - kept
  total.total -= out
  const wanted = Number(givenFor(rule, total.total, out))
  counted.weighted = kept
  const isOwn = rule.maximum !== null || rule.cooldownMinutes !== null
  const left = (isOwn ? [counted] : total.sales).reduce((all, { given, undone }) => all + given - undone, 0)
  const amount = Math.min(wanted, left)
  counted.undone += amount
  return amount
}

interface TakingBack {
  readonly amount: number
  readonly rule: RuleModel
  readonly now: number
  readonly cause: string
  readonly from: string
}

/** From the sale's own pending lots, then pending, then available ones, each the one that expires last first; then by `onReturn`. */
function takeBack(account: AccountModel, row: MovedBack, { amount, rule, now, cause, from }: TakingBack): void {
  const { onReturn } = currencyOf(rule)
  const isPending = ({ opensAt }: Lot) => opensAt > now
  const pending = lastToExpire(account.lots.filter(isPending))
  const open = onReturn === 'pending_only' ? [] : lastToExpire(account.lots.filter((lot) => isOpen(lot, now)))
  const order = [...pending.filter((lot) => lot.from === from), ...pending.filter((lot) => lot.from !== from), ...open]
  const taken = sum(account.takeFrom(order, amount).map((part) => part.amount))
  const short = amount - taken
  const fromHeld = Math.min(short, Math.max(0, account.held() - account.debt))
  const debt = onReturn === 'pending_only' ? 0 : onReturn === 'debt' ? short : fromHeld
  account.debt += debt
  account.note(cause, 'taken returned', -(taken + debt))
  row.amount += taken + debt
  row.debt += debt
  row.forgiven += short - debt
}
