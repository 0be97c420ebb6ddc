import { parse } from 'jsonc-parser'
import {
  find,
  isNull,
  itemsOf,
  type Node,
  type Path,
  readJson,
  textIn,
  withItem,
  without,
  withValue,
} from './builder/json-text.js'
import { isSame } from './describe/is-same.js'

/** Lists of a programme document, each with the field that names its entries. */
export const idNames: Readonly<Record<string, string>> = {
  benefits: 'benefitId',
  venues: 'venueId',
  members: 'memberId',
  currencies: 'currencyId',
  earning: 'ruleId',
  exchanges: 'exchangeId',
  tiers: 'tierId',
}

export interface EntryName {
  /** Its list; '' for a member of the document itself, such as its description. */
  readonly list: string
  readonly id: string
  readonly name: string
}

export interface OneSided extends EntryName {
  readonly kind: 'added' | 'changed' | 'removed'
}

/** An entry that both sides have changed differently: JSON, null where it is not there. */
export interface Conflict extends EntryName {
  readonly base: string | null
  readonly theirs: string | null
  readonly mine: string | null
}

export interface Comparison {
  readonly theirs: readonly OneSided[]
  readonly mine: readonly OneSided[]
  readonly conflicts: readonly Conflict[]
}

export interface Sides {
  readonly base: string
  readonly theirs: string
  readonly mine: string
}

/** Compares entry by entry; spelling and order of entries do not count. null: a text is no JSON object. */
export function compareSides(sides: Sides): Comparison | null {
  const [base, theirs, mine] = [sides.base, sides.theirs, sides.mine].map(entriesOf)
  if (!base || !theirs || !mine) return null
  const found = { theirs: [] as OneSided[], mine: [] as OneSided[], conflicts: [] as Conflict[] }
  for (const key of new Set([...base.keys(), ...theirs.keys(), ...mine.keys()])) {
    const [before, other, own] = [base.get(key), theirs.get(key), mine.get(key)]
    const isTheirs = !isSame(before?.value, other?.value)
    const isMine = !isSame(before?.value, own?.value)
    const { list, id, name } = (own ?? other ?? before)!
    if (isTheirs && isMine) {
      if (isSame(other?.value, own?.value)) continue
      const texts = { base: before?.json ?? null, theirs: other?.json ?? null, mine: own?.json ?? null }
      found.conflicts.push({ list, id, name, ...texts })
    } else if (isTheirs) {
      found.theirs.push({ list, id, name, kind: kindOf(before, other) })
    } else if (isMine) {
      found.mine.push({ list, id, name, kind: kindOf(before, own) })
    }
  }
  return found
}

/**
 * My text with entries of theirs; every other character stays.
 *
 * @param taken  entries changed only in theirs, and the conflicts decided for theirs
 */
export function withTheirs({ theirs, mine }: Sides, taken: readonly EntryName[]): string {
  return taken.reduce((text, { list, id }) => withEntry(text, theirs, list, id), mine)
}

function withEntry(text: string, theirs: string, list: string, id: string): string {
  const [own, other] = [readJson(text) ?? undefined, readJson(theirs) ?? undefined]
  const [at, from] = [pathOf(own, list, id), pathOf(other, list, id)]
  const wanted = from === null ? undefined : find(other, from)
  if (wanted === undefined) return at === null ? text : without(text, at)
  if (at !== null) return withValue(text, at, indentedAs(theirs, wanted, indentAt(text, find(own, at)!.start)))
  const siblings = find(own, [list])
  if (list === '' || siblings?.kind !== 'list') {
    const json = indentedAs(theirs, wanted, list === '' ? '  ' : '    ')
    return list === '' ? withValue(text, [id], json) : withMember(text, own, list, json)
  }
  const first = siblings.items[0]
  const json = indentedAs(theirs, wanted, first === undefined ? '    ' : indentAt(text, first.start))
  return withItem(text, [list], placeFor(own, other, list, Number(from!.at(-1))), json)
}

