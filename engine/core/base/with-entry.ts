/**
 * A list with one more entry, for lists that mostly get a single one. An empty list that is added to makes room for
 * many; the list made here for a first entry has room for that alone, so that the empty one may be shared by all.
 */
export function withEntry<T>(list: T[], entry: T): T[] {
  if (list.length === 0) return [entry]
  list.push(entry)
  return list
}
