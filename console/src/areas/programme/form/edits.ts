import { find, type Node, type Path, readJson, valueAt, withItem, without, withValue, writeJson } from './json-text.js'
import { type Field, firstValue, isOwnName, namesOf, type Schema, shapeOf, withRequired } from './schema.js'

/** The text after one field of an object has got another value, null for none, with whatever that decides about its other fields. */
export function withField(text: string, root: Schema, schema: Schema, edit: FieldEdit): string {
  const { path, field, json } = edit
  const at = [...path, field.name]
  const order = Object.keys(namesToOrder(root, schema, find(readJson(text) ?? undefined, path)))
  const changed = json === null ? without(text, at) : withValue(text, at, json, order)
  return decides(root, schema, field) ? reshaped(changed, root, schema, path) : changed
}

interface FieldEdit {
  /** Of the object. */
  readonly path: Path
  readonly field: Field
  readonly json: string | null
}

/** Whether other fields of the object depend on this one. */
function decides(root: Schema, schema: Schema, { schema: own }: Field): boolean {
  const node = undefined
  const shape = shapeOf(root, schema, node)
  const fields = shape.kind === 'object' ? shape.fields.length : 0
  return shapeOf(root, own, node).kind === 'choice' && namesOf(root, schema).size > fields
}

/** Takes away fields of what the object was before, and adds those that it must have now; fields that no kind has stay. */
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

/** The fields of an object in the order in which its schema names them. */
function namesToOrder(root: Schema, schema: Schema, node: Node | undefined): Readonly<Record<string, true>> {
  const shape = shapeOf(root, schema, node)
  const names = shape.kind === 'object' ? shape.fields.map(({ name }) => name) : []
  return Object.fromEntries(names.map((name) => [name, true]))
}

/** The text with a new item at the end of a list, which may be new too. */
export function withNewItem(text: string, root: Schema, item: Schema, path: Path): string {
  const top = readJson(text)
  const list = find(top ?? undefined, path)
  const at = [...path, 0]
  const json = renamed(writeJson(firstValue(root, item), at), { root, item, top, word: String(path.at(-1)) })
  if (list?.kind !== 'list') return withValue(text, path, `[${json}]`)
  return withItem(text, path, list.items.length, json)
}

/** The text with a copy of an item after it; what names it, or a part of it, gets another name. */
export function withCopy(text: string, root: Schema, item: Schema, path: Path): string {
  const top = readJson(text)
  const node = find(top ?? undefined, path)
  if (node === undefined) return text
  const json = renamed(text.slice(node.start, node.end), { root, item, top, word: '' })
  return withItem(text, path.slice(0, -1), Number(path.at(-1)) + 1, json)
}

interface Renaming {
  readonly root: Schema
  readonly item: Schema
  /** The document that the names must be new in. */
  readonly top: Node | null
  /** What a name begins with that is empty. */
  readonly word: string
}

/** JSON of an item with names that its document does not have yet. */
function renamed(json: string, { root, item, top, word }: Renaming): string {
  const node = readJson(json)
  if (node === null || top === null) return json
  return ownNames(root, item, node, []).reduce((text, { path, value }) => {
    const name = String(path.at(-1))
    const taken = valuesOf(top, name)
    return withValue(text, path, JSON.stringify(freeName(value === '' ? word : value, taken)))
  }, json)
}

function freeName(wanted: string, taken: ReadonlySet<string>): string {
  const stem = wanted.replace(/-\d+$/, '').slice(0, 56)
  let number = 2
  while (taken.has(`${stem}-${number}`)) number += 1
  return taken.has(wanted) ? `${stem}-${number}` : wanted
}

/** The names in an item: its own and those of its parts. */
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

/** All texts that a document has under a name. */
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
