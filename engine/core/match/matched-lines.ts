import type { Basis, BasisLine } from '../base/basis.js'
import type { LineIndex } from './line-index.js'
import type { CompiledSelector, Identified } from './selector.js'

/** Basis positions, ascending. */
export type Positions = readonly number[]

/** The lines of a basket that selectors take. Common lists are the same array each time, usable as a key. */
export interface Matched {
  /** All lines taken. `named`: those that its lists name, if known (`touchedBy`). */
  all(select: CompiledSelector, named?: Positions): Positions
  units(select: CompiledSelector): number
  whole(select: CompiledSelector): Positions
  /** Those that may be discounted, by a percentage or by anything else. */
  unflagged(lines: Positions, isPercentage: boolean): Positions
  union(lists: readonly Positions[]): Positions
}

export function matchedIn({ lines }: Basis, index: LineIndex): Matched {
  let [every, everyWhole]: [Positions | null, Positions | null] = [null, null]
  const isWhole = lines.every(({ units }) => units > 0)
  const shared = new Map<number, Positions>()
  let tree: LineTree | null = null
  const everyLine = (): Positions => {
    every ??= [...lines.keys()]
    return every
  }
  const taken = (select: CompiledSelector): Positions => {
    if (isListed(select)) return index.named(select)
    if (select.every && isListed(select.not!)) return allBut(everyLine(), index.named(select.not!))
    tree ??= lineTreeOf(lines)
    return positionsOf(takenBy(select, index, tree), everyLine())
  }
  const all = (select: CompiledSelector, named?: Positions): Positions => {
    if (isEvery(select)) return everyLine()
    if (named !== undefined && isListed(select)) return named
    return workedOutOnce(shared, select, taken)
  }
  const whole = (select: CompiledSelector) => {
    const positions = all(select)
    return isWhole ? positions : positions.filter((at) => lines[at]!.units > 0)
  }
  const units = (select: CompiledSelector): number => {
    if (isEvery(select) || isListed(select)) return unitsOn(lines, all(select))
    if (select.every) return unitsOn(lines, everyLine()) - units(select.not!)
    tree ??= lineTreeOf(lines)
    const marks = takenBy(select, index, tree)
    let sum = 0
    for (let at = 0; at < lines.length; at++) if (marks[at] === 1) sum += lines[at]!.units
    return sum
  }
  const counted = new Map<number, number>()
  const marks = new Uint8Array(lines.length)
  const hasFlags = [false, true].map((isPercentage) => lines.some((line) => !isUnflagged(line, isPercentage)))
  return {
    all,
    units: (select) => workedOutOnce(counted, select, units),
    whole(select) {
      if (!isEvery(select)) return whole(select)
      everyWhole ??= whole(select)
      return everyWhole
    },
    unflagged: unflaggedIn({ lines, hasFlags }, (positions) => positions === every || positions === everyWhole),
    union: (lists) => unionOf(lists, everyLine(), marks),
  }
}

// Caches only selectors that the programme has more than once.
function workedOutOnce<T>(
  known: Map<number, T>,
  select: CompiledSelector,
  workOut: (select: CompiledSelector) => T,
): T {
  if (!select.isShared) return workOut(select)
  let found = known.get(select.number)
  if (found === undefined) {
    found = workOut(select)
    known.set(select.number, found)
  }
  return found
}

type Unflagged = Map<Positions, Positions>

// `isKept`: whether the result is worth caching.
function unflaggedIn(
  { lines, hasFlags }: { readonly lines: readonly BasisLine[]; readonly hasFlags: readonly boolean[] },
  isKept: (positions: Positions) => boolean,
): Matched['unflagged'] {
  const kept: [Unflagged, Unflagged] = [new Map(), new Map()]
  return (positions, isPercentage) => {
    if (!hasFlags[Number(isPercentage)]!) return positions
    if (!isKept(positions)) return unflaggedOf(positions, lines, isPercentage)
    const known = kept[Number(isPercentage)]!
    let narrowed = known.get(positions)
    if (narrowed === undefined) {
      narrowed = unflaggedOf(positions, lines, isPercentage)
      known.set(positions, narrowed)
    }
    return narrowed
  }
}

function isUnflagged(line: BasisLine, isPercentage: boolean): boolean {
  return !line.noDiscount && !(line.noPercentageDiscount && isPercentage)
}

