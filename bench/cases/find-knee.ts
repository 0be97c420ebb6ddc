export interface Climb {
  readonly firstRate: number
  readonly doublingsMax: number
  /** Halvings of the interval between the last rate that held and the first that did not. */
  readonly halvings: number
}

const descentsMax = 3

/**
 * The highest tried rate that held; 0 where none did. Doubles the rate until one fails twice (one failure can be a
 * hiccup), or halves a failing first rate until one holds; then bisects.
 */
export async function findKnee(
  { firstRate, doublingsMax, halvings }: Climb,
  holds: (rate: number) => Promise<boolean>,
): Promise<number> {
  let low = 0
  let high = firstRate
  for (let doubling = 0; doubling < doublingsMax; doubling += 1) {
    if (!(await holds(high)) && !(await holds(high))) break
    low = high
    high *= 2
  }
  for (let descent = 0; descent < descentsMax && low === 0; descent += 1) {
    const lower = Math.round(high / 2)
    if (await holds(lower)) low = lower
    else high = lower
  }
  for (let halving = 0; halving < halvings && low > 0; halving += 1) {
    const middle = Math.round((low + high) / 2)
    if (await holds(middle)) low = middle
    else high = middle
  }
  return low
}
