import type { Basis, BasisLine } from '../base/basis.js'
import type { LineIndex } from './line-index.js'
import type { CompiledSelector } from './selector.js'

export type Positions = readonly number[]

export interface Matched {
  /**
   * Lines that a selector matches by themselves (3-benefits 1).
   *
   * @param withNoDiscount  whether `noDiscount` lines are among them
   * @param named           lines that its lists name, if known (`touchedBy`)
   */
  own(select: CompiledSelector, withNoDiscount: boolean, named?: Positions): Positions
  leaders(select: CompiledSelector, withNoDiscount: boolean): ReadonlyMap<number, number>
  money(select: CompiledSelector, withNoDiscount: boolean): Positions
  units(select: CompiledSelector): number
  measure(select: CompiledSelector): number
  whole(select: CompiledSelector, withNoDiscount: boolean): Positions
  unflagged(lines: Positions, isPercentage: boolean): Positions
  union(lists: readonly Positions[]): Positions
  judging(isFullPrice: (at: number) => boolean): Matched
}

export function matchedIn(basis: Basis, index: LineIndex, isFullPrice?: (at: number) => boolean): Matched {
  const { lines, fieldOf } = basis
  let [every, everyWhole]: [Positions | null, Positions | null] = [null, null]
  const isWhole = lines.every(({ units }) => units > 0)
  const hasFlags = [
    lines.some(({ noDiscount }) => noDiscount),
    lines.some(({ noDiscount, noPercentageDiscount }) => noPercentageDiscount && !noDiscount),
  ]
  const everyLine = (): Positions => {
    every ??= [...lines.keys()]
    return every
  }
  const unflagged = unflaggedIn({ lines, hasFlags }, (positions) => positions === every || positions === everyWhole)
  let marking: Marking | null = null
  const marks = () => {
    marking ??= new Marking({ lines, fieldOf, index, isFullPrice })
    return marking
  }
  const shared = new Map<number, Positions>()
  const ownOf = (select: CompiledSelector): Positions => {
    if (isListed(select)) return index.named(select)
    const { not } = select
    if (select.every && !isNarrow(select) && isListed(not!) && !not!.children)
      return allBut(everyLine(), index.named(not!))
    return positionsOf(marks().own(select), everyLine())
  }
  const own = (select: CompiledSelector, withNoDiscount: boolean, named?: Positions): Positions => {
    const positions = isEvery(select)
      ? everyLine()
      : named !== undefined && isListed(select)
        ? named
        : workedOutOnce(shared, select, ownOf)
    return withNoDiscount ? positions : unflagged(positions, false)
  }
  const following = [new Map<number, Leaders>(), new Map<number, Leaders>()]
  const leaders = (select: CompiledSelector, withNoDiscount: boolean): Leaders => {
    if (!select.children || isEvery(select)) return noLeaders
    const hasAll = withNoDiscount || !hasFlags[0]!
    return workedOutOnce(following[Number(hasAll)]!, select, () => marks().leaders(select, hasAll))
  }
  const whole = (select: CompiledSelector, withNoDiscount: boolean): Positions => {
    const positions = own(select, withNoDiscount)
    return isWhole ? positions : positions.filter((at) => lines[at]!.units > 0)
  }
  return {
    own,
    leaders,
    money(select, withNoDiscount) {
      const positions = own(select, withNoDiscount)
      const following = leaders(select, withNoDiscount)
      return following.size === 0 ? positions : [...positions, ...following.keys()].sort((a, b) => a - b)
    },
    units: (select) => sumOn(own(select, select.includeNoDiscount), (at) => lines[at]!.units),
    measure: (select) => sumOn(own(select, select.includeNoDiscount), (at) => lines[at]!.quantity),
    whole(select, withNoDiscount) {
      if (!isEvery(select) || (hasFlags[0]! && !withNoDiscount)) return whole(select, withNoDiscount)
      everyWhole ??= whole(select, true)
      return everyWhole
    },
    unflagged,
    union: (lists) => unionOf(lists, everyLine(), new Uint8Array(lines.length)),
    judging: (judge) => matchedIn(basis, index, judge),
  }
}

type Leaders = ReadonlyMap<number, number>

