import { find, type Node, type Path, readJson, valueAt, withItem, without, withValue, writeJson } from './json-text.js'
import { type Field, firstValue, isOwnName, namesOf, type Schema, shapeOf, withRequired } from './schema.js'

/** The text with another value of a field of an object, null for none, and with the changes that this requires in its other fields. */
export function withField(text: string, root: Schema, schema: Schema, edit: FieldEdit): string {
  const { path, field, json } = edit
  const at = [...path, field.name]
  const order = Object.keys(namesToOrder(root, schema, find(readJson(text) ?? undefined, path)))
  const changed = json === null ? without(text, at) : withValue(text, at, json, order)
  return decides(root, schema, field) ? reshaped(changed, root, schema, path) : changed
}

interface FieldEdit {
  readonly path: Path
  readonly field: Field
  readonly json: string | null
}

function decides(root: Schema, schema: Schema, { schema: own }: Field): boolean {
  const node = undefined
  const shape = shapeOf(root, schema, node)
  const fields = shape.kind === 'object' ? shape.fields.length : 0
  return shapeOf(root, own, node).kind === 'choice' && namesOf(root, schema).size > fields
}

/** Removes fields of the object's former kind, and adds those that it needs now; fields of no kind stay. */
function reshaped(text: string, root: Schema, schema: Schema, path: Path): string {
  const node = find(readJson(text) ?? undefined, path)
  const shape = shapeOf(root, schema, node)
  if (node?.kind !== 'object' || shape.kind !== 'object') return text
  const names = shape.fields.map(({ name }) => name)
  const gone = node.members.filter(({ name }) => namesOf(root, schema).has(name) && !names.includes(name))
  const kept = gone.reduce((before, { name }) => without(before, [...path, name]), text)
  const value = valueAt(kept, find(readJson(kept) ?? undefined, path)) as Readonly<Record<string, unknown>>
  const missing = Object.entries(withRequired(root, schema, value)).filter(([name]) => !Object.hasOwn(value, name))
  return missing.reduce((before, [name, one]) => {
    const at = [...path, name]
    return withValue(before, at, writeJson(one, at), names)
  }, kept)
}

function namesToOrder(root: Schema, schema: Schema, node: Node | undefined): Readonly<Record<string, true>> {
  const shape = shapeOf(root, schema, node)
  const names = shape.kind === 'object' ? shape.fields.map(({ name }) => name) : []
  return Object.fromEntries(names.map((name) => [name, true]))
}

/** The text with a new item at the end of a list, which may be new too. The fields that name it get names not yet in the document. */
export function withNewItem(text: string, root: Schema, item: Schema, path: Path): string {
  return withItemAtEnd(text, path, itemJson(text, root, item, [...path, 0]))
}

/** JSON of an optional part to add: its first value, or a list of one item. */
export function partJson(text: string, root: Schema, schema: Schema, path: Path): string {
  const shape = shapeOf(root, schema, undefined)
  if (shape.kind === 'list') return `[${itemJson(text, root, shape.item, [...path, 0])}]`
  return writeJson(firstValue(root, schema), path)
}

export interface NewEntry {
  readonly name: string
  /** From `kindsOf`; undefined: there are none. */
  readonly kind?: string | undefined
  /** Fields that are known already. */
  readonly known?: Readonly<Record<string, unknown>>
}

/**
 * The text with one more entry in a list at the top of the document, which may be new too. It gets a name, and is disabled where that is
 * possible; the form asks for its other required fields.
 */
export function withNewEntry(
  text: string,
  root: Schema,
  item: Schema,
  { list, name, kind, known }: NewEntry & ListName,
): string {
  const { named, own } = namingOf(root, item)
  const kinds = kindsOf(root, item)
  const first = {
    ...(own === undefined ? {} : { [own]: newId(text, root, item, name) }),
    ...(named === undefined ? {} : { [named]: name.trim() }),
    ...(fieldNamed(root, item, 'enabled') === undefined ? {} : { enabled: false }),
    ...(kinds === null || kind === undefined
      ? {}
      : { [kinds.field.name]: withRequired(root, kinds.field.schema, { kind }) }),
    ...known,
  }
  return withItemAtEnd(text, [list], itemJson(text, root, item, [list, 0], first))
}

/** Made together with a currency, by its use: entries that give or take it, with every number left out. */
export const guides = {
  stamps: { earning: { per: { units: null } }, benefits: { costs: {} } },
  points: { earning: { per: { amount: null } }, benefits: { costs: {} } },
  tiers: { earning: { per: { amount: null } }, tiers: {} },
} as const

export type Guide = keyof typeof guides

/** The text with a currency, and with what gives and takes it. */
export function withGuide(text: string, root: Schema, name: string, guide: Guide | null): string {
  const itemOf = (list: string): Schema => {
    const field = fieldsOf(root, root).find((one) => one.name === list)
    const shape = field === undefined ? null : shapeOf(root, field.schema, undefined)
    return shape?.kind === 'list' ? shape.item : {}
  }
  const currencyId = newId(text, root, itemOf('currencies'), name)
  const first = withNewEntry(text, root, itemOf('currencies'), { list: 'currencies', name })
  const others: readonly (readonly [string, object])[] = guide === null ? [] : Object.entries(guides[guide])
  return others.reduce((before, [list, known]) => {
    const own = 'costs' in known ? { costs: { currencyId } } : { ...known, currencyId }
    return withNewEntry(before, root, itemOf(list), { list, name, known: own })
  }, first)
}

interface ListName {
  readonly list: string
}

export function namingOf(
  root: Schema,
  item: Schema,
): { readonly named: string | undefined; readonly own: string | undefined } {
  const named = (fieldNamed(root, item, 'text') ?? fieldNamed(root, item, 'name'))?.name
  return { named, own: fieldsOf(root, item).find((field) => isOwnName(root, field))?.name }
}

