import type { FieldTest, Selector } from '../base/programme.js'

export interface Identified {
  readonly parent: number
  readonly productId: string
  readonly productGroupId: string | null
  readonly productMasterId: string | null
  readonly ean: string | null
}

export interface Keys {
  readonly masters: ReadonlyMap<string, number>
  readonly eans: ReadonlyMap<string, number>
  readonly products: ReadonlyMap<string, number>
  readonly groups: ReadonlyMap<string, number>
}

export interface CompiledSelector {
  readonly number: number
  readonly isShared: boolean
  readonly keys: readonly number[]
  readonly groups: number
  readonly every: boolean
  /** Collections that narrow their own lines; of others the lists are among `keys`. */
  readonly narrowed: readonly CompiledSelector[]
  readonly fields: readonly FieldTest[]
  readonly fullPrice: boolean
  readonly includeNoDiscount: boolean
  readonly children: boolean
  readonly not: CompiledSelector | null
}

export interface Selectors {
  readonly keys: Keys
  compiled(selector?: Selector): CompiledSelector
}

export function createSelectors(): Selectors {
  const numbering = { next: 0 }
  const keys = { masters: new Map(), eans: new Map(), products: new Map(), groups: new Map() }
  const known: Known = { count: 0, byHash: new Map() }
  const compiled = (selector: Selector = {}): CompiledSelector => {
    const { collections = [], fields = [], not } = selector
    const { fullPrice = false, includeNoDiscount = false, children = false } = selector
    const listing = [selector, ...collections.filter((each) => !isNarrowed(each))]
    const named: number[] = []
    for (const { productGroupIds } of listing) number(named, productGroupIds, { keys: keys.groups, numbering })
    sortEachOnce(named)
    const groups = named.length
    for (const { productMasterIds, eans, productIds } of listing) {
      number(named, productMasterIds, { keys: keys.masters, numbering })
      number(named, eans, { keys: keys.eans, numbering })
      number(named, productIds, { keys: keys.products, numbering })
    }
    sortEachOnce(named)
    const narrowed = collections.filter(isNarrowed).map(compiled)
    const isAny = listing.some((each, at) => hasNoLists(each) && (at > 0 || collections.length === 0))
    return sameOf(known, {
      keys: named,
      groups,
      every: isAny,
      narrowed,
      fields,
      fullPrice,
      includeNoDiscount,
      children,
      not: not === undefined ? null : compiled(not),
    })
  }
  return { keys, compiled }
}

function isNarrowed({ fields, fullPrice = false, not }: Selector): boolean {
  return fields !== undefined || fullPrice || not !== undefined
}

function hasNoLists({ productMasterIds, eans, productIds, productGroupIds }: Selector): boolean {
  return [productMasterIds, eans, productIds, productGroupIds].every((list) => list === undefined)
}

export function leadingKeys({ every, keys, narrowed }: CompiledSelector): readonly number[] | null {
  if (every) return null
  const others = narrowed.map(leadingKeys)
  return others.includes(null)
    ? null
    : others.length === 0
      ? keys
      : [...new Set([keys, ...others].flatMap((own) => own!))]
}

export function ownKey(keys: Keys, { productMasterId, ean, productId }: Identified): number {
  if (productMasterId !== null) return keys.masters.get(productMasterId) ?? -1
  if (ean !== null) return keys.eans.get(ean) ?? -1
  return keys.products.get(productId) ?? -1
}

export function groupKey(keys: Keys, { productGroupId }: Identified): number {
  return productGroupId === null ? -1 : (keys.groups.get(productGroupId) ?? -1)
}

interface Numbering {
  readonly keys: Map<string, number>
  readonly numbering: { next: number }
}

function number(named: number[], ids: readonly string[] | undefined, { keys, numbering }: Numbering): void {
  if (ids === undefined) return
  for (const id of ids) {
    let known = keys.get(id)
    if (known === undefined) {
      known = numbering.next++
      keys.set(id, known)
    }
    named.push(known)
  }
}

function sortEachOnce(numbers: number[]): void {
  let isAscending = true
  for (let at = 1; at < numbers.length && isAscending; at++) isAscending = numbers[at - 1]! < numbers[at]!
  if (isAscending) return
  const sorted = Int32Array.from(numbers).sort()
  let length = 0
  for (const each of sorted) if (length === 0 || numbers[length - 1] !== each) numbers[length++] = each
  numbers.length = length
}

interface Known {
  count: number
  readonly byHash: Map<number, Listed[]>
}

type Listed = { -readonly [Field in keyof CompiledSelector]: CompiledSelector[Field] }
type Made = Omit<CompiledSelector, 'number' | 'isShared'>

function sameOf(known: Known, made: Made): CompiledSelector {
  const hash = hashOf(made)
  const others = known.byHash.get(hash)
  const same = others?.find((other) => areAlike(other, made))
  if (same !== undefined) {
    same.isShared = true
    return same
  }
  const listed = { number: known.count++, isShared: false, ...made }
  if (others === undefined) known.byHash.set(hash, [listed])
  else others.push(listed)
  return listed
}

function hashOf({ keys, every, children, not, narrowed, fields }: Made): number {
  let hash = Number(every) + 2 * Number(children) + (not === null ? 0 : 4 * (not.number + 1))
  hash += 8 * (narrowed.length + fields.length)
  for (let at = 0; at < keys.length; at++) hash = (Math.imul(hash, 31) + keys[at]! + 1) | 0
  return hash
}

// `not` and collections were compiled before, so equal ones are one object.
function areAlike(one: Made, other: Made): boolean {
  if (one.every !== other.every || one.children !== other.children || one.not !== other.not) return false
  if (one.fullPrice !== other.fullPrice || one.includeNoDiscount !== other.includeNoDiscount) return false
  if (one.narrowed.length !== other.narrowed.length || one.fields.length !== other.fields.length) return false
  if (!one.narrowed.every((each, at) => each === other.narrowed[at])) return false
  if (one.fields.length > 0 && JSON.stringify(one.fields) !== JSON.stringify(other.fields)) return false
  return one.keys.length === other.keys.length && one.keys.every((key, at) => key === other.keys[at])
}
