import { deflateRawSync, inflateRawSync } from 'node:zlib'
import type { BenefitReport } from '../core/base/outcome.js'
import type { JsonText } from './json-text.js'
import { applyEdits, type TextEdit } from './text-edits.js'
import type { AnswerText } from './write-answer.js'
import { textOfReports } from './write-explanation.js'

/** First byte of every pack; a new format takes another value. */
const packVersion = 1
/** The fastest settings; higher ones gain little on JSON (`npm run bench -- engine/write` prints the sizes). */
const deflateOptions = { level: 1, memLevel: 8 } as const
/** For reports of a few kilobytes: zlib allocates a whole chunk for its output, 16 KB by default. */
const reportOptions = { ...deflateOptions, chunkSize: 4096 } as const
/** In bytes, more than the largest usual body with its edits. */
const scratchBytesMax = 1024 * 1024
/** Limit against a damaged pack that inflates without end; far above the largest request with its answer. */
const unpackedBytesMax = 64 * 1024 * 1024
/** Ends the answer's part; JSON.stringify writes no line feed. */
const divider = 0x0a

/** The answer's part of a pack. Each edit: bytes skipped since the last edit, bytes replaced, new text. */
type PackedAnswer = readonly [before: string, after: string, edits: readonly (number | string)[] | null]

export function answerBytes(json: JsonText, answer: AnswerText): Uint8Array {
  return Buffer.from(answerText(json.text, answer), 'latin1')
}

/** Packs request and answer for storage: the request once, and the answer as its edits. */
export function packAnswer(json: JsonText, answer: AnswerText): Uint8Array {
  const packed: PackedAnswer = [answer.before, answer.after, answer.edits && numbersFromEdits(answer.edits)]
  const head = JSON.stringify(packed)
  const text = roomFor(head.length + 1 + json.bytes.length)
  text.write(head, 'latin1')
  text[head.length] = divider
  text.set(json.bytes, head.length + 1)
  const deflated = deflateRawSync(text, deflateOptions)
  const bytes = new Uint8Array(deflated.length + 1)
  bytes[0] = packVersion
  bytes.set(deflated, 1)
  return bytes
}

/** The bytes that were packed. Throws on a pack of an unknown version. */
export function unpackAnswer(bytes: Uint8Array): { readonly request: Uint8Array; readonly answer: Uint8Array } {
  if (bytes[0] !== packVersion) throw new Error(`unknown pack version: ${bytes[0]}`)
  const text = inflateRawSync(bytes.subarray(1), { maxOutputLength: unpackedBytesMax })
  const end = text.indexOf(divider)
  const [before, after, edits] = JSON.parse(text.toString('latin1', 0, end)) as PackedAnswer
  const request = text.subarray(end + 1)
  const answer = { before, after, edits: edits && editsFromNumbers(edits) }
  return { request, answer: Buffer.from(answerText(request.toString('latin1'), answer), 'latin1') }
}

/** Deflated JSON of a calculation's reports, stored beside the answer. */
export function packReports(reports: readonly BenefitReport[]): Uint8Array {
  const text = textOfReports(reports)
  const room = roomFor(text.length)
  room.write(text, 'latin1')
  return deflateRawSync(room, reportOptions)
}

export function unpackReports(bytes: Uint8Array): readonly BenefitReport[] {
  const json = inflateRawSync(bytes, { maxOutputLength: unpackedBytesMax }).toString('utf8')
  return JSON.parse(json) as readonly BenefitReport[]
}

/**
 * Reused buffer for the input of deflate, which needs it only for the call. Larger texts, which are rare, get their
 * own.
 */
let scratch = Buffer.allocUnsafeSlow(0)

function roomFor(bytes: number): Buffer {
  if (bytes > scratchBytesMax) return Buffer.allocUnsafeSlow(bytes)
  if (bytes > scratch.length) scratch = Buffer.allocUnsafeSlow(Math.min(scratchBytesMax, bytes * 2))
  return scratch.subarray(0, bytes)
}

function answerText(request: string, { before, edits, after }: AnswerText): string {
  return edits === null ? before + after : before + applyEdits(request, edits, 0, request.length) + after
}

function numbersFromEdits(edits: readonly TextEdit[]): readonly (number | string)[] {
  const numbers: (number | string)[] = []
  let at = 0
  for (const { start, end, text } of edits) {
    numbers.push(start - at, end - start, text)
    at = end
  }
  return numbers
}

function editsFromNumbers(numbers: readonly (number | string)[]): readonly TextEdit[] {
  const edits: TextEdit[] = []
  let at = 0
  for (let index = 0; index < numbers.length; index += 3) {
    const start = at + (numbers[index] as number)
    at = start + (numbers[index + 1] as number)
    edits.push({ start, end: at, text: numbers[index + 2] as string })
  }
  return edits
}
