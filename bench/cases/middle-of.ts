/** The ratio in the middle; of an even number the upper one. */
export function middleOf(ratios: readonly number[]): number {
  return ratios.toSorted((left, right) => left - right)[Math.floor(ratios.length / 2)]!
}
