import { sameDecimal } from '../wire/decimal.js'
import { createJsonNames } from '../wire/json-names.js'
import type { JsonText } from '../wire/json-text.js'
import { readJson } from '../wire/read-json.js'
import { type Faults, InexactNumber } from './place.js'

/** Up to this many characters without an exponent, a number is exact in a double. */
const exactCharactersMax = 15
const noNames = createJsonNames([])

/** As strict as a basket (wire decisions 3, check 9); undefined after a fault. Numbers that a double would round become `InexactNumber`. */
export function readDocument(text: string, faults: Faults): unknown {
  const bytes = Buffer.from(text)
  const read = readJson(bytes, noNames)
  if (read.kind === 'read') return valueAt(read.json, 0)
  const { field, expected, received } = read.fault
  const path = field === 'body' ? 'document' : field
  faults.add({ path, expected: expected + (read.brokenAt === null ? '' : placeOf(bytes, read.brokenAt)), received })
  return undefined
}

function placeOf(bytes: Buffer, at: number): string {
  const before = bytes
    .subarray(0, at)
    .toString('utf8')
    .split(/\r\n|\n|\r/)
  return ` (line ${before.length}, column ${Array.from(before.at(-1)!).length + 1})`
}

function valueAt(json: JsonText, at: number): unknown {
  switch (json.kind(at)) {
    case 'object':
      return objectAt(json, at)
    case 'array':
      return json.children(at).map((child) => valueAt(json, child))
    case 'string':
      return json.string(at)
    case 'number':
      return numberFromText(json.raw(at))
    case 'boolean':
      return json.firstByte(at) === 't'.charCodeAt(0)
    case 'null':
      return null
  }
}

/** No prototype, so that `__proto__` is an ordinary member. */
function objectAt(json: JsonText, at: number): unknown {
  const members: Record<string, unknown> = Object.create(null)
  for (const child of json.children(at)) members[json.nameText(child)] = valueAt(json, child)
  return members
}

function numberFromText(text: string): number | InexactNumber {
  const value = Number(text)
  if (text.length <= exactCharactersMax && !/[eE]/.test(text)) return value
  return Number.isFinite(value) && sameDecimal(text, String(value)) ? value : new InexactNumber(text)
}
