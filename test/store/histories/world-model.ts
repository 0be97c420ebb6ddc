import { AccountModel, sum } from './account-model.js'
import type { History, ImportRow, Step } from './history.js'
import { giveBack, type ReturnedNow, type ReturnModel } from './returns-model.js'
import { currencies, exchanges } from './rules.js'
import { dueOf, SalesModel } from './sales-model.js'

export const hourMs = 3_600_000
const dayMs = 24 * hourMs
const never = Number.POSITIVE_INFINITY
/** Wrong codes that a member may send in a sliding hour. */
const wrongMax = 10

interface Code {
  readonly currency: number
  readonly amount: number
  expiresAt: number
  state: 'open' | 'claimed' | 'void'
}

interface Activation {
  readonly member: number
  readonly exchange: number
  readonly cause: string
  /** Parts taken and not given back, in the order taken. */
  parts: { amount: number; opensAt: number; expiresAt: number }[]
}

/**
 * Members' value as the contract has it (4-member-value), without a database: lists that are looked through anew each time. It is
 * written from the contract alone and shares no code with the ledger.
 */
export class WorldModel {
  readonly sales: SalesModel
  readonly blocked = new Set<number>()
  readonly forgotten = new Set<number>()
  readonly activations: Activation[] = []
  private readonly accounts = new Map<string, AccountModel>()
  private readonly codes = new Map<number, Code>()
  private readonly references = new Set<string>()
  private readonly wrong = new Map<number, number[]>()
  private steps = 0

  /** @param origin  milliseconds since the epoch: hours of steps count from it */
  constructor(
    private readonly history: History,
    private readonly origin: number,
  ) {
    this.sales = new SalesModel(history.baskets, this)
  }

  account(member: number, currencyId: string): AccountModel {
    const key = `${member} ${currencyId}`
    const known = this.accounts.get(key) ?? new AccountModel()
    this.accounts.set(key, known)
    return known
  }

  /** Takes a step; resolves to the word that the ledger answers with. */
  take(step: Step, now: number): string {
    this.steps += 1
    this.sales.expire(now)
    for (const account of this.accounts.values()) account.expire(now)
    const cause = `step ${this.steps}`
    switch (step.what) {
      case 'adjust':
        return this.adjust(step, cause, now)
      case 'transfer':
        return this.transfer(step, cause, now)
      case 'import':
        return this.import(step.rows, cause, now)
      case 'issue':
        return this.issue(step, cause, now)
      case 'import_code':
        return this.importCode(step, now)
      case 'claim':
        return this.claim(step, cause, now)
      case 'void':
        return this.void(step.code)
      case 'wrong_codes':
        return this.sendWrong(step, now)
      case 'activate':
        return this.activate(step, cause, now)
      case 'cancel':
        return this.cancel(step.activation, cause, now)
      case 'block':
        this.blocked[step.blocked ? 'add' : 'delete'](step.member)
        return 'done'
      case 'age':
        return this.age(step.hours * hourMs)
      case 'sweep':
        return 'done'
      case 'basket':
        return this.sales.store(step.slot, now)
      case 'sale':
        return this.sales.sell(step.slot, step.status, { paidTotal: this.paidTotal(step), now })
      case 'return':
        return this.return(step.slot, { cause, now, lines: this.linesOf(step) })
      case 'forget':
        return this.forget(step.member, cause)
    }
  }

  /** Less is paid only where the basket is there: else it is spread in another way (docs/reliability.md). */
  paidTotal({ slot, status, paid }: Extract<Step, { readonly what: 'sale' }>): number {
    const net = dueOf(this.history.baskets[slot]!, status)
    if (paid === 'less' && status !== 'failed' && !this.sales.stored.has(slot)) return net
    return paid === 'right' ? net : paid === 'more' ? net + 7 : Math.floor((net * 3) / 4)
  }

  /** Units of a step's return, limited to those left. */
  linesOf({ slot, shares }: Extract<Step, { readonly what: 'return' }>): ReturnedNow {
    const { lines } = this.history.baskets[slot]!
    const returned = this.sales.sales.get(slot)?.returned ?? []
    return new Map(
      lines.flatMap(({ quantity }, at) => {
        const [share, left] = [shares[at] ?? null, quantity - (returned[at] ?? 0)]
        if (share === null || left === 0) return []
        const step = quantity % 1_000 === 0 ? 1_000 : 1
        return [[at, (1 + (share % (left / step))) * step] as const]
      }),
    )
  }

