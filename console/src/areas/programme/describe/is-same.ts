/** True for equal values, however they are written; null and absent are equal. */
export function isSame(left: unknown, right: unknown): boolean {
  return JSON.stringify(sorted(left) ?? null) === JSON.stringify(sorted(right) ?? null)
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== 'object' || value === null) return value
  const members = Object.entries(value).filter(([, one]) => one !== null)
  return Object.fromEntries(
    members.toSorted(([left], [right]) => (left < right ? -1 : 1)).map(([name, one]) => [name, sorted(one)]),
  )
}
