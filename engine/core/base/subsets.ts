/** All subsets of a list, the list itself first. */
export function* subsetsOf<T>(list: readonly T[]): Generator<T[]> {
  for (let bits = 2 ** list.length - 1; bits >= 0; bits--)
    yield list.filter((_, at) => Math.floor(bits / 2 ** at) % 2 === 1)
}
