export function* subsetsOf<T>(list: readonly T[]): Generator<T[]> {
  for (let bits = 2 ** list.length - 1; bits >= 0; bits--)
    yield list.filter((_, at) => Math.floor(bits / 2 ** at) % 2 === 1)
}

/** Changes the list unless it is empty, so that one empty list serves all callers; pushing to that would reserve room for many. */
export function withEntry<T>(list: T[], entry: T): T[] {
  if (list.length === 0) return [entry]
  list.push(entry)
  return list
}
