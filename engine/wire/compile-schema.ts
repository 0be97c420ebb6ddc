import { currencyPattern, identifierPattern, uuidPattern } from './field-schemas.js'
import { createJsonNames, type JsonNames } from './json-names.js'
import type { JsonSchema } from './json-schema.js'
import { momentFromText } from './moment.js'

/**
 * A request schema compiled for `readJson`. Validator libraries do not fit: they see numbers as rounded doubles, and
 * TypeBox counts graphemes instead of code points. A test compares the rules with TypeBox where both must agree.
 */
export type Rule = { readonly nullable: boolean; expected(): string } & RuleKind
export type ObjectRule = Rule & { readonly kind: 'object' }
export type ArrayRule = Rule & { readonly kind: 'array' }

type RuleKind =
  | {
      readonly kind: 'object'
      readonly fields: readonly Field[]
      readonly fieldByName: Int16Array
      readonly requiredBits: number
    }
  | { readonly kind: 'array'; readonly itemsMin: number; readonly item: Rule }
  | StringRule
  | NumberRule
  | { readonly kind: 'boolean' }

export interface StringRule {
  readonly kind: 'string'
  readonly lengthMin: number
  readonly lengthMax: number
  readonly pattern: RegExp | null
  /** True: every printable ASCII text of the right length fits, so that `pattern` can be skipped. */
  readonly isAnyPlain: boolean
  readonly isMoment: boolean
  readonly words: readonly string[] | null
}

export interface NumberRule {
  readonly kind: 'number'
  readonly decimals: number
  readonly scaledMin: number
  readonly scaledMax: number
}

export interface Field {
  readonly name: string
  readonly number: number
  readonly required: boolean
  readonly rule: Rule
}

const keywords = new Set<string>([
  'type',
  'enum',
  'anyOf',
  'properties',
  'required',
  'items',
  'minItems',
  'minLength',
  'maxLength',
  'pattern',
  'format',
  'minimum',
  'exclusiveMinimum',
  'maximum',
  'multipleOf',
  'description',
])

const patternWords: Readonly<Record<string, string>> = {
  [uuidPattern]: 'a UUID in lower case, hyphenated, 36 characters',
  [currencyPattern]: 'three capital letters, an ISO 4217 code',
}

export function namesOfSchemas(schemas: readonly JsonSchema[]): JsonNames {
  const texts = new Set<string>()
  const collect = (schema: JsonSchema): void => {
    for (const [name, field] of Object.entries(schema.properties ?? {})) {
      texts.add(name)
      collect(field)
    }
    for (const branch of schema.anyOf ?? []) collect(branch)
    if (schema.items !== undefined) collect(schema.items)
  }
  for (const schema of schemas) collect(schema)
  return createJsonNames([...texts])
}

export function compileSchema(schema: JsonSchema, names: JsonNames): Rule {
  return ruleOf(schema, names)
}

function ruleOf(schema: JsonSchema, names: JsonNames): Rule {
  const unknown = Object.keys(schema).filter((keyword) => !keywords.has(keyword))
  if (unknown.length > 0) throw new Error(`unsupported schema keyword: ${unknown.join(', ')}`)
  if (schema.anyOf !== undefined) return nullableRule(schema.anyOf, names)
  const kind = ruleKindOf(schema, names)
  return { nullable: false, expected: () => expectedWords(kind, schema), ...kind }
}

function nullableRule(branches: readonly JsonSchema[], names: JsonNames): Rule {
  const [schema, ...others] = branches.filter((branch) => branch.type !== 'null')
  if (schema === undefined || others.length > 0) throw new Error('schema not understood: a choice of more than null')
  const rule = ruleOf(schema, names)
  return { ...rule, nullable: true, expected: () => `${rule.expected()}, or null` }
}

