/** Repeatable random numbers for tests and benches (mulberry32): the same seed gives the same sequence. */
export class Dice {
  #state: number

  /** @param seed  0 to 2^32 - 1 */
  constructor(seed: number) {
    this.#state = seed >>> 0
  }

  /** From 0, exclusive of 1. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0
    let mixed = this.#state
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }

  /** A whole number from 0 to before `count`. */
  below(count: number): number {
    return Math.floor(this.next() * count)
  }

  /** A whole number between both bounds, inclusive. */
  between(low: number, high: number): number {
    return low + this.below(high - low + 1)
  }

  chance(share: number): boolean {
    return this.next() < share
  }

  pick<T>(from: readonly T[]): T {
    return from[this.between(0, from.length - 1)]!
  }

  /** At least one of them, in order. */
  some<T>(from: readonly T[]): T[] {
    const taken = from.filter(() => this.chance(0.4))
    return taken.length > 0 ? taken : [this.pick(from)]
  }

  /** A made value, or null. */
  maybe<T>(share: number, make: () => T): T | null {
    return this.chance(share) ? make() : null
  }
}
