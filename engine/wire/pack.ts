import { brotliCompressSync, brotliDecompressSync, constants, deflateRawSync, inflateRawSync } from 'node:zlib'
import type { BenefitReport } from '../core/base/outcome.js'
import type { JsonText } from './json-text.js'
import { numberBytesMax, PackedNumbers, putNumber } from './packed-numbers.js'
import { type ChangedText, changeText } from './text-writer.js'
import { type Unpacked, unpackEarlier } from './unpack-earlier.js'
import { reportsFromText, textOfReports } from './write-explanation.js'

/** First byte of a packed answer; a new format takes another value. */
const answerVersion = 2
const earlierVersion = 1
/**
 * Quality 1 takes 60 % of the time of deflate at level 1, and for 200 lines 10 % fewer bytes; quality 0 is faster still,
 * but takes 15 % more (`npm run bench -- engine/write` prints the sizes). A larger window than 256 KB costs time.
 */
const answerOptions = { params: { [constants.BROTLI_PARAM_QUALITY]: 1, [constants.BROTLI_PARAM_LGWIN]: 18 } }
/** Reports are a few kilobytes: smaller tables to clear, and less room than the usual 16 KB for what comes out. */
const reportOptions = { level: 1, memLevel: 7, chunkSize: 4096 } as const
/** In bytes, more than the largest usual body with its changes. */
const scratchBytesMax = 1024 * 1024
/** Limit against a damaged pack that inflates without end; far above the largest request with its answer. */
const unpackedBytesMax = 64 * 1024 * 1024
const unpackOptions = { maxOutputLength: unpackedBytesMax } as const

export function answerBytes(answer: ChangedText): Uint8Array {
  return Buffer.from(answer.text, 'latin1')
}

/** Packs request and answer for storage: the answer as changes to the request. */
export function packAnswer(json: JsonText, { changes, added }: ChangedText): Uint8Array {
  const room = roomFor((changes.length + 1) * numberBytesMax + added.length + json.bytes.length)
  let at = putNumber(room, 0, changes.length)
  for (const number of changes) at = putNumber(room, at, number)
  at += room.write(added, at, 'latin1')
  room.set(json.bytes, at)
  const compressed = brotliCompressSync(room.subarray(0, at + json.bytes.length), answerOptions)
  const bytes = new Uint8Array(compressed.length + 1)
  bytes[0] = answerVersion
  bytes.set(compressed, 1)
  return bytes
}

/** The bytes that were packed, by this version or an earlier one. Throws on a pack of an unknown version. */
export function unpackAnswer(bytes: Uint8Array): Unpacked {
  const content = bytes.subarray(1)
  switch (bytes[0]) {
    case answerVersion:
      return unpacked(brotliDecompressSync(content, unpackOptions))
    case earlierVersion:
      return unpackEarlier(content, unpackedBytesMax)
    default:
      throw new Error(`unknown pack version: ${bytes[0]}`)
  }
}

/** Packs a calculation's reports, which are stored beside the answer. */
export function packReports(reports: readonly BenefitReport[]): Uint8Array {
  const text = textOfReports(reports)
  const room = roomFor(text.length)
  room.write(text, 'latin1')
  return deflateRawSync(room, reportOptions)
}

/** The reports that were packed, by this version or an earlier one. */
export function unpackReports(bytes: Uint8Array): readonly BenefitReport[] {
  return reportsFromText(inflateRawSync(bytes, unpackOptions).toString('utf8'))
}

function unpacked(content: Buffer): Unpacked {
  const numbers = new PackedNumbers(content)
  const changes = Array.from({ length: numbers.next() }, () => numbers.next())
  let at = numbers.at
  for (let index = 2; index < changes.length; index += 3) at += changes[index]!
  const request = content.subarray(at)
  const added = content.toString('latin1', numbers.at, at)
  return { request, answer: Buffer.from(changeText(request.toString('latin1'), { changes, added }), 'latin1') }
}

/**
 * Reused buffer for what is compressed, which is needed only for the call. Larger texts, which are rare, get their own.
 */
let scratch = Buffer.allocUnsafeSlow(0)

function roomFor(bytes: number): Buffer {
  if (bytes > scratchBytesMax) return Buffer.allocUnsafeSlow(bytes)
  if (bytes > scratch.length) scratch = Buffer.allocUnsafeSlow(Math.min(scratchBytesMax, bytes * 2))
  return scratch.subarray(0, bytes)
}