/** The field whose kind decides the shape of an entry, such as the reward of a benefit, with all kinds; null: none. */
export function kindsOf(
  root: Schema,
  item: Schema,
): { readonly field: Field; readonly kinds: readonly string[] } | null {
  for (const field of fieldsOf(root, item).filter(({ isRequired }) => isRequired)) {
    const kind = fieldNamed(root, field.schema, 'kind')
    const shape = kind === undefined ? null : shapeOf(root, kind.schema, undefined)
    if (shape?.kind === 'choice') return { field, kinds: shape.options }
  }
  return null
}

/** An id made from a name: lower-case letters, digits and hyphens, and not yet in the document. */
export function newId(text: string, root: Schema, item: Schema, name: string): string {
  const { own } = namingOf(root, item)
  const latin = name.toLowerCase().replaceAll('æ', 'ae').replaceAll('ø', 'o').normalize('NFKD')
  const plain = latin
    .replace(/[^a-z0-9\s_-]/g, '')
    .replace(/[\s_-]+/g, '-')
    .replace(/^-|-$/g, '')
  const top = readJson(text)
  return top === null || own === undefined
    ? plain
    : freeName(plain.slice(0, idCharactersMax) || 'new', valuesOf(top, own))
}

/** Room for a number after it: an id has at most 64. */
const idCharactersMax = 56

function fieldsOf(root: Schema, schema: Schema): readonly Field[] {
  const shape = shapeOf(root, schema, undefined)
  return shape.kind === 'object' ? shape.fields : []
}

function fieldNamed(root: Schema, schema: Schema, wanted: string): Field | undefined {
  return fieldsOf(root, schema).find(({ name }) => name === wanted)
}

function withItemAtEnd(text: string, path: Path, json: string): string {
  const list = find(readJson(text) ?? undefined, path)
  return list?.kind === 'list' ? withItem(text, path, list.items.length, json) : withValue(text, path, `[${json}]`)
}

function itemJson(text: string, root: Schema, item: Schema, path: Path, first: object = {}): string {
  const top = readJson(text)
  const own = fieldsOf(root, item).filter((field) => field.isRequired && isOwnName(root, field))
  const names = own.map(({ name }) => [
    name,
    freeName(stemOf(top, path), top === null ? new Set() : valuesOf(top, name)),
  ])
  return writeJson(withRequired(root, item, { ...Object.fromEntries(names), ...first }), path)
}

/** The first name of a part: its entry's, and its list's. */
function stemOf(top: Node | null, path: Path): string {
  const word = String(path.at(-2)).replace(/s$/, '')
  const entry = find(top ?? undefined, path.slice(0, 2))
  const id = entry?.kind === 'object' ? entry.members.find(({ name }) => /^[a-z]+Id$/.test(name))?.value : undefined
  return id?.kind === 'text' && path.length > 2
    ? `${id.value.slice(0, idCharactersMax - word.length - 1)}-${word}`
    : word
}

/**
 * The text with a copy of an item after it; the fields that name it, or a part of it, get other names, and it is disabled where that is
 * possible.
 */
export function withCopy(text: string, root: Schema, item: Schema, path: Path): string {
  const top = readJson(text)
  const node = find(top ?? undefined, path)
  if (node === undefined) return text
  const copy = renamed(text.slice(node.start, node.end), { root, item, top })
  const canBeOff = fieldNamed(root, item, 'enabled') !== undefined
  const json = canBeOff
    ? withValue(
        copy,
        ['enabled'],
        'false',
        fieldsOf(root, item).map(({ name }) => name),
      )
    : copy
  return withItem(text, path.slice(0, -1), Number(path.at(-1)) + 1, json)
}

interface Renaming {
  readonly root: Schema
  readonly item: Schema
  readonly top: Node | null
}

function renamed(json: string, { root, item, top }: Renaming): string {
  const node = readJson(json)
  if (node === null || top === null) return json
  return ownNames(root, item, node, []).reduce((text, { path, value }) => {
    const name = String(path.at(-1))
    const taken = valuesOf(top, name)
    return withValue(text, path, JSON.stringify(freeName(value, taken)))
  }, json)
}

/** A name that is not taken: this one, else with a number. */
export function freeName(wanted: string, taken: { has(name: string): boolean }): string {
  const stem = wanted.replace(/-\d+$/, '').slice(0, idCharactersMax)
  let number = 2
  while (taken.has(`${stem}-${number}`)) number += 1
  return taken.has(wanted) ? `${stem}-${number}` : wanted
}

function ownNames(root: Schema, schema: Schema, node: Node, path: Path): readonly { path: Path; value: string }[] {
  const shape = shapeOf(root, schema, node)
  if (shape.kind === 'list' && node.kind === 'list') {
    return node.items.flatMap((item, at) => ownNames(root, shape.item, item, [...path, at]))
  }
  if (shape.kind !== 'object' || node.kind !== 'object') return []
  return shape.fields.flatMap((field) => {
    const value = find(node, [field.name])
    if (value === undefined) return []
    const at = [...path, field.name]
    if (value.kind === 'text' && isOwnName(root, field)) return [{ path: at, value: value.value }]
    return ownNames(root, field.schema, value, at)
  })
}

function valuesOf(node: Node, name: string): ReadonlySet<string> {
  const found = new Set<string>()
  const look = (one: Node): void => {
    if (one.kind === 'list') for (const item of one.items) look(item)
    if (one.kind !== 'object') return
    for (const member of one.members) {
      if (member.name === name && member.value.kind === 'text') found.add(member.value.value)
      else look(member.value)
    }
  }
  look(node)
  return found
}