function unflaggedOf(positions: Positions, lines: readonly BasisLine[], isPercentage: boolean): Positions {
  const narrowed = positions.filter((at) => isUnflagged(lines[at]!, isPercentage))
  return narrowed.length === positions.length ? positions : narrowed
}

function isListed({ every, children, not }: CompiledSelector): boolean {
  return !every && !children && not === null
}

function isEvery({ every, not }: CompiledSelector): boolean {
  return every && not === null
}

// Of at least one list; overwrites `taken`.
function unionOf(lists: readonly Positions[], every: Positions, taken: Uint8Array): Positions {
  const [first] = lists
  if (lists.every((list) => list === first)) return first!
  taken.fill(0)
  let missing = every.length
  for (let index = 0; index < lists.length && missing > 0; index++) {
    const list = lists[index]!
    for (let place = 0; place < list.length; place++) {
      const at = list[place]!
      missing -= 1 - taken[at]!
      taken[at] = 1
    }
  }
  return missing === 0 ? every : positionsOf(taken, every)
}

function unitsOn(lines: readonly BasisLine[], positions: Positions): number {
  let sum = 0
  for (let index = 0; index < positions.length; index++) sum += lines[positions[index]!]!.units
  return sum
}

function allBut(every: Positions, left: Positions): Positions {
  if (left.length === 0) return every
  const positions = every.slice(0, every.length - left.length)
  let passed = 0
  for (let next = left[0]!; next < positions.length; next++) {
    while (left[passed] === next + passed) passed++
    positions[next] = next + passed
  }
  return positions
}

// A slice has its exact length.
function positionsOf(taken: Uint8Array, every: Positions): Positions {
  let count = 0
  for (let at = 0; at < taken.length; at++) count += taken[at]!
  const positions = every.slice(0, count)
  let next = 0
  for (let at = 0; at < taken.length; at++) if (taken[at] === 1) positions[next++] = at
  return positions
}

export interface LineTree {
  /** Positions of lines with a parent, each after its parent. */
  readonly below: readonly number[]
  /** By line: position of its parent, or -1. */
  readonly parents: readonly number[]
  /** Buffers by nesting depth; allocating them would be most of the work. */
  readonly marks: Uint8Array[]
}

export function lineTreeOf(lines: readonly Identified[]): LineTree {
  const parents = lines.map(({ parent }) => parent)
  const below: number[] = []
  const isListed = parents.map((parent) => parent === -1)
  const path: number[] = []
  for (let position = 0; position < parents.length; position++) {
    for (let at = position; !isListed[at]!; at = parents[at]!) {
      isListed[at] = true
      path.push(at)
    }
    while (path.length > 0) below.push(path.pop()!)
  }
  return { below, parents, marks: [] }
}

/**
 * By line, 1 if a selector takes it (3-benefits 1): its lists name it or, with `children`, an ancestor, and `not` does
 * not take it.
 *
 * @param depth  nesting of the selector, 0: outermost
 * @returns      a buffer, valid until the next call at this depth
 */
export function takenBy(select: CompiledSelector, index: LineIndex, tree: LineTree, depth = 0): Uint8Array {
  tree.marks[depth] ??= new Uint8Array(tree.parents.length)
  const taken = tree.marks[depth]!
  taken.fill(0)
  markNamed(taken, select, { index, tree, mark: 1 })
  const { not } = select
  if (not === null) return taken
  if (not.not === null && !not.children) markNamed(taken, not, { index, tree, mark: 0 })
  else {
    const left = takenBy(not, index, tree, depth + 1)
    for (let at = 0; at < taken.length; at++) if (left[at] === 1) taken[at] = 0
  }
  return taken
}

function markNamed(
  taken: Uint8Array,
  select: CompiledSelector,
  { index, tree: { below, parents }, mark }: { index: LineIndex; tree: LineTree; mark: 0 | 1 },
): void {
  if (select.every) {
    taken.fill(mark)
    return
  }
  const named = index.named(select)
  for (let each = 0; each < named.length; each++) taken[named[each]!] = mark
  if (!select.children) return
  for (let each = 0; each < below.length; each++) {
    const at = below[each]!
    if (taken[parents[at]!] === mark) taken[at] = mark
  }
}
