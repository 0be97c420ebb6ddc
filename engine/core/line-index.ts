import { type CompiledSelector, groupKey, type Identified, type Keys, ownKey } from './selector.js'

/** The lines of a basket by what selectors name, so that a selector costs the shorter of its lists and the basket. */
export interface LineIndex {
  /** By line: the number of what it keys on; -1 where no selector of the programme names it. */
  readonly own: readonly number[]
  /** By line: the number of its group; -1 where no selector of the programme names it. */
  readonly groups: readonly number[]
  /** Positions of the lines that the lists of a selector name, ascending; its `children` and `not` aside. */
  named(select: CompiledSelector): readonly number[]
}

/** Entries of a list for each line up to which entries are looked up among the lines, and not lines in the list. */
const entriesPerLine = 4

/** The index of a basket; it is made when a list is first looked up. */
export function lineIndexOf(keys: Keys, lines: readonly Identified[]): LineIndex {
  const own = lines.map((line) => ownKey(keys, line))
  const groups = lines.map((line) => groupKey(keys, line))
  let known: ReadonlyMap<number, readonly number[]> | null = null
  const marks = new Uint8Array(lines.length)
  return {
    own,
    groups,
    named(select) {
      if (select.every) return [...lines.keys()]
      if (select.keys.length > entriesPerLine * lines.length) return scan(select.keys, own, groups)
      known ??= placesOf(own, groups)
      return lookUp(select.keys, known, marks)
    },
  }
}

function scan(keys: readonly number[], own: readonly number[], groups: readonly number[]): number[] {
  const positions: number[] = []
  for (let at = 0; at < own.length; at++) if (holds(keys, own[at]!) || holds(keys, groups[at]!)) positions.push(at)
  return positions
}

// Of ascending numbers.
function holds(keys: readonly number[], key: number): boolean {
  let [from, until] = [0, keys.length]
  while (from < until) {
    const middle = (from + until) >>> 1
    if (keys[middle]! < key) from = middle + 1
    else until = middle
  }
  return keys[from] === key
}

function placesOf(own: readonly number[], groups: readonly number[]): Map<number, number[]> {
  const places = new Map<number, number[]>()
  for (let at = 0; at < own.length; at++) {
    if (own[at] !== -1) note(places, own[at]!, at)
    if (groups[at] !== -1) note(places, groups[at]!, at)
  }
  return places
}

function note(places: Map<number, number[]>, key: number, at: number): void {
  const known = places.get(key)
  if (known === undefined) places.set(key, [at])
  else known.push(at)
}

// `marks`: one per line, all 0 before and after.
function lookUp(
  keys: readonly number[],
  places: ReadonlyMap<number, readonly number[]>,
  marks: Uint8Array,
): readonly number[] {
  const positions: number[] = []
  let last = -1
  let isAscending = true
  for (let index = 0; index < keys.length; index++) {
    const found = places.get(keys[index]!)
    if (found === undefined) continue
    for (let each = 0; each < found.length; each++) {
      const at = found[each]!
      isAscending &&= at > last
      last = at
      positions.push(at)
    }
  }
  if (isAscending) return positions
  for (let index = 0; index < positions.length; index++) marks[positions[index]!] = 1
  let length = 0
  for (let at = 0; at < marks.length; at++) {
    if (marks[at] === 0) continue
    marks[at] = 0
    positions[length++] = at
  }
  positions.length = length
  return positions
}
