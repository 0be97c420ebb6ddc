/**
 * A list with one more entry. Changes the list unless it is empty, so that one empty list serves all callers. Pushing to
 * an empty list would reserve room for many.
 */
export function withEntry<T>(list: T[], entry: T): T[] {
  if (list.length === 0) return [entry]
  list.push(entry)
  return list
}