  private return(slot: number, how: Parameters<typeof giveBack>[2]): string {
    const sale = this.sales.sales.get(slot)
    const isStored = this.sales.stored.has(slot)
    if (!isStored && sale === undefined) return 'unknown_calculation'
    if (!isStored || sale === undefined || sale.isClosed || sale.status === 'cancelled') return 'not_sold'
    if (how.lines.size === 0) return 'nothing'
    return returnText(giveBack(this.sales, slot, how))
  }

  /** When a step's value opens and expires. */
  dates({ opensIn = null, lasts }: { readonly opensIn?: number | null; readonly lasts: number | null }, now: number) {
    return { opensAt: opensIn === null ? now : this.origin + opensIn * hourMs, expiresAt: this.expiry(lasts) }
  }

  private expiry(lasts: number | null): number {
    return lasts === null ? never : this.origin + lasts * hourMs
  }

  private adjust(step: Extract<Step, { readonly what: 'adjust' }>, cause: string, now: number): string {
    const account = this.account(step.member, currencies[step.currency]!.currencyId)
    if (step.amount > 0) {
      account.credit(cause, 'adjusted', { amount: step.amount, ...this.dates(step, now) })
      return 'done'
    }
    if (account.available(now) < -step.amount) return 'insufficient'
    account.take(cause, 'adjusted', -step.amount, now)
    return 'done'
  }

  private transfer(step: Extract<Step, { readonly what: 'transfer' }>, cause: string, now: number): string {
    if (step.from === step.to) return 'same_member'
    const { currencyId } = currencies[step.currency]!
    const giver = this.account(step.from, currencyId)
    if (giver.available(now) < step.amount) return 'insufficient'
    const receiver = this.account(step.to, currencyId)
    for (const part of giver.take(cause, 'transferred', step.amount, now)) {
      receiver.credit(cause, 'transferred', { ...datesOf(part), amount: part.amount })
    }
    return 'done'
  }

  private import(rows: readonly ImportRow[], cause: string, now: number): string {
    const named = rows.map(({ currency, reference }) => `${currency} ${reference}`)
    if (named.some((name) => this.references.has(name))) return 'already_imported'
    for (const name of named) this.references.add(name)
    for (const row of rows) {
      this.account(row.member, currencies[row.currency]!.currencyId).load(
        `${cause} ${row.reference}`,
        ...(['imported', row.amount, this.dates(row, now)] as const),
      )
    }
    return 'done'
  }

  private issue(step: Extract<Step, { readonly what: 'issue' }>, cause: string, now: number): string {
    for (const member of step.members) {
      const { currencyId } = currencies[step.currency]!
      this.account(member, currencyId).credit(cause, 'issued', { amount: step.amount, ...this.dates(step, now) })
    }
    return 'done'
  }

  private importCode(
    { code, currency, amount, lasts }: Extract<Step, { readonly what: 'import_code' }>,
    now: number,
  ): string {
    if (this.codes.has(code)) return 'already_imported'
    this.codes.set(code, { currency, amount, expiresAt: this.dates({ lasts }, now).expiresAt, state: 'open' })
    return 'done'
  }

  private claim({ member, code }: Extract<Step, { readonly what: 'claim' }>, cause: string, now: number): string {
    if (this.blocked.has(member)) return 'blocked_member'
    if (this.wrongOf(member, now).length >= wrongMax) return 'too_many_wrong_codes'
    const known = this.codes.get(code)
    if (known === undefined) {
      this.wrongOf(member, now).push(now)
      return 'unknown_code'
    }
    if (known.state !== 'open' || known.expiresAt <= now) return 'code_not_open'
    known.state = 'claimed'
    const { currency, amount, expiresAt } = known
    const { currencyId } = currencies[currency]!
    this.account(member, currencyId).credit(cause, 'claimed', { amount, opensAt: now, expiresAt })
    return 'done'
  }

  private void(code: number): string {
    const known = this.codes.get(code)
    if (known === undefined) return 'unknown_code'
    if (known.state === 'claimed') return 'code_not_open'
    known.state = 'void'
    return 'done'
  }

