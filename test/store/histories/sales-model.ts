import { type AccountModel, type Part, sum } from './account-model.js'
import { type BasketModel, costsOf, countOf, netOf, paidOf, type Side } from './basket-model.js'
import { earn, type RuleTotal } from './earning-model.js'
import type { SaleStatus } from './history.js'
import { type RuleModel, rules } from './rules.js'

const hourMs = 3_600_000
/** A repeat within this time gets the stored answer. */
const idempotencyMs = 24 * hourMs
/** A calculation holds its spending for this long. */
const holdMs = hourMs / 2

export interface SaleModel {
  readonly status: SaleStatus
  readonly paidTotal: number
  /** Moved back as time passes, as everything that lies before now. */
  recordedAt: number
  /** It failed for a calculation that was unknown: nothing more is earned. */
  readonly isClosed: boolean
  /** Thousandths of each line that were returned. */
  readonly returned: number[]
}

/** Part of one account held by a calculation. */
export interface Hold {
  readonly parts: Part[]
  /** Taken by a late event though it was missing. */
  debt: number
}

export interface CalculationModel {
  state: 'open' | 'sold' | 'superseded' | 'expired'
  expiresAt: number
  /** By currencyId. */
  holds: Map<string, Hold>
  /** True: its spending has left the account. */
  isUsed: boolean
}

/** Where value of a member is. */
export interface Accounts {
  account(member: number, currencyId: string): AccountModel
}

/** Calculations and sales of a history, and their effect on value (4-member-value, section 4). */
export class SalesModel {
  readonly sales = new Map<number, SaleModel>()
  /** Baskets that are stored. */
  readonly stored = new Map<number, CalculationModel>()
  private readonly totals = new Map<string, RuleTotal>()

  constructor(
    readonly baskets: readonly BasketModel[],
    readonly accounts: Accounts,
  ) {}

  age(ms: number): void {
    for (const sale of this.sales.values()) sale.recordedAt -= ms
    for (const calculation of this.stored.values()) calculation.expiresAt -= ms
  }

  /** Calculations whose time is over release their holds. */
  expire(now: number): void {
    for (const [slot, calculation] of this.stored) {
      if (calculation.state === 'open' && calculation.expiresAt <= now) this.end(slot, 'expired')
    }
  }

  total(member: number, ruleId: string): RuleTotal {
    const key = `${member} ${ruleId}`
    const known = this.totals.get(key) ?? { total: 0n, sales: [] }
    this.totals.set(key, known)
    return known
  }

  /** Stores a calculation with its holds, all or nothing. */
  store(slot: number, now: number): 'done' | 'known' | 'short' {
    const basket = this.baskets[slot]!
    const costs = costsOf(basket)
    if (this.stored.has(slot)) return costs.size > 0 ? 'known' : 'done'
    const replaced = this.stored.get(basket.supersedes ?? -1)
    const frees = replaced?.state === 'open' ? replaced : null
    const freed = new Map([...(frees?.holds ?? [])].map(([currencyId, { parts }]) => [currencyId, parts]))
    for (const parts of freed.values()) for (const { lot, amount } of parts) lot.held -= amount
    const isShort = [...costs].some(([currencyId, amount]) => this.accountOf(slot, currencyId).available(now) < amount)
    for (const parts of freed.values()) for (const { lot, amount } of parts) lot.held += amount
    if (isShort) return 'short'
    if (frees !== null) this.end(basket.supersedes!, 'superseded')
    const isReplaced = [...this.stored.keys()].some((other) => this.baskets[other]!.supersedes === slot)
    const calculation: CalculationModel = { state: 'open', expiresAt: now + holdMs, holds: new Map(), isUsed: false }
    this.stored.set(slot, calculation)
    if (isReplaced) calculation.state = 'superseded'
    else for (const [currencyId, amount] of costs) this.hold(slot, calculation, { currencyId, amount, now })
    const sale = this.sales.get(slot)
    if (sale !== undefined) this.settle(slot, sale, now)
    return 'done'
  }

