import type { Dice } from '../load/dice.js'

/** Time until the next of a stream without memory, which brings `rate` a second. */
export function exponential(dice: Dice, mean: number): number {
  return -Math.log(1 - dice.fraction()) * mean
}

/**
 * A service time that scatters around its mean: log-normal, so that a few take several times as long.
 *
 * @param variation  standard deviation by mean; 0: always the mean
 */
export function scattered(dice: Dice, mean: number, variation: number): number {
  if (variation === 0) return mean
  const spread = Math.log(1 + variation * variation)
  const normal = Math.sqrt(-2 * Math.log(1 - dice.fraction())) * Math.cos(2 * Math.PI * dice.fraction())
  return mean * Math.exp(Math.sqrt(spread) * normal - spread / 2)
}
