import { fitsText, type ObjectRule, type Rule } from './compile-schema.js'
import { scaledAt } from './decimal.js'
import { type JsonText, memberPath } from './json-text.js'

/** Faults listed at most: enough to mend a first request in one go, and a bound on the cost of a bad body. */
export const faultsMax = 20

/**
 * The faults of a text that is JSON, at most `faultsMax`, in the order in which the reader looks for its one: member names that repeat,
 * then values that do not fit the rule, in text order, a missing field at the end of its object. Inside a value of the wrong kind nothing
 * is looked for. Only a bad body is walked so: the reader stops checking at its first fault.
 */
export function faultsOf(json: JsonText, rule: Rule | null): readonly JsonFault[] {
  const faults = duplicatesIn(json, faultsMax).map((value) => faultOfDuplicate(json, value))
  if (rule === null) return faults
  const misfits: Misfit[] = []
  collectValue({ json, misfits, max: faultsMax - faults.length }, 0, rule)
  return [...faults, ...misfits.map((misfit) => faultOfMisfit(json, misfit))]
}

interface Collecting {
  readonly json: JsonText
  readonly misfits: Misfit[]
  readonly max: number
}

function collectValue(to: Collecting, value: number, rule: Rule): void {
  const kind = to.json.kind(value)
  if (kind === 'null' && rule.nullable) return
  if (kind !== rule.kind) keep(to, { kind: 'value', value, rule })
  else if (rule.kind === 'object') collectObject(to, value, rule)
  else if (rule.kind === 'array') collectArray(to, value, rule)
  else if (!fitsScalar(to.json, value, rule)) keep(to, { kind: 'value', value, rule })
}

function collectObject(to: Collecting, object: number, rule: ObjectRule): void {
  const { json } = to
  const present = new Set<number>()
  const end = json.next(object)
  for (let child = object + 1; child < end && !isFull(to); child = json.next(child)) {
    const place = rule.fieldByName[json.name(child)] ?? -1
    if (place < 0) continue
    present.add(place)
    collectValue(to, child, rule.fields[place]!.rule)
  }
  for (const [place, field] of rule.fields.entries()) {
    if (field.required && !present.has(place)) keep(to, { kind: 'missing', object, name: field.name, rule: field.rule })
  }
}

function collectArray(to: Collecting, array: number, rule: Rule & { readonly kind: 'array' }): void {
  const { json } = to
  const end = json.next(array)
  let items = 0
  for (let child = array + 1; child < end && !isFull(to); child = json.next(child)) {
    items++
    collectValue(to, child, rule.item)
  }
  if (items < rule.itemsMin) keep(to, { kind: 'value', value: array, rule })
}

function fitsScalar(json: JsonText, value: number, rule: Rule): boolean {
  if (rule.kind === 'string') return fitsText(json.string(value), rule)
  if (rule.kind !== 'number') return true
  const scaled = scaledAt(json.bytes, json.start(value), json.end(value), rule.decimals)
  return scaled !== null && scaled >= rule.scaledMin && scaled <= rule.scaledMax
}

function keep(to: Collecting, misfit: Misfit): void {
  if (!isFull(to)) to.misfits.push(misfit)
}

function isFull({ misfits, max }: Collecting): boolean {
  return misfits.length >= max
}

export interface JsonFault {
  readonly field: string
  readonly expected: string
  readonly received: string
}

export type Misfit =
  | { readonly kind: 'value'; readonly value: number; readonly rule: Rule }
  | { readonly kind: 'missing'; readonly object: number; readonly name: string; readonly rule: Rule }

export const wholeBody = 'body'

export const receivedNothing = 'nothing'

export function faultOfMisfit(json: JsonText, misfit: Misfit): JsonFault {
  const expected = misfit.rule.expected()
  if (misfit.kind === 'missing') {
    return { field: memberPath(json.path(misfit.object), misfit.name), expected, received: receivedNothing }
  }
  return { field: json.path(misfit.value) || wholeBody, expected, received: json.excerpt(misfit.value) }
}

export function faultOfDuplicate(json: JsonText, member: number): JsonFault {
  return { field: json.path(member), expected: 'each member name once', received: json.excerpt(member) }
}

export function duplicatesIn(json: JsonText, max: number): readonly number[] {
  const found: number[] = []
  const lastObject = new Int32Array(json.nameCount).fill(-1)
  for (let value = 0; value < json.size && found.length < max; value++) {
    if (json.firstByte(value) !== 0x7b) continue
    const end = json.next(value)
    for (let child = value + 1; child < end && found.length < max; child = json.next(child)) {
      const name = json.name(child)
      if (lastObject[name] === value) found.push(child)
      lastObject[name] = value
    }
  }
  return found
}