  private sendWrong({ member, times }: Extract<Step, { readonly what: 'wrong_codes' }>, now: number): string {
    const wrong = this.wrongOf(member, now)
    const words = Array.from({ length: times }, () => {
      if (this.blocked.has(member)) return 'blocked_member'
      if (wrong.length >= wrongMax) return 'too_many_wrong_codes'
      wrong.push(now)
      return 'unknown_code'
    })
    return words.join(' ')
  }

  private wrongOf(member: number, now: number): number[] {
    const recent = (this.wrong.get(member) ?? []).filter((at) => now - at < hourMs)
    this.wrong.set(member, recent)
    return recent
  }

  private activate(step: Extract<Step, { readonly what: 'activate' }>, cause: string, now: number): string {
    const { from, to, validDays } = exchanges[step.exchange]!
    if (this.blocked.has(step.member)) return 'blocked_member'
    const giver = this.account(step.member, from.currencyId)
    const amount = from.amount * step.times
    if (giver.available(now) < amount) return 'insufficient'
    const parts = giver.take(cause, 'activated', amount, now).map((part) => ({ ...datesOf(part), amount: part.amount }))
    const expiresAt = validDays === null ? never : now + validDays * dayMs
    const receiver = this.account(step.member, to.currencyId)
    receiver.credit(cause, 'activated', { amount: to.amount * step.times, from: cause, opensAt: now, expiresAt })
    this.activations.push({ member: step.member, exchange: step.exchange, cause, parts })
    return 'done'
  }

  /** Whole times of unused value that has not expired; the part taken last goes back first. */
  private cancel(at: number, cause: string, now: number): string {
    const activation = this.activations[at]
    if (activation === undefined) return 'unknown_activation'
    const { from, to } = exchanges[activation.exchange]!
    const receiver = this.account(activation.member, to.currencyId)
    const given = receiver.lots.filter((lot) => lot.from === activation.cause)
    const unused = sum(given.map(({ amount, held }) => amount - held))
    const living = activation.parts.filter(({ expiresAt }) => expiresAt > now)
    const times = Math.floor(Math.min(unused / to.amount, sum(living.map(({ amount }) => amount)) / from.amount))
    if (times === 0) return 'nothing_unused'
    receiver.note(cause, 'cancelled', -times * to.amount)
    receiver.takeFrom(given, times * to.amount)
    const giver = this.account(activation.member, from.currencyId)
    let left = times * from.amount
    for (const part of living.toReversed()) {
      const amount = Math.min(left, part.amount)
      left -= amount
      part.amount -= amount
      if (amount > 0) giver.credit(cause, 'cancelled', { ...datesOf(part), amount })
    }
    return 'done'
  }

  private age(ms: number): string {
    for (const { lots } of this.accounts.values()) for (const lot of lots) moveBack(lot, ms)
    for (const { parts } of this.activations) for (const part of parts) moveBack(part, ms)
    for (const code of this.codes.values()) code.expiresAt -= ms
    for (const [member, times] of this.wrong)
      this.wrong.set(
        member,
        times.map((at) => at - ms),
      )
    this.sales.age(ms)
    return 'done'
  }

  /** The rest is forfeited. */
  private forget(member: number, cause: string): string {
    this.forgotten.add(member)
    for (const { currencyId } of currencies) {
      const account = this.account(member, currencyId)
      account.note(cause, 'forfeited', -sum(account.lots.map(({ amount }) => amount)) + account.debt)
      account.lots = []
      account.debt = 0
    }
    return 'done'
  }
}

/** A return in words, without unmoved currencies. */
export function returnText({ refund, givenBack, takenBack }: ReturnModel): string {
  const rows = (moved: ReturnModel['givenBack']) =>
    Object.entries(moved)
      .filter(([, { amount, forgiven }]) => amount + forgiven > 0)
      .sort(([left], [right]) => (left < right ? -1 : 1))
      .map(([currencyId, { amount, debt, forgiven }]) => `${currencyId} ${amount} (${debt} debt, ${forgiven} forgiven)`)
  return `refund ${refund}, back ${rows(givenBack).join()}, taken ${rows(takenBack).join()}`
}

function datesOf({ opensAt, expiresAt }: { readonly opensAt: number; readonly expiresAt: number }) {
  return { opensAt, expiresAt }
}

function moveBack(dates: { opensAt: number; expiresAt: number }, ms: number): void {
  dates.opensAt -= ms
  dates.expiresAt -= ms
}