function ruleKindOf(schema: JsonSchema, names: JsonNames): RuleKind {
  if (schema.enum !== undefined) return stringRule(schema)
  switch (schema.type) {
    case 'object':
      return objectRule(schema, names)
    case 'array':
      return { kind: 'array', itemsMin: schema.minItems ?? 0, item: ruleOf(schema.items!, names) }
    case 'string':
      return stringRule(schema)
    case 'integer':
    case 'number':
      return numberRule(schema)
    case 'boolean':
      return { kind: 'boolean' }
    default:
      throw new Error(`schema type not understood: ${schema.type}`)
  }
}

const fieldsMax = 31

function objectRule(schema: JsonSchema, names: JsonNames): RuleKind {
  if (Object.keys(schema.properties ?? {}).length > fieldsMax) throw new Error(`more than ${fieldsMax} fields`)
  const fieldByName = new Int16Array(names.texts.length).fill(-1)
  const fields = Object.entries(schema.properties ?? {}).map(([name, field], index): Field => {
    const number = names.findText(name)
    fieldByName[number] = index
    return { name, number, required: schema.required?.includes(name) ?? false, rule: ruleOf(field, names) }
  })
  const requiredBits = fields.reduce((bits, { required }, place) => (required ? bits | (1 << place) : bits), 0)
  return { kind: 'object', fields, fieldByName, requiredBits }
}

function stringRule(schema: JsonSchema): StringRule {
  return {
    kind: 'string',
    lengthMin: schema.minLength ?? 0,
    lengthMax: schema.maxLength ?? Number.POSITIVE_INFINITY,
    pattern: schema.pattern === undefined ? null : new RegExp(schema.pattern, 'u'),
    isAnyPlain:
      schema.enum === undefined &&
      schema.format === undefined &&
      (schema.pattern === undefined || schema.pattern === identifierPattern),
    isMoment: schema.format === 'date-time',
    words: schema.enum ?? null,
  }
}

function numberRule(schema: JsonSchema): NumberRule {
  const decimals = schema.type === 'integer' ? 0 : decimalsOf(schema.multipleOf!)
  const scale = 10 ** decimals
  const scaledMin = schema.minimum === undefined ? schema.exclusiveMinimum! * scale + 1 : schema.minimum * scale
  return { kind: 'number', decimals, scaledMin, scaledMax: schema.maximum! * scale }
}

function decimalsOf(multipleOf: number): number {
  return Math.round(-Math.log10(multipleOf))
}

function expectedWords(kind: RuleKind, schema: JsonSchema): string {
  switch (kind.kind) {
    case 'object':
      return 'an object'
    case 'array':
      return kind.itemsMin === 0 ? 'an array' : `an array of at least ${kind.itemsMin}`
    case 'boolean':
      return 'true or false'
    case 'number':
      return numberWords(kind, schema)
    case 'string':
      return stringWords(kind, schema)
  }
}

function numberWords(rule: NumberRule, schema: JsonSchema): string {
  if (rule.decimals === 0) return `an integer from ${rule.scaledMin} to ${rule.scaledMax}`
  return `a number greater than ${schema.exclusiveMinimum}, at most ${schema.maximum}, with at most ${rule.decimals} decimals`
}

function stringWords(rule: StringRule, schema: JsonSchema): string {
  if (rule.words !== null) return `one of ${rule.words.join(', ')}`
  if (rule.isMoment) return 'an RFC 3339 date-time with an offset'
  if (schema.pattern !== undefined && patternWords[schema.pattern] !== undefined) return patternWords[schema.pattern]!
  const length = rule.lengthMin === 0 ? `at most ${rule.lengthMax}` : `${rule.lengthMin} to ${rule.lengthMax}`
  return `a string of ${length} characters${rule.pattern === null ? '' : ' without control characters'}`
}

export function fitsText(text: string, rule: StringRule): boolean {
  if (rule.words !== null) return rule.words.includes(text)
  if (rule.isMoment) return momentFromText(text) !== null
  return fitsLength(text, rule) && (rule.pattern === null || rule.pattern.test(text))
}

function fitsLength(text: string, rule: StringRule): boolean {
  if (text.length > rule.lengthMax * 2) return false
  let length = 0
  for (const _ of text) length++
  return length >= rule.lengthMin && length <= rule.lengthMax
}
