import {
  type DescField,
  type DescMessage,
  fromJson,
  type JsonObject,
  type JsonValue,
  type Message,
  ScalarType,
} from '@bufbuild/protobuf'
import { timestampDate } from '@bufbuild/protobuf/wkt'
import { InvalidArgumentError } from 'commander'
import { isWellKnown } from './answer.js'
import { WrongUse } from './screen.js'
import { momentFrom, momentHelp, readBytes, readText } from './words.js'

export interface Flag {
  readonly name: string
  readonly path: readonly DescField[]
  readonly field: DescField
  readonly isBoolean: boolean
}

export function flagsOf(message: DescMessage, path: readonly DescField[] = []): readonly Flag[] {
  return message.fields.flatMap((field) => {
    const here = [...path, field]
    const name = here.map((each) => each.name.replaceAll('_', '-')).join('.')
    const isBoolean = field.fieldKind === 'scalar' && field.scalar === ScalarType.BOOL
    const inner = field.fieldKind === 'message' && !isWellKnown(field.message) ? flagsOf(field.message, here) : []
    return [{ name, path: here, field, isBoolean }, ...inner]
  })
}

export function typeText(field: DescField): string {
  switch (field.fieldKind) {
    case 'list':
      return `${elementText(field)}; several, ${field.listKind === 'message' ? 'repeated' : 'comma-separated or repeated'}`
    case 'map':
      return 'JSON object'
    default:
      return `${elementText(field)}${field.oneof === undefined ? '' : `; at most one of ${field.oneof.fields.map(({ name }) => name).join(', ')}`}`
  }
}

function elementText({ message, enum: words, scalar }: DescField): string {
  if (message !== undefined) {
    if (message.typeName === 'google.protobuf.Timestamp') return momentHelp
    if (message.typeName === 'google.protobuf.FieldMask') return 'fields, comma-separated'
    return `${message.name} as JSON, or @FILE`
  }
  if (words !== undefined) return wordsOf(words).join(', ')
  if (scalar === ScalarType.BOOL) return 'true or false'
  return isText(scalar) ? 'text, or @FILE' : 'number'
}

function isText(scalar: ScalarType | undefined): boolean {
  return scalar === ScalarType.STRING || scalar === ScalarType.BYTES
}

function wordsOf({ values }: { readonly values: readonly { readonly localName: string; readonly number: number }[] }) {
  return values.filter(({ number }) => number !== 0).map(({ localName }) => localName.toLowerCase())
}

export function setField(request: JsonObject, { path, field }: Flag, word: string): void {
  let holder = request
  for (const { jsonName } of path.slice(0, -1)) {
    holder[jsonName] ??= {}
    holder = holder[jsonName] as JsonObject
  }
  if (field.fieldKind !== 'list') holder[field.jsonName] = valueFrom(field, word)
  else {
    const words = field.listKind === 'message' ? [word] : word.split(',')
    const added = words.flatMap((each) => valueFrom(field, each))
    holder[field.jsonName] = [...((holder[field.jsonName] as JsonValue[] | undefined) ?? []), ...added]
  }
}

function valueFrom(field: DescField, word: string): JsonValue {
  const { message, enum: words, scalar } = field
  if (message?.typeName === 'google.protobuf.Timestamp') return timestampDate(momentFrom(word)).toISOString()
  if (message?.typeName === 'google.protobuf.FieldMask')
    return word.replace(/_([a-z])/g, (_, letter) => letter.toUpperCase())
  if (message !== undefined || field.fieldKind === 'map') return parsed(word)
  if (words !== undefined) {
    const found = words.values.find(({ localName, name }) => word === localName.toLowerCase() || word === name)
    if (found === undefined) throw new InvalidArgumentError(`expected one of ${wordsOf(words).join(', ')}`)
    return found.name
  }
  if (scalar === ScalarType.BOOL) {
    if (word !== 'true' && word !== 'false') throw new InvalidArgumentError('expected true or false')
    return word === 'true'
  }
  if (scalar === ScalarType.BYTES)
    return (word.startsWith('@') ? readBytes(word.slice(1)) : Buffer.from(word)).toString('base64')
  if (scalar === ScalarType.STRING) return word.startsWith('@') ? readText(word.slice(1)) : word
  if (scalar === ScalarType.DOUBLE || scalar === ScalarType.FLOAT) {
    if (word.trim() === '' || !Number.isFinite(Number(word))) throw new InvalidArgumentError('expected a number')
    return Number(word)
  }
  if (!/^-?\d+$/.test(word)) throw new InvalidArgumentError('expected a whole number')
  return word
}

function parsed(word: string): JsonValue {
  try {
    return JSON.parse(word.startsWith('@') ? readText(word.slice(1)) : word)
  } catch (error) {
    if (error instanceof WrongUse) throw error
    throw new InvalidArgumentError(`expected JSON (${(error as Error).message})`)
  }
}

export function jsonFrom(word: string): JsonObject {
  const value = parsed(word)
  if (value === null || typeof value !== 'object' || Array.isArray(value))
    throw new InvalidArgumentError('expected a JSON object')
  return value
}

export function requestFrom(message: DescMessage, body: JsonObject): Message {
  try {
    return fromJson(message, body)
  } catch (error) {
    throw new WrongUse((error as Error).message)
  }
}
