import type { ObjectRule, Rule } from './compile-schema.js'
import { scaledAt } from './decimal.js'
import { fitsText } from './fits-text.js'
import { duplicatesIn, faultOfDuplicate, faultOfMisfit, type JsonFault, type Misfit } from './json-fault.js'
import type { JsonText } from './json-text.js'

/** Faults listed at most: enough to mend a first request in one go, and a bound on what a bad body costs. */
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

/** The reader's `levelsMax` bounds the recursion. */
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

/** Whether a string, number or flag of the right kind fits. */
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