/** A list that is new, or was null. */
function withMember(text: string, top: Node | undefined, list: string, json: string): string {
  const names = top?.kind === 'object' ? top.members.map(({ name }) => name) : []
  return withValue(text, [list], `[\n    ${json}\n  ]`, [...names, list])
}

/** After the entry that precedes it in theirs, where mine has one of those before it. */
function placeFor(own: Node | undefined, other: Node | undefined, list: string, at: number): number {
  for (const item of itemsOf(other, [list]).slice(0, at).toReversed()) {
    const place = pathOf(own, list, idOf(item, list))
    if (place !== null) return Number(place.at(-1)) + 1
  }
  return 0
}

function pathOf(top: Node | undefined, list: string, id: string): Path | null {
  if (list === '') return find(top, [id]) === undefined ? null : [id]
  const at = itemsOf(top, [list]).findIndex((item) => idOf(item, list) === id)
  return at === -1 ? null : [list, at]
}

function indentedAs(text: string, { start, end }: Node, indent: string): string {
  return text.slice(start, end).replaceAll(`\n${indentAt(text, start)}`, `\n${indent}`)
}

function indentAt(text: string, position: number): string {
  const lineStart = text.lastIndexOf('\n', position - 1) + 1
  return /^[ \t]*/.exec(text.slice(lineStart, position))?.[0] ?? ''
}

interface Entry extends EntryName {
  readonly json: string
  readonly value: unknown
}

/** The entries of a document by list and id; the first of several with one id, and entries without id by their place. */
function entriesOf(text: string): ReadonlyMap<string, Entry> | null {
  const top = readJson(text)
  if (top?.kind !== 'object') return null
  const entries = new Map<string, Entry>()
  const note = (list: string, id: string, node: Node) => {
    const key = `${list}/${id}`
    if (entries.has(key) || isNull(node)) return
    const json = text.slice(node.start, node.end)
    entries.set(key, { list, id, name: nameOf(node) || id, json, value: parse(json) })
  }
  for (const { name, value } of top.members) {
    if (value.kind !== 'list' || idNames[name] === undefined) note('', name, value)
    else for (const [at, item] of value.items.entries()) note(name, idOf(item, name) || `#${at + 1}`, item)
  }
  // A null list, or any other value in its place, is no entry.
  for (const list of Object.keys(idNames)) entries.delete(`/${list}`)
  return entries
}

function idOf(item: Node, list: string): string {
  return textIn(item, idNames[list] ?? '')
}

function nameOf(node: Node): string {
  return textIn(node, 'text') || textIn(node, 'name')
}

function kindOf(before: Entry | undefined, after: Entry | undefined): OneSided['kind'] {
  return before === undefined ? 'added' : after === undefined ? 'removed' : 'changed'
}

/** A field in which the two sides of a conflict differ: JSON, '' where it is absent. */
export interface Field {
  readonly path: string
  readonly base: string
  readonly theirs: string
  readonly mine: string
}

export function fieldsOf({ base, theirs, mine }: Conflict): readonly Field[] {
  const [before, other, own] = [base, theirs, mine].map((json) => leavesOf(json === null ? undefined : parse(json)))
  return [...new Set([...before!.keys(), ...other!.keys(), ...own!.keys()])]
    .map((path) => ({
      path,
      base: before!.get(path) ?? '',
      theirs: other!.get(path) ?? '',
      mine: own!.get(path) ?? '',
    }))
    .filter((field) => field.theirs !== field.mine)
}

/** The values of an object by their path; a list of plain values is one value. */
function leavesOf(value: unknown, path = '', leaves = new Map<string, string>()): ReadonlyMap<string, string> {
  const isPart = (one: unknown) => typeof one === 'object' && one !== null
  if (Array.isArray(value) && value.some(isPart)) {
    for (const [at, item] of value.entries()) leavesOf(item, `${path}[${at}]`, leaves)
  } else if (isPart(value) && !Array.isArray(value)) {
    for (const [name, member] of Object.entries(value as object)) {
      leavesOf(member, path === '' ? name : `${path}.${name}`, leaves)
    }
  } else if (value !== undefined) {
    leaves.set(path, JSON.stringify(value))
  }
  return leaves
}
