import type { Money } from '../base/money.js'

/** So many are kept at once, by the last bits of their amounts. */
const slotCount = 16

/**
 * A small cache by amount, so that equal entries of many lines share one object: the garbage collector copies each that
 * is kept.
 */
export class Recent<T> {
  private readonly amounts: Money[] = new Array<Money>(slotCount).fill(-1)
  private readonly made: (T | null)[] = new Array<T | null>(slotCount).fill(null)

  /** Null if nothing is cached for the amount. */
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