  sell(
    slot: number,
    status: SaleStatus,
    { paidTotal, now }: { readonly paidTotal: number; readonly now: number },
  ): string {
    const known = this.sales.get(slot)
    if (known !== undefined) return now - known.recordedAt < idempotencyMs ? 'stored' : 'duplicate'
    const isStored = this.stored.has(slot)
    const isClosed = !isStored && status === 'failed'
    const sale: SaleModel = {
      status,
      paidTotal,
      recordedAt: now,
      isClosed,
      returned: this.baskets[slot]!.lines.map(() => 0),
    }
    this.sales.set(slot, sale)
    if (isStored) this.settle(slot, sale, now)
    else if (isClosed) this.earnUnknown(slot, sale)
    return isStored ? 'recorded' : 'unknown_calculation'
  }

  accountOf(slot: number, currencyId: string): AccountModel {
    return this.accounts.account(this.baskets[slot]!.member!, currencyId)
  }

  private hold(
    slot: number,
    { holds }: CalculationModel,
    asked: { currencyId: string; amount: number; now: number },
  ): void {
    const { currencyId, amount, now } = asked
    holds.set(currencyId, { parts: this.accountOf(slot, currencyId).hold(amount, now), debt: 0 })
  }

  private end(slot: number, state: CalculationModel['state']): void {
    const calculation = this.stored.get(slot)!
    for (const [currencyId, { parts }] of calculation.holds) this.accountOf(slot, currencyId).release(parts)
    calculation.holds = new Map()
    calculation.state = state
  }

  private settle(slot: number, sale: SaleModel, now: number): void {
    const basket = this.baskets[slot]!
    this.spend(slot, sale, now)
    if (basket.member === null || sale.isClosed || !isCharged(sale.status)) return
    const side = chargedSide(basket, sale.status)
    for (const [at, rule] of rules.entries()) {
      const count = countOf(rule, basket, side, { paid: paidOf(basket, side, sale.paidTotal) })
      if (count > 0) this.earn(basket.member, { slot, at, count, recordedAt: sale.recordedAt })
    }
  }

  /** `applied` uses holds, and available value if the hold is gone; a shortage becomes debt. Else it is released. */
  private spend(slot: number, { status }: SaleModel, now: number): void {
    const calculation = this.stored.get(slot)!
    const cause = `sale ${slot}`
    if (status !== 'applied') {
      if (calculation.state === 'open') this.end(slot, 'sold')
      return
    }
    calculation.isUsed = true
    for (const [currencyId, amount] of costsOf(this.baskets[slot]!)) {
      const account = this.accountOf(slot, currencyId)
      const held = calculation.holds.get(currencyId)
      account.note(cause, 'used', -amount)
      if (held !== undefined) account.use(held.parts)
      else {
        const parts = account.takeFree(amount, now)
        const debt = amount - sum(parts.map((part) => part.amount))
        account.debt += debt
        calculation.holds.set(currencyId, { parts, debt })
      }
    }
    if (calculation.state === 'open') calculation.state = 'sold'
  }

  /** Counts the amount paid: visits and amounts that need no basket. */
  private earnUnknown(slot: number, { paidTotal, recordedAt }: SaleModel): void {
    const basket = this.baskets[slot]!
    if (basket.member === null) return
    for (const [at, rule] of rules.entries()) {
      if (isCountable(rule) && paidTotal > 0 && paidTotal >= (rule.minimumSpend?.amount ?? 0))
        this.earn(basket.member, { slot, at, count: rule.per === 'visit' ? 1 : paidTotal, recordedAt })
    }
  }

  private earn(
    member: number,
    { slot, at, count, recordedAt }: { slot: number; at: number; count: number; recordedAt: number },
  ) {
    const [rule, basket] = [rules[at]!, this.baskets[slot]!]
    const factor = basket.factors[at]!
    if (factor === 0) return
    const known = this.total(member, rule.ruleId)
    earn(this.accounts.account(member, rule.currencyId), known, { slot, rule, count, factor, basket, recordedAt })
  }
}

function isCharged(status: SaleStatus): boolean {
  return status !== 'cancelled' && status !== 'member_not_found'
}

/** `applied`: the basket as returned; one that was not changed was returned as it was sent. */
export function chargedSide({ isApplied }: BasketModel, status: SaleStatus): Side {
  return status === 'applied' && isApplied ? 'returned' : 'sent'
}

export function dueOf(basket: BasketModel, status: SaleStatus): number {
  return netOf(basket, chargedSide(basket, status))
}

/** Rules that can be counted without a basket. */
export function isCountable({ per, kinds, minimumSpend }: RuleModel): boolean {
  return per !== 'units' && kinds === null && (minimumSpend === null || minimumSpend.kinds === null)
}
