/** When value opens and expires, milliseconds since the epoch; Infinity: never. */
export interface Dates {
  readonly opensAt: number
  readonly expiresAt: number
}

/** A part of an account (4-member-value, section 1). */
export interface Lot extends Dates {
  amount: number
  /** Part of `amount`, taken by open calculations. */
  held: number
  opensAt: number
  expiresAt: number
  /** The sale or activation that gave it; empty: neither. */
  readonly from: string
}

/** A part of a lot that something took. */
export interface Part extends Dates {
  readonly amount: number
  readonly lot: Lot
}

/** One member's holding of one currency, kept by the plainest means: a list of lots, looked through anew each time. */
export class AccountModel {
  lots: Lot[] = []
  debt = 0
  readonly moved = new Map<string, number>()

  /** Writes expiries; a held part stays until it is used or released. */
  expire(now: number): void {
    for (const lot of this.lots.filter(({ expiresAt }) => expiresAt <= now)) {
      this.note('', 'expired', lot.held - lot.amount)
      lot.amount = lot.held
    }
    this.clear()
  }

  /** Adds value: debt is paid first, at once, pending or not. */
  credit(
    cause: string,
    kind: string,
    { amount, from = '', ...dates }: { amount: number; from?: string } & Dates,
  ): void {
    this.note(cause, kind, amount)
    const paid = Math.min(this.debt, amount)
    this.debt -= paid
    this.add(amount - paid, dates, from)
  }

  /** Adds value without paying debt, as an import does. */
  load(cause: string, kind: string, amount: number, dates: Dates): void {
    this.note(cause, kind, amount)
    this.add(amount, dates, '')
  }

  /** Takes available value from the lot that expires first; returns the parts in that order. */
  take(cause: string, kind: string, amount: number, now: number): Part[] {
    this.note(cause, kind, -amount)
    return this.takeFree(amount, now)
  }

  /** As much of the amount as is available, without a note. */
  takeFree(amount: number, now: number): Part[] {
    return this.takeFrom(firstToExpire(this.lots.filter((lot) => isOpen(lot, now))), amount)
  }

  /** Takes the free parts of these lots, in their order, as much as wanted and there. */
  takeFrom(lots: readonly Lot[], wanted: number): Part[] {
    let left = wanted
    const parts: Part[] = []
    for (const lot of lots) {
      const amount = Math.min(left, lot.amount - lot.held)
      if (amount === 0) continue
      lot.amount -= amount
      left -= amount
      parts.push({ amount, lot, opensAt: lot.opensAt, expiresAt: lot.expiresAt })
    }
    this.clear()
    return parts
  }

  /** Holds available value, from the lot that expires first; less if less is there. */
  hold(wanted: number, now: number): Part[] {
    let left = wanted
    const parts: Part[] = []
    for (const lot of firstToExpire(this.lots.filter((each) => isOpen(each, now)))) {
      const amount = Math.min(left, lot.amount - lot.held)
      if (amount === 0) continue
      lot.held += amount
      left -= amount
      parts.push({ amount, lot, opensAt: lot.opensAt, expiresAt: lot.expiresAt })
    }
    return parts
  }

  release(parts: readonly Part[]): void {
    for (const { lot, amount } of parts) lot.held -= amount
  }

  use(parts: readonly Part[]): void {
    for (const { lot, amount } of parts) {
      lot.held -= amount
      lot.amount -= amount
    }
    this.clear()
  }

  note(cause: string, kind: string, amount: number): void {
    const key = `${cause} ${kind}`
    this.moved.set(key, (this.moved.get(key) ?? 0) + amount)
  }

  available(now: number): number {
    return sum(this.lots.filter((lot) => isOpen(lot, now)).map(({ amount, held }) => amount - held))
  }

  pending(now: number): number {
    return sum(this.lots.filter(({ opensAt }) => opensAt > now).map(({ amount }) => amount))
  }

  held(): number {
    return sum(this.lots.map(({ held }) => held))
  }

  private add(amount: number, { opensAt, expiresAt }: Dates, from: string): void {
    if (amount > 0) this.lots.push({ amount, held: 0, opensAt, expiresAt, from })
  }

  private clear(): void {
    this.lots = this.lots.filter(({ amount }) => amount > 0)
  }
}

export function isOpen({ opensAt, expiresAt }: Dates, now: number): boolean {
  return opensAt <= now && now < expiresAt
}

function firstToExpire(lots: readonly Lot[]): Lot[] {
  return lots.toSorted((left, right) => compare(left.expiresAt, right.expiresAt))
}

export function lastToExpire(lots: readonly Lot[]): Lot[] {
  return lots.toSorted((left, right) => compare(right.expiresAt, left.expiresAt))
}

/** Infinity less Infinity is no number. */
function compare(left: number, right: number): number {
  return left === right ? 0 : left < right ? -1 : 1
}

export function sum(amounts: readonly number[]): number {
  return amounts.reduce((total, amount) => total + amount, 0)
}
