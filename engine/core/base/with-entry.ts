/**
 * A list with one more entry; may modify it. For lists that usually get one: pushing to an empty list reserves room for
 * many, a new list for one only. So the empty list may be shared.
 */
export function withEntry<T>(list: T[], entry: T): T[] {
  if (list.length === 0) return [entry]
  list.push(entry)
  return list
}
