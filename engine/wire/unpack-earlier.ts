import { inflateRawSync } from 'node:zlib'

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
  const basket = edits === null ? '' : edited(request.toString('latin1'), edits)
  return { request, answer: Buffer.from(before + basket + after, 'latin1') }
}

function edited(request: string, edits: readonly (number | string)[]): string {
  let text = ''
  let at = 0
  for (let index = 0; index < edits.length; index += 3) {
    const start = at + (edits[index] as number)
    text += request.slice(at, start) + (edits[index + 2] as string)
    at = start + (edits[index + 1] as number)
  }
  return text + request.slice(at)
}
