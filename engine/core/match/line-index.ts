import { type CompiledSelector, groupKey, type Identified, type Keys, ownKey } from './selector.js'

export interface LineIndex {
  readonly own: readonly number[]
  readonly groups: readonly number[]
  named(select: CompiledSelector): readonly number[]
}

/** Entries of a list for each line up to which entries are looked up among the lines, and not lines in the list. */
const entriesPerLine = 16

export function lineIndexOf(keys: Keys, lines: readonly Identified[]): LineIndex {
  const own = lines.map((line) => ownKey(keys, line))
  const groups = lines.map((line) => groupKey(keys, line))
  let known: Places | null = null
  const marks = new Uint8Array(lines.length)
  const found: number[] = []
  return {
    own,
    groups,
    named(select) {
      if (select.keys.length > entriesPerLine * lines.length) return scan(select.keys, own, groups)
      known ??= placesOf(own, groups)
      return lookUp(select.keys, known, { marks, found })
    },
  }
}

function scan(keys: readonly number[], own: readonly number[], groups: readonly number[]): number[] {
  const positions: number[] = []
  for (let at = 0; at < own.length; at++) if (holds(keys, own[at]!) || holds(keys, groups[at]!)) positions.push(at)
  return positions
}

function holds(keys: readonly number[], key: number): boolean {
  let [from, until] = [0, keys.length]
  while (from < until) {
    const middle = (from + until) >>> 1
    if (keys[middle]! < key) from = middle + 1
    else until = middle
  }
  return keys[from] === key
}

/**
 * A hash table without objects: a basket may look up a million entries. A line is an entry for its own key, and one
 * higher by the number of lines for its group.
 */
interface Places {
  readonly keys: Int32Array
  readonly first: Int32Array
  /** Without objects, as a basket may look up a million entries: a line is an entry for its own key and one for its group. */
  readonly next: Int32Array
  readonly shift: number
}

let kept: Places = { keys: new Int32Array(0), first: new Int32Array(0), next: new Int32Array(0), shift: 32 }

function placesOf(own: readonly number[], groups: readonly number[]): Places {
  const count = own.length
  const bits = Math.ceil(Math.log2(4 * count + 1))
  const slots = () => new Int32Array(2 ** bits)
  if (kept.shift !== 32 - bits || kept.next.length < 2 * count) {
    kept = { keys: slots(), first: slots(), next: new Int32Array(2 * count), shift: 32 - bits }
  }
  const places = kept
  places.keys.fill(-1)
  places.first.fill(-1)
  for (let at = count - 1; at >= 0; at--) {
    if (own[at] !== -1) put(places, own[at]!, at)
    if (groups[at] !== -1) put(places, groups[at]!, count + at)
  }
  return places
}

function put(places: Places, key: number, entry: number): void {
  const slot = slotOf(places, key)
  places.next[entry] = places.first[slot]!
  places.keys[slot] = key
  places.first[slot] = entry
}

const spreading = 0x9e3779b1

function slotOf({ keys, shift }: Places, key: number): number {
  const last = keys.length - 1
  let slot = Math.imul(key, spreading) >>> shift
  while (keys[slot] !== key && keys[slot] !== -1) slot = slot === last ? 0 : slot + 1
  return slot
}

interface LookUpScratch {
  readonly marks: Uint8Array
  readonly found: number[]
}

function lookUp(keys: readonly number[], places: Places, { marks, found }: LookUpScratch): readonly number[] {
  const { first, next } = places
  let count = 0
  let last = -1
  let isAscending = true
  for (let index = 0; index < keys.length; index++) {
    for (let entry = first[slotOf(places, keys[index]!)]!; entry !== -1; entry = next[entry]!) {
      const at = entry < marks.length ? entry : entry - marks.length
      isAscending &&= at > last
      last = at
      found[count++] = at
    }
  }
  if (isAscending) return found.slice(0, count)
  for (let index = 0; index < count; index++) marks[found[index]!] = 1
  let length = 0
  for (let at = 0; at < marks.length; at++) {
    if (marks[at] === 0) continue
    marks[at] = 0
    found[length++] = at
  }
  return found.slice(0, length)
}
