import type { LineIndex } from './line-index.js'
import type { CompiledSelector, Identified } from './selector.js'

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
