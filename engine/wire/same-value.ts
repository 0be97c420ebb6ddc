import { sameDecimal } from './decimal.js'
import type { JsonText } from './json-text.js'
import { readJson } from './read-json.js'
import { requestNames } from './request-rules.js'

/**
 * True: two bodies hold the same JSON value (wire decisions 4): member order, white space, escapes and number
 * notation do not matter; numbers are compared exactly. A body that is not JSON equals only the same bytes.
 */
export function sameValue(left: Uint8Array, right: Uint8Array): boolean {
  if (Buffer.compare(left, right) === 0) return true
  const a = readJson(left, requestNames)
  const b = readJson(right, requestNames)
  return a.kind === 'read' && b.kind === 'read' && sameAt(a.json, 0, b.json, 0)
}

/** The reader's `levelsMax` bounds the recursion. */
function sameAt(left: JsonText, a: number, right: JsonText, b: number): boolean {
  const kind = left.kind(a)
  if (kind !== right.kind(b)) return false
  switch (kind) {
    case 'object':
      return sameObject(left, a, right, b)
    case 'array':
      return sameArray(left, a, right, b)
    case 'string':
      return left.string(a) === right.string(b)
    case 'number':
      return sameDecimal(left.raw(a), right.raw(b))
    default:
      return left.firstByte(a) === right.firstByte(b)
  }
}

function sameArray(left: JsonText, a: number, right: JsonText, b: number): boolean {
  const items = left.children(a)
  const others = right.children(b)
  return items.length === others.length && items.every((item, index) => sameAt(left, item, right, others[index]!))
}

function sameObject(left: JsonText, a: number, right: JsonText, b: number): boolean {
  const members = left.children(a)
  const others = right.children(b)
  if (members.length !== others.length) return false
  const byName = new Map(others.map((other) => [right.nameText(other), other]))
  return members.every((member) => {
    const other = byName.get(left.nameText(member))
    return other !== undefined && sameAt(left, member, right, other)
  })
}
