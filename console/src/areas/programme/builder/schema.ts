import { find, type Node, type Path } from './json-text.js'

export interface Schema {
  readonly $ref?: string
  readonly $defs?: Readonly<Record<string, Schema>>
  readonly description?: string
  readonly type?: string | readonly string[]
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly default?: unknown
  readonly pattern?: string
  readonly maximum?: number
  readonly maxLength?: number
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly items?: Schema
  readonly oneOf?: readonly Schema[]
  readonly anyOf?: readonly Schema[]
  readonly allOf?: readonly Schema[]
  readonly if?: Schema
  readonly then?: Schema
}

export type Shape = {
  /** Name of its definition, such as `benefit`; for a field in place, the enclosing definition's. */
  readonly within: string
  readonly description: string
  /** The default value; undefined: none is stated. */
  readonly preset: unknown
} & (
  | { readonly kind: 'object'; readonly fields: readonly Field[] }
  /** An object with free fields. */
  | { readonly kind: 'free' }
  | { readonly kind: 'list'; readonly item: Schema }
  | { readonly kind: 'choices'; readonly options: readonly string[] }
  | { readonly kind: 'texts' }
  | { readonly kind: 'choice'; readonly options: readonly string[] }
  /** One word, or an object with one field of several. */
  | { readonly kind: 'variants'; readonly words: readonly string[]; readonly fields: readonly Field[] }
  | { readonly kind: 'switch' }
  | { readonly kind: 'number' }
  | { readonly kind: 'text'; readonly as: 'words' | 'time' | 'moment' }
)

export interface Field {
  readonly name: string
  readonly schema: Schema
  readonly isRequired: boolean
}

/** The way to edit a value; `node` decides where one of its own fields decides about the others, such as the kind of a reward. */
export function shapeOf(root: Schema, schema: Schema, node: Node | undefined, around = ''): Shape {
  const { resolved, within } = resolve(root, schema, around)
  const shared = { within, description: resolved.description ?? '', preset: resolved.default }
  const options = (resolved.enum ?? (resolved.const === undefined ? [] : [resolved.const])).filter(
    (one) => one !== null,
  )
  if (options.length > 0) return { ...shared, kind: 'choice', options: options.map(String) }
  if (resolved.oneOf !== undefined && resolved.properties === undefined)
    return { ...shared, ...variantsOf(resolved.oneOf) }
  const type = [resolved.type ?? []].flat().find((one) => one !== 'null')
  if (type === 'boolean') return { ...shared, kind: 'switch' }
  if (type === 'integer' || type === 'number') return { ...shared, kind: 'number' }
  if (type === 'array') return { ...shared, ...listOf(root, resolved.items ?? {}) }
  if (type === 'object') {
    const whole = decided(root, resolved, node)
    return whole.properties === undefined
      ? { ...shared, kind: 'free' }
      : { ...shared, ...(whole === resolved ? {} : { within: whole.within }), kind: 'object', fields: fieldsOf(whole) }
  }
  const as = within === 'timeOfDay' ? 'time' : within === 'optionalMoment' ? 'moment' : 'words'
  return { ...shared, kind: 'text', as }
}

/**
 * A first value, without any decision: texts, numbers and choices are left out, so that the service reports them as missing until they
 * are typed or chosen. undefined: none.
 */
export function firstValue(root: Schema, schema: Schema): unknown {
  const shape = shapeOf(root, schema, undefined)
  if (shape.kind === 'choice') return shape.options.length === 1 ? shape.options[0] : undefined
  if (shape.kind === 'switch') return shape.preset ?? false
  if (shape.kind === 'text') return shape.as === 'time' ? '00:00' : undefined
  if (shape.kind === 'choices') return shape.options
  if (shape.kind === 'list') return [firstValue(root, shape.item)]
  if (shape.kind === 'free') return {}
  return shape.kind === 'object' ? withRequired(root, schema, {}) : undefined
}

/** An object with its required fields, as far as they have a first value; existing fields stay. */
export function withRequired(root: Schema, schema: Schema, value: Readonly<Record<string, unknown>>): object {
  let whole = { ...value }
  // Twice: a first field, such as the kind, may decide about the rest.
  for (let pass = 0; pass < 2; pass += 1) {
    const shape = shapeOf(root, schema, nodeOf(whole))
    const fields = shape.kind === 'object' ? shape.fields : []
    const missing = fields.filter(({ name, isRequired }) => isRequired && whole[name] === undefined)
    const added = missing.map((field) => [field.name, firstValue(root, field.schema)] as const)
    whole = { ...whole, ...Object.fromEntries(added.filter(([, one]) => one !== undefined)) }
  }
  return whole
}

