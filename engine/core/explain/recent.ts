import type { Money } from '../base/money.js'

/** So many are kept at once, by the last bits of their amounts. */
const slotCount = 16

/**
 * What was made lately for amounts, so that what stands on line after line is made once: a basket may have a thousand
 * benefits on each of two hundred lines, and everything that is kept of them the garbage collector copies.
 */
export class Recent<T> {
  private readonly amounts: Money[] = new Array<Money>(slotCount).fill(-1)
  private readonly made: (T | null)[] = new Array<T | null>(slotCount).fill(null)

  /** What was made for an amount; null where nothing was, or something else after it. */
  of(amount: Money): T | null {
    const slot = amount % slotCount
    return this.amounts[slot] === amount ? this.made[slot]! : null
  }

  keep(amount: Money, made: T): T {
    const slot = amount % slotCount
    this.amounts[slot] = amount
    this.made[slot] = made
    return made
  }
}
