import type { LineIndex } from './line-index.js'
import type { CompiledSelector, Identified } from './selector.js'

/** The lines of a basket as the tree that `parentLineId` makes of them. */
export interface LineTree {
  /** Positions of the lines that have a parent, every one behind its parent. */
  readonly below: readonly number[]
  /** By line: the position of its parent, or -1. */
  readonly parents: readonly number[]
  /** What selectors are worked out in, by how deep they stand in others: made anew, they would be most of the work. */
  readonly marks: Uint8Array[]
}

/** The tree of some lines; one visit a line, however deep it is. */
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
 * Which lines a selector takes (3-benefits 1), 1 for each that it does: those that its lists name; with `children` also
 * those below one of them at any depth; what `not` takes is left out.
 *
 * @param depth  how deep the selector stands in others: 0 for one by itself
 * @returns      good until the next selector as deep is worked out
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

// Marks what the lists of a selector name, and with `children` what is below.
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
