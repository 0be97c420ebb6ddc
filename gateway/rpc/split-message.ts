import type { DescMessage } from '@bufbuild/protobuf'
import { lengthDelimited, WireCursor } from '../admission/wire-cursor.js'

/** A message without one of its fields, a string, and what that field held. */
export interface Split {
  /** The field is there still, and empty. */
  readonly rest: Uint8Array
  /** null: it was not there. */
  readonly taken: Uint8Array | null
}

/** Takes a string out of protobuf without decoding anything; of several the last one counts, as in decoding. What is malformed stays. */
export function splitMessage(bytes: Uint8Array, schema: DescMessage, name: string): Split {
  const number = schema.fields.find((field) => field.name === name)!.number
  const parts: Uint8Array[] = []
  let taken: Uint8Array | null = null
  let from = 0
  for (const { field, start, contentAt, end } of topFields(bytes)) {
    if (field !== number || contentAt === null) continue
    parts.push(bytes.subarray(from, start), Uint8Array.of((number << 3) | lengthDelimited, 0))
    taken = bytes.subarray(contentAt, end)
    from = end
  }
  parts.push(bytes.subarray(from))
  return { rest: taken === null ? bytes : Buffer.concat(parts), taken }
}

/** Fields of the outermost message that are looked through for a document: a message with more is another one. */
const topFieldsMax = 1_000

function* topFields(bytes: Uint8Array) {
  const wire = new WireCursor(bytes)
  for (let count = 0; wire.at < bytes.length && count < topFieldsMax; count += 1) {
    const start = wire.at
    const tag = wire.varint()
    const wireType = tag % 8
    // None of ours has another one.
    if (tag < 0 || (wireType !== 0 && wireType !== lengthDelimited)) return
    const value = wire.varint()
    if (value < 0) return
    const contentAt = wireType === lengthDelimited ? wire.at : null
    if (contentAt !== null) wire.at += value
    if (wire.at > bytes.length) return
    yield { field: Math.floor(tag / 8), start, contentAt, end: wire.at }
  }
}
