import { isUtf8 } from 'node:buffer'
import type { Rule } from './compile-schema.js'
import { duplicatesIn, faultOfDuplicate, faultOfMisfit, faultsOf, type JsonFault, wholeBody } from './json-faults.js'
import type { JsonNames } from './json-names.js'
import { JsonReader } from './json-reader.js'
import type { JsonText } from './json-text.js'

export type JsonRead =
  | { readonly kind: 'read'; readonly json: JsonText }
  | {
      readonly kind: 'fault'
      readonly fault: JsonFault
      readonly faults: readonly JsonFault[]
      readonly brokenAt: number | null
    }

/**
 * Parses a JSON text strictly (RFC 8259; wire decisions 3, check 9): UTF-8 without a byte order mark, no duplicate
 * member names (compared decoded), at most 32 levels. Checks it by a rule in the same pass, if one is given. Reports a
 * text that is not JSON before a name that repeats, and that before a value that does not fit. Hand-written because no
 * library keeps the digits of numbers and the position of every value (`npm run bench -- engine/wire` compares it with
 * `JSON.parse`).
 *
 * @param bytes  referenced, not copied: must not change afterwards
 */
export function readJson(bytes: Uint8Array, names: JsonNames, rule: Rule | null = null): JsonRead {
  if (!isUtf8(bytes)) return bodyFault('UTF-8', 'bytes that are not UTF-8')
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) {
    return bodyFault('JSON without a byte order mark', 'a byte order mark')
  }
  const reader = new JsonReader(bytes, names)
  const json = reader.read(rule)
  if (json === null) {
    const fault = reader.fault()
    return { kind: 'fault', fault, faults: [fault], brokenAt: reader.brokenAt }
  }
  const fault = firstFault(json, reader)
  if (fault !== null) return { kind: 'fault', fault, faults: faultsOf(json, rule), brokenAt: null }
  return { kind: 'read', json }
}

function firstFault(json: JsonText, { hasDuplicate, misfit }: JsonReader): JsonFault | null {
  if (hasDuplicate) return faultOfDuplicate(json, duplicatesIn(json, 1)[0]!)
  return misfit === null ? null : faultOfMisfit(json, misfit)
}

function bodyFault(expected: string, received: string): JsonRead {
  const fault = { field: wholeBody, expected, received }
  return { kind: 'fault', fault, faults: [fault], brokenAt: null }
}
