import type { Selector } from './programme.js'

/** The identities a selector can name; null where a line has none of that kind. */
export interface Identified {
  /** Position of the parent in the same list, or -1. */
  readonly parent: number
  readonly productId: string
  readonly productGroupId: string | null
  readonly productMasterId: string | null
  readonly ean: string | null
}

/** A selector with its lists as sets, so that a long list costs what a short one costs. */
export interface CompiledSelector {
  readonly productMasterIds: ReadonlySet<string> | null
  readonly eans: ReadonlySet<string> | null
  readonly productIds: ReadonlySet<string> | null
  readonly productGroupIds: ReadonlySet<string> | null
  /** No list given: every line matches. */
  readonly every: boolean
  readonly children: boolean
  readonly not: CompiledSelector | null
}

/** Prepares a selector; an absent one takes every line (3-benefits 1). */
export function compileSelector(selector: Selector = {}): CompiledSelector {
  const { productMasterIds, eans, productIds, productGroupIds, children = false, not } = selector
  const lists = [productMasterIds, eans, productIds, productGroupIds]
  return {
    productMasterIds: setOf(productMasterIds),
    eans: setOf(eans),
    productIds: setOf(productIds),
    productGroupIds: setOf(productGroupIds),
    every: lists.every((list) => list === undefined),
    children,
    not: not === undefined ? null : compileSelector(not),
  }
}

/** Whether two selectors are the same, and so take the same lines of every basket. */
export function areAlike(one: CompiledSelector, other: CompiledSelector): boolean {
  return (
    one.children === other.children &&
    haveSame(one.productMasterIds, other.productMasterIds) &&
    haveSame(one.eans, other.eans) &&
    haveSame(one.productIds, other.productIds) &&
    haveSame(one.productGroupIds, other.productGroupIds) &&
    (one.not === null || other.not === null ? one.not === other.not : areAlike(one.not, other.not))
  )
}

function haveSame(one: ReadonlySet<string> | null, other: ReadonlySet<string> | null): boolean {
  if (one === null || other === null) return one === other
  if (one.size !== other.size) return false
  for (const each of one) if (!other.has(each)) return false
  return true
}

/**
 * Which lines a selector takes (3-benefits 1): a line keys on its productMasterId, else its ean, else its productId;
 * `children` adds the lines below a taken one at any depth; what `not` takes is left out.
 */
export function selectedLines(selector: CompiledSelector, lines: readonly Identified[]): boolean[] {
  const taken = lines.map((line) => isNamed(selector, line))
  if (selector.children) takeChildren(taken, lines)
  if (selector.not === null) return taken
  const left = selectedLines(selector.not, lines)
  return taken.map((isTaken, position) => isTaken && left[position] === false)
}

/** Whether a line is taken by itself, parents and `not` aside. */
export function isNamed(selector: CompiledSelector, line: Identified): boolean {
  if (selector.every) return true
  if (line.productGroupId !== null && selector.productGroupIds?.has(line.productGroupId) === true) return true
  if (line.productMasterId !== null) return selector.productMasterIds?.has(line.productMasterId) === true
  if (line.ean !== null) return selector.eans?.has(line.ean) === true
  return selector.productIds?.has(line.productId) === true
}

function setOf(list: readonly string[] | undefined): ReadonlySet<string> | null {
  return list === undefined ? null : new Set(list)
}

// A line mostly stands behind its parent, whose answer is then known; else it climbs to the nearest ancestor whose answer
// is, so that deep trees cost one visit a line.
function takeChildren(taken: boolean[], lines: readonly Identified[]): void {
  let settled: boolean[] | null = null
  for (let position = 0; position < lines.length; position++) {
    const { parent } = lines[position]!
    if (parent === -1 || taken[position]!) continue
    if (parent < position && settled === null) {
      taken[position] = taken[parent]!
      continue
    }
    settled ??= lines.map((line, at) => at < position || taken[at]! || line.parent === -1)
    const path: number[] = []
    let at = position
    while (!settled[at]!) {
      path.push(at)
      settled[at] = true
      at = lines[at]!.parent
    }
    for (const below of path) taken[below] = taken[at]!
  }
}