export function namesOf(root: Schema, schema: Schema): ReadonlySet<string> {
  const { resolved } = resolve(root, schema, '')
  const others = (resolved.allOf ?? []).flatMap(({ then }) => (then?.$ref === undefined ? [] : [then]))
  return new Set([...Object.keys(resolved.properties ?? {}), ...others.flatMap((other) => [...namesOf(root, other)])])
}

export function isOwnName(root: Schema, { schema }: Field): boolean {
  return /^Names the [^.]*unique in the document/.test(resolve(root, schema, '').resolved.description ?? '')
}

interface Resolved {
  readonly resolved: Schema
  readonly within: string
}

/** A schema without references and without null; keywords next to a reference win. */
function resolve(root: Schema, schema: Schema, around: string): Resolved {
  const other = schema.anyOf?.find((one) => one.$ref !== undefined)
  const ref = schema.$ref ?? (schema.properties === undefined ? other?.$ref : undefined)
  if (ref === undefined) return { resolved: schema, within: around }
  const name = ref.replace('#/$defs/', '')
  const target = resolve(root, root.$defs?.[name] ?? {}, name)
  const { $ref, anyOf, ...own } = schema
  return { resolved: { ...target.resolved, ...own }, within: target.within }
}

/** An object's schema with the part decided by one of its own fields: `if` a field is a word `then` another definition. */
function decided(root: Schema, schema: Schema, node: Node | undefined): Schema & { readonly within: string } {
  for (const { if: condition, then } of schema.allOf ?? []) {
    const [name, test] = Object.entries(condition?.properties ?? {})[0] ?? []
    const value = node?.kind === 'object' ? node.members.find((member) => member.name === name)?.value : undefined
    if (then?.$ref === undefined || value?.kind !== 'text' || value.value !== test?.const) continue
    const { resolved, within } = resolve(root, then, '')
    return {
      ...resolved,
      within,
      properties: { ...resolved.properties, ...schema.properties },
      required: [...new Set([...(schema.required ?? []), ...(resolved.required ?? [])])],
    }
  }
  return schema as Schema & { readonly within: string }
}

function fieldsOf({ properties = {}, required = [] }: Schema): readonly Field[] {
  const fields = Object.entries(properties).map(([name, schema]) => ({
    name,
    schema,
    isRequired: required.includes(name),
  }))
  return [...fields.filter(({ isRequired }) => isRequired), ...fields.filter(({ isRequired }) => !isRequired)]
}

function variantsOf(oneOf: readonly Schema[]) {
  const words = oneOf.flatMap((one) => (one.const === undefined ? [] : [String(one.const)]))
  const fields = oneOf.flatMap((one) => fieldsOf(one)).map((field) => ({ ...field, isRequired: true }))
  return { kind: 'variants' as const, words, fields }
}

function listOf(root: Schema, item: Schema) {
  const shape = shapeOf(root, item, undefined)
  if (shape.kind === 'choice') return { kind: 'choices' as const, options: shape.options }
  return shape.kind === 'text' ? { kind: 'texts' as const } : { kind: 'list' as const, item }
}

function nodeOf(value: Readonly<Record<string, unknown>>): Node {
  const span = { start: 0, end: 0 }
  const members = Object.entries(value).map(([name, one]) => ({
    ...span,
    name,
    value: { ...span, kind: 'text' as const, value: String(one) },
  }))
  return { ...span, kind: 'object', members }
}

/** The schema at a path of an entry, as its own values decide it; null: it has none there. */
export function schemaAt(root: Schema, item: Schema, node: Node, path: Path): Schema | null {
  let schema = item
  for (const [at, step] of path.entries()) {
    const shape = shapeOf(root, schema, find(node, path.slice(0, at)))
    if (shape.kind === 'list') schema = shape.item
    else if (shape.kind === 'object') {
      const field = shape.fields.find(({ name }) => name === step)
      if (field === undefined) return null
      schema = field.schema
    } else return null
  }
  return schema
}

/** The field at a path of an entry; null: it has none there. */
export function fieldAt(root: Schema, item: Schema, node: Node, path: Path): Field | null {
  const parent = schemaAt(root, item, node, path.slice(0, -1))
  const shape = parent === null ? null : shapeOf(root, parent, find(node, path.slice(0, -1)))
  return shape?.kind === 'object' ? (shape.fields.find(({ name }) => name === path.at(-1)) ?? null) : null
}
