import type { Basis, BasisLine } from '../base/basis.js'
import type { LineIndex } from './line-index.js'
import type { CompiledSelector } from './selector.js'

interface Marked extends Pick<Basis, 'lines' | 'fieldOf'> {
  readonly index: LineIndex
  readonly isFullPrice: ((at: number) => boolean) | undefined
}

/** Works selectors out line by line (3-benefits 1), for those that lists alone do not decide. */
export class Marking {
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