const noLeaders: Leaders = new Map()

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
  return (positions, isPercentageReward) => {
    // So that equal lists are the same one.
    const isPercentage = isPercentageReward && hasFlags[1]!
    if (!hasFlags[0]! && !isPercentage) return positions
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

function isListed(select: CompiledSelector): boolean {
  return !select.every && select.not === null && select.narrowed.length === 0 && !isNarrow(select)
}

function isEvery(select: CompiledSelector): boolean {
  return select.every && select.not === null && !isNarrow(select)
}

function isNarrow({ fields, fullPrice }: CompiledSelector): boolean {
  return fullPrice || fields.length > 0
}

function unionOf(lists: readonly Positions[], every: Positions, taken: Uint8Array): Positions {
  const [first] = lists
  if (lists.every((list) => list === first)) return first!
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

function sumOn(positions: Positions, countOf: (at: number) => number): number {
  let sum = 0
  for (let index = 0; index < positions.length; index++) sum += countOf(positions[index]!)
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

function positionsOf(taken: Uint8Array, every: Positions): Positions {
  let count = 0
  for (let at = 0; at < taken.length; at++) count += taken[at]!
  const positions = every.slice(0, count)
  let next = 0
  for (let at = 0; at < taken.length; at++) if (taken[at] === 1) positions[next++] = at
  return positions
}

interface Marked extends Pick<Basis, 'lines' | 'fieldOf'> {
  readonly index: LineIndex
  readonly isFullPrice: ((at: number) => boolean) | undefined
}

/** Works selectors out line by line (3-benefits 1), for those that lists alone do not decide. */
class Marking {
  private readonly lines: readonly BasisLine[]
  private readonly below: readonly number[]
  /** Buffers by nesting depth; allocating them would be most of the work. */
  private readonly buffers: Uint8Array[] = []

  constructor(private readonly marked: Marked) {
    this.lines = marked.lines
    this.below = belowFirst(marked.lines)
  }

  /**
   * By line, 1 if the selector matches it by itself, `noDiscount` or not.
   *
   * @param depth  nesting of the selector, 0: outermost
   * @returns      a buffer, valid until the next call at this depth; the buffer one deeper holds the lines of `not`
   */
  own(select: CompiledSelector, depth = 0): Uint8Array {
    const own = this.buffer(depth)
    if (select.every) own.fill(1)
    else {
      own.fill(0)
      const named = this.marked.index.named(select)
      for (let index = 0; index < named.length; index++) own[named[index]!] = 1
      for (const collection of select.narrowed) {
        const others = this.own(collection, depth + 1)
        for (let at = 0; at < own.length; at++) own[at]! |= others[at]!
      }
    }
    for (let at = 0; at < own.length; at++) if (own[at] === 1 && !this.passes(select, at)) own[at] = 0
    const left = this.leftOut(select, depth)
    for (let at = 0; at < own.length; at++) if (left?.[at] === 1) own[at] = 0
    return own
  }

  leaders(select: CompiledSelector, withNoDiscount: boolean, depth = 0): ReadonlyMap<number, number> {
    const own = this.own(select, depth)
    const left = select.not === null ? null : this.buffer(depth + 1)
    const leads = (at: number) => own[at] === 1 && (withNoDiscount || !this.lines[at]!.noDiscount)
    const above = new Map<number, number>()
    const leaders = new Map<number, number>()
    for (const at of this.below) {
      const { parent, noDiscount } = this.lines[at]!
      const leader = leads(parent) ? parent : above.get(parent)
      if (leader === undefined) continue
      above.set(at, leader)
      const isLeft = left?.[at] === 1 || (noDiscount && !withNoDiscount)
      if (!leads(at) && !isLeft && (!select.fullPrice || this.isFullPrice(at))) leaders.set(at, leader)
    }
    return leaders
  }

  private leftOut({ not }: CompiledSelector, depth: number): Uint8Array | null {
    if (not === null) return null
    if (!not.children) return this.own(not, depth + 1)
    const leaders = this.leaders(not, true, depth + 1)
    const left = this.buffer(depth + 1)
    for (const at of leaders.keys()) left[at] = 1
    return left
  }

  private passes({ fields, fullPrice }: CompiledSelector, at: number): boolean {
    const line = this.lines[at]!
    if (fullPrice && !this.isFullPrice(at)) return false
    return fields.every(({ name, values }) => {
      const value = this.marked.fieldOf?.(line.position, name)
      return value !== undefined && values.includes(value)
    })
  }

  private isFullPrice(at: number): boolean {
    const { own, override } = this.lines[at]!
    return this.marked.isFullPrice?.(at) ?? (own === 0 && override === null)
  }

  private buffer(depth: number): Uint8Array {
    this.buffers[depth] ??= new Uint8Array(this.lines.length)
    return this.buffers[depth]!
  }
}

function belowFirst(lines: readonly BasisLine[]): readonly number[] {
  const below: number[] = []
  const isListed = lines.map(({ parent }) => parent === -1)
  const path: number[] = []
  for (let position = 0; position < lines.length; position++) {
    for (let at = position; !isListed[at]!; at = lines[at]!.parent) {
      isListed[at] = true
      path.push(at)
    }
    while (path.length > 0) below.push(path.pop()!)
  }
  return below
}
