import { brotliCompressSync, brotliDecompressSync, constants, deflateRawSync, inflateRawSync } from 'node:zlib'
import type { BenefitReport } from '../core/base/outcome.js'
import type { JsonText } from './json-text.js'
import { packDictionary } from './pack-dictionary.js'
import { numberBytesMax, PackedNumbers, putNumber } from './packed-numbers.js'
import { type ChangedText, changeText } from './text-writer.js'
import { reportsFromText, textOfReports } from './write-explanation.js'
import { compressZstd, decompressZstd, hasZstd, isZstd } from './zstd.js'

/** Request and answer, byte for byte. */
export interface Unpacked {
  readonly request: Uint8Array
  readonly answer: Uint8Array
}

/** First byte of a packed answer, which says how the rest is compressed; a new format takes another value. */
const versions = { brotli: 2, zstd: 3 } as const
/** Longer texts repeat the contract's names themselves: the dictionary takes more time there than it saves bytes. */
const dictionaryUseMax = 16 * 1024
/**
 * For runtimes without zstd. Quality 1 takes 60 % of the time of deflate at level 1, and for 200 lines 10 % fewer bytes;
 * quality 0 is faster still, but takes 15 % more. A larger window than 256 KB costs time.
 */
const answerOptions = { params: { [constants.BROTLI_PARAM_QUALITY]: 1, [constants.BROTLI_PARAM_LGWIN]: 18 } }
/** Reports are a few kilobytes: smaller tables to clear, and less room than the usual 16 KB for what comes out. */
const reportOptions = { level: 1, memLevel: 7, chunkSize: 4096 } as const
/** Shorter reports are shorter deflated; longer ones are longer, and take more time. */
const zstdReportsMin = 2 * 1024
const noDictionary = new Uint8Array(0)
/** In bytes, more than the largest usual body with its changes. */
const scratchBytesMax = 1024 * 1024
/** Limit against a damaged pack that inflates without end; far above the largest request with its answer. */
const unpackedBytesMax = 64 * 1024 * 1024
const unpackOptions = { maxOutputLength: unpackedBytesMax } as const

export function answerBytes(answer: ChangedText): Uint8Array {
  return Buffer.from(answer.text, 'latin1')
}

/**
 * Packs request and answer for storage: the answer as changes to the request.
 *
 * @param codec  by zstd where the runtime has it; every runtime unpacks both
 */
export function packAnswer(
  json: JsonText,
  { changes, added }: ChangedText,
  codec: 'brotli' | 'zstd' = hasZstd ? 'zstd' : 'brotli',
): Uint8Array {
  const room = roomFor((changes.length + 1) * numberBytesMax + added.length + json.bytes.length)
  let at = putNumber(room, 0, changes.length)
  for (const number of changes) at = putNumber(room, at, number)
  at += room.write(added, at, 'latin1')
  room.set(json.bytes, at)
  const content = room.subarray(0, at + json.bytes.length)
  const compressed = codec === 'zstd' ? byZstd(content) : brotliCompressSync(content, answerOptions)
  const bytes = new Uint8Array(compressed.length + 1)
  bytes[0] = versions[codec]
  bytes.set(compressed, 1)
  return bytes
}

/** The bytes that were packed. Throws on a pack of an unknown version. */
export function unpackAnswer(bytes: Uint8Array): Unpacked {
  const content = bytes.subarray(1)
  switch (bytes[0]) {
    case versions.zstd:
      return unpacked(decompressZstd(content, packDictionary, unpackedBytesMax))
    case versions.brotli:
      return unpacked(brotliDecompressSync(content, unpackOptions))
    default:
      throw new Error(`unknown pack version: ${bytes[0]}`)
  }
}

/**
 * Packs a calculation's reports, which are stored beside the answer.
 *
 * @param codec  absent: by zstd where the runtime has it and the reports are long; every runtime unpacks both
 */
export function packReports(reports: readonly BenefitReport[], codec?: 'deflate' | 'zstd'): Uint8Array {
  const text = textOfReports(reports)
  const room = roomFor(text.length)
  room.write(text, 'latin1')
  const isZstdBest = hasZstd && text.length >= zstdReportsMin
  return (codec ?? (isZstdBest ? 'zstd' : 'deflate')) === 'zstd'
    ? compressZstd(room, null)
    : deflateRawSync(room, reportOptions)
}

/** The reports that were packed. */
export function unpackReports(bytes: Uint8Array): readonly BenefitReport[] {
  const text = isZstd(bytes)
    ? decompressZstd(bytes, noDictionary, unpackedBytesMax)
    : inflateRawSync(bytes, unpackOptions)
  return reportsFromText(bufferOf(text).toString('utf8'))
}

function byZstd(content: Uint8Array): Uint8Array {
  return compressZstd(content, content.length <= dictionaryUseMax ? packDictionary : null)
}

function unpacked(bytes: Uint8Array): Unpacked {
  const content = bufferOf(bytes)
  const numbers = new PackedNumbers(content)
  const changes = Array.from({ length: numbers.next() }, () => numbers.next())
  let at = numbers.at
  for (let index = 2; index < changes.length; index += 3) at += changes[index]!
  const request = content.subarray(at)
  const added = content.toString('latin1', numbers.at, at)
  return { request, answer: Buffer.from(changeText(request.toString('latin1'), { changes, added }), 'latin1') }
}

function bufferOf(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
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
