import type { Rule, StringRule } from './compile-schema.js'
import { type JsonText, memberPath } from './json-text.js'
import { momentFromText } from './moment.js'
import type { JsonFault } from './read-json.js'

/** A value that does not fit its rule, or an object without a required field. */
type Misfit =
  | { readonly kind: 'value'; readonly value: number; readonly rule: Rule }
  | { readonly kind: 'missing'; readonly object: number; readonly name: string; readonly rule: Rule }

/** `details.received` for a missing required field. */
export const receivedNothing = 'nothing'

/**
 * Checks a JSON text against a rule (wire decisions 3, check 9). Returns the first fault in text order; a missing field
 * counts as at the end of its object. null: the text fits.
 */
export function checkSchema(json: JsonText, rule: Rule): JsonFault | null {
  const misfit = findMisfit(json, 0, rule)
  if (misfit === null) return null
  if (misfit.kind === 'missing') {
    const field = memberPath(json.path(misfit.object), misfit.name)
    return { field, expected: misfit.rule.expected, received: receivedNothing }
  }
  const field = json.path(misfit.value) || 'body'
  return { field, expected: misfit.rule.expected, received: json.excerpt(misfit.value) }
}

function findMisfit(json: JsonText, value: number, rule: Rule): Misfit | null {
  const byte = json.firstByte(value)
  if (byte === 0x6e && rule.nullable) return null
  switch (rule.kind) {
    case 'object':
      return byte === 0x7b ? findInObject(json, value, rule) : { kind: 'value', value, rule }
    case 'array':
      return byte === 0x5b ? findInArray(json, value, rule) : { kind: 'value', value, rule }
    case 'string':
      return byte === 0x22 && fitsString(json, value, rule) ? null : { kind: 'value', value, rule }
    case 'boolean':
      return byte === 0x74 || byte === 0x66 ? null : { kind: 'value', value, rule }
    case 'number': {
      const scaled = isNumberStart(byte) ? json.scaled(value, rule.decimals) : null
      const fits = scaled !== null && scaled >= rule.scaledMin && scaled <= rule.scaledMax
      return fits ? null : { kind: 'value', value, rule }
    }
  }
}

function findInObject(json: JsonText, object: number, rule: Rule & { readonly kind: 'object' }): Misfit | null {
  const end = json.next(object)
  let present = 0
  for (let child = object + 1; child < end; child = json.next(child)) {
    const index = rule.fieldByName[json.name(child)] ?? -1
    if (index < 0) continue
    present |= 1 << index
    const misfit = findMisfit(json, child, rule.fields[index]!.rule)
    if (misfit !== null) return misfit
  }
  for (let index = 0; index < rule.fields.length; index++) {
    const field = rule.fields[index]!
    if (field.required && (present & (1 << index)) === 0) {
      return { kind: 'missing', object, name: field.name, rule: field.rule }
    }
  }
  return null
}

function findInArray(json: JsonText, array: number, rule: Rule & { readonly kind: 'array' }): Misfit | null {
  const end = json.next(array)
  let items = 0
  for (let item = array + 1; item < end; item = json.next(item)) {
    items++
    const misfit = findMisfit(json, item, rule.item)
    if (misfit !== null) return misfit
  }
  return items < rule.itemsMin ? { kind: 'value', value: array, rule } : null
}

function fitsString(json: JsonText, value: number, rule: StringRule): boolean {
  if (rule.isAnyPlain && json.isPlain(value)) {
    const length = json.end(value) - json.start(value) - 2
    return length >= rule.lengthMin && length <= rule.lengthMax
  }
  const text = json.string(value)
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

function isNumberStart(byte: number): boolean {
  return byte === 0x2d || (byte >= 0x30 && byte <= 0x39)
}
