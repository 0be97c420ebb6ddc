import type { Rule } from './compile-schema.js'
import { type JsonText, memberPath } from './json-text.js'

/** Where a text stopped being valid, what was expected there, and what was received. */
export interface JsonFault {
  readonly field: string
  readonly expected: string
  readonly received: string
}

/** A value that does not fit its rule, or an object without a required field. */
export type Misfit =
  | { readonly kind: 'value'; readonly value: number; readonly rule: Rule }
  | { readonly kind: 'missing'; readonly object: number; readonly name: string; readonly rule: Rule }

/** `field` of a fault in the text as a whole. */
export const wholeBody = 'body'

/** `received` for a missing required field. */
export const receivedNothing = 'nothing'

export function faultOfMisfit(json: JsonText, misfit: Misfit): JsonFault {
  const { expected } = misfit.rule
  if (misfit.kind === 'missing') {
    return { field: memberPath(json.path(misfit.object), misfit.name), expected, received: receivedNothing }
  }
  return { field: json.path(misfit.value) || wholeBody, expected, received: json.excerpt(misfit.value) }
}

/** Of a member whose name occurs earlier in its object. */
export function faultOfDuplicate(json: JsonText, member: number): JsonFault {
  return { field: json.path(member), expected: 'each member name once', received: json.excerpt(member) }
}

/** The first members, at most `max`, whose name occurs earlier in their object: those of an outer object before those of the inner ones. */
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
