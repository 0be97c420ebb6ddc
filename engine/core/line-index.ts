import type { Basis } from './basis.js'
import { type CompiledSelector, isNamed } from './selector.js'

/** The lines of a basket by what selectors name, so that a short list costs what it names and not what the basket holds. */
export interface LineIndex {
  /** Positions of the lines that the lists of a selector name, ascending; its `children` and `not` aside. */
  named(select: CompiledSelector): readonly number[]
}

type Places = Map<string, number[]>

/** How much dearer it is to look an entry of a list up than to ask a line whether it is in the list. */
const lookUpCost = 4

/** The index of a basket; it is made when a list is first looked up. */
export function lineIndexOf(lines: Basis['lines']): LineIndex {
  let known: Indexed | null = null
  return {
    named(select) {
      if (select.every || sizeOf(select) * lookUpCost >= lines.length) return scan(select, lines)
      known ??= indexed(lines)
      return lookUp(select, known)
    },
  }
}

function scan(select: CompiledSelector, lines: Basis['lines']): number[] {
  const positions: number[] = []
  for (let at = 0; at < lines.length; at++) if (isNamed(select, lines[at]!)) positions.push(at)
  return positions
}

interface Indexed {
  readonly byGroup: Places
  readonly byMaster: Places
  readonly byEan: Places
  readonly byProduct: Places
}

// By group, and by the one identity that each line keys on.
function indexed(lines: Basis['lines']): Indexed {
  const index: Indexed = { byGroup: new Map(), byMaster: new Map(), byEan: new Map(), byProduct: new Map() }
  for (const [at, { productGroupId, productMasterId, ean, productId }] of lines.entries()) {
    if (productGroupId !== null) note(index.byGroup, productGroupId, at)
    if (productMasterId !== null) note(index.byMaster, productMasterId, at)
    else if (ean !== null) note(index.byEan, ean, at)
    else note(index.byProduct, productId, at)
  }
  return index
}

function note(places: Places, key: string, at: number): void {
  const known = places.get(key)
  if (known === undefined) places.set(key, [at])
  else known.push(at)
}

function lookUp(select: CompiledSelector, { byGroup, byMaster, byEan, byProduct }: Indexed): readonly number[] {
  const positions: number[] = []
  add(positions, select.productMasterIds, byMaster)
  add(positions, select.eans, byEan)
  add(positions, select.productIds, byProduct)
  const own = positions.length
  add(positions, select.productGroupIds, byGroup)
  if (!isAscending(positions)) positions.sort((a, b) => a - b)
  // Only a group can name what was named before.
  if (own === 0 || own === positions.length) return positions
  return positions.filter((at, index) => at !== positions[index - 1])
}

function isAscending(positions: readonly number[]): boolean {
  for (let at = 1; at < positions.length; at++) if (positions[at - 1]! > positions[at]!) return false
  return true
}

function add(positions: number[], ids: ReadonlySet<string> | null, places: Places): void {
  if (ids === null || places.size === 0) return
  for (const id of ids) {
    const found = places.get(id)
    if (found !== undefined) for (const at of found) positions.push(at)
  }
}

function sizeOf({ productMasterIds, eans, productIds, productGroupIds }: CompiledSelector): number {
  return (productMasterIds?.size ?? 0) + (eans?.size ?? 0) + (productIds?.size ?? 0) + (productGroupIds?.size ?? 0)
}
