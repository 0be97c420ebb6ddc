import { inflateRawSync } from 'node:zlib'
import { type ChangedText, changeText } from './text-writer.js'

/** Request and answer, byte for byte. */
export interface Unpacked {
  readonly request: Uint8Array
  readonly answer: Uint8Array
}

/** Ends the answer's part; JSON.stringify writes no line feed. */
const divider = 0x0a

/** The answer's part of a pack. Each edit: bytes skipped since the last edit, bytes replaced, new text. */
type PackedAnswer = readonly [before: string, after: string, edits: readonly (number | string)[] | null]

/** Reads a pack of version 1, which builds before 2026-11-23 wrote: deflated, its edits as JSON. */
export function unpackEarlier(bytes: Uint8Array, maxOutputLength: number): Unpacked {
  const text = inflateRawSync(bytes, { maxOutputLength })
  const end = text.indexOf(divider)
  const [before, after, edits] = JSON.parse(text.toString('latin1', 0, end)) as PackedAnswer
  const request = text.subarray(end + 1)
  const basket = edits === null ? '' : changeText(request.toString('latin1'), changesFrom(edits))
  return { request, answer: Buffer.from(before + basket + after, 'latin1') }
}

function changesFrom(edits: readonly (number | string)[]): Omit<ChangedText, 'text'> {
  const changes = edits.map((edit) => (typeof edit === 'string' ? edit.length : edit))
  return { changes, added: edits.filter((edit) => typeof edit === 'string').join('') }
}
