import type { LineIndex } from './line-index.js'
import type { CompiledSelector, Identified } from './selector.js'

/** The lines of a basket as the tree that `parentLineId` makes of them. */
export interface LineTree {
  /** Positions of the lines that have a parent, every one behind its parent. */
  readonly below: readonly number[]
  /** By line: the position of its parent, or -1. */
  readonly parents: readonly number[]
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
  return { below, parents }
}

/**
 * Which lines a selector takes (3-benefits 1), 1 for each that it does: those that its lists name; with `children` also
 * those below one of them at any depth; what `not` takes is left out.
 */
export function takenBy(select: CompiledSelector, index: LineIndex, tree: LineTree): Uint8Array {
  const { below, parents } = tree
  const taken = new Uint8Array(parents.length)
  const named = index.named(select)
  for (let each = 0; each < named.length; each++) taken[named[each]!] = 1
  if (select.children) {
    for (let each = 0; each < below.length; each++) {
      const at = below[each]!
      if (taken[parents[at]!] === 1) taken[at] = 1
    }
  }
  if (select.not === null) return taken
  const left = takenBy(select.not, index, tree)
  for (let at = 0; at < taken.length; at++) if (left[at] === 1) taken[at] = 0
  return taken
}
