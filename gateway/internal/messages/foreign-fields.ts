import type { JsonObject, JsonValue } from '@bufbuild/protobuf'
import { invalidFields } from '../errors.js'

/**
 * A JSON object of the contract's fields that are set, and the POS's own. Ends the call where one of those has a name of the contract's,
 * or holds a number that JSON cannot express.
 *
 * @param path    of the object in the request
 * @param listed  every field that the contract lists for this object; undefined: not sent
 */
export function withForeign(
  path: string,
  foreign: JsonObject | undefined,
  listed: Readonly<Record<string, JsonValue | undefined>>,
): JsonObject {
  const sent = Object.entries(listed).filter((field): field is [string, JsonValue] => field[1] !== undefined)
  if (foreign === undefined) return Object.fromEntries(sent)
  for (const name of Object.keys(foreign)) {
    if (Object.hasOwn(listed, name)) refuseForeign(path, `a name of the contract: ${name}`)
  }
  if (!hasFiniteNumbers(foreign)) refuseForeign(path, 'a number that is not finite')
  // Object.fromEntries, because a field of the POS may be named __proto__.
  return Object.fromEntries([...sent, ...Object.entries(foreign)])
}

function refuseForeign(path: string, found: string): never {
  throw invalidFields([
    { field: `${path}.foreign_fields`, description: `expected fields of the POS; received ${found}` },
  ])
}

function hasFiniteNumbers(value: JsonValue): boolean {
  if (typeof value === 'number') return Number.isFinite(value)
  return typeof value !== 'object' || value === null || Object.values(value).every(hasFiniteNumbers)
}
