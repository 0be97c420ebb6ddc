import { isDeepStrictEqual } from 'node:util'
import { parts } from './diff-programmes.js'
import { isObject } from './place.js'

export type MergedProgramme =
  | { readonly kind: 'merged'; readonly document: string }
  /** Entries that both sides have changed differently, such as `benefits happy-hour`; of members no ids, for it is stored for ever. */
  | { readonly kind: 'conflict'; readonly entries: readonly string[] }

type Entry = Readonly<Record<string, unknown>>

interface Sides<Value> {
  readonly base: Value
  readonly theirs: Value
  readonly mine: Value
}

export interface ProgrammeSides extends Omit<Sides<string>, 'base'> {
  /** null: nothing was published. */
  readonly base: string | null
}

const idNames: ReadonlyMap<string, string> = new Map([
  ...parts.map(({ list, id }) => [list, id] as const),
  ...[['venues', 'venueId'] as const, ['members', 'memberId'] as const],
])

/**
 * My programme with what theirs alone has changed since the base, entry by entry. Entries stay in the order of mine; theirs come last.
 *
 * @param sides  documents without faults
 */
export function mergeProgrammes({ base, theirs, mine }: ProgrammeSides): MergedProgramme {
  const sides = { base: read(base ?? '{}'), theirs: read(theirs), mine: read(mine) }
  const entries = new Set<string>()
  const take = (name: string, one: Sides<unknown>): unknown => {
    const { base: before, theirs: other, mine: own } = one
    if (isDeepStrictEqual(other, own) || isDeepStrictEqual(before, other)) return own
    if (!isDeepStrictEqual(before, own)) entries.add(name)
    return other
  }
  const merged = mergeMembers(sides, (list, one) => {
    const id = idNames.get(list)
    if (id === undefined || !Object.values(one).every((value) => value === undefined || Array.isArray(value)))
      return take(list, one)
    const byId = { base: idsOf(one.base, id), theirs: idsOf(one.theirs, id), mine: idsOf(one.mine, id) }
    const found = Object.values(
      mergeMembers(byId, (key, entry) => take(list === 'members' ? list : `${list} ${key.slice(1)}`, entry)),
    )
    return found.length === 0 && one.mine === undefined ? undefined : found
  })
  return entries.size > 0
    ? { kind: 'conflict', entries: [...entries] }
    : { kind: 'merged', document: JSON.stringify(merged, null, 2) }
}

function mergeMembers(sides: Sides<Entry>, merge: (name: string, one: Sides<unknown>) => unknown): Entry {
  const names = new Set([...Object.keys(sides.mine), ...Object.keys(sides.theirs), ...Object.keys(sides.base)])
  const mergedOf = (name: string) =>
    merge(name, { base: sides.base[name], theirs: sides.theirs[name], mine: sides.mine[name] })
  const merged = [...names].map((name) => [name, mergedOf(name)] as const)
  return Object.fromEntries(merged.filter(([, value]) => value !== undefined))
}

/** Keyed with a prefix: an object lists names that are numbers in an order of their own. */
function idsOf(list: unknown, id: string): Entry {
  return Object.fromEntries(((list ?? []) as readonly Entry[]).map((entry) => [`:${entry[id]}`, entry]))
}

function read(document: string): Entry {
  return JSON.parse(document) as Entry
}

/** A document in which some benefits are enabled and begun. A text that is no JSON, or has no such benefit, stays unchanged. */
export function supposeInForce(text: string, benefitIds: readonly string[]): string {
  const document = jsonOf(text)
  if (!isObject(document) || !Array.isArray(document['benefits'])) return text
  const wanted = new Set<unknown>(benefitIds)
  const benefits = document['benefits'].map((benefit: unknown) => {
    if (!isObject(benefit) || !wanted.has(benefit['benefitId'])) return benefit
    const { enabled, validFrom, ...rest } = benefit
    return rest
  })
  return JSON.stringify({ ...document, benefits })
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
