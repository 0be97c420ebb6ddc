import zlib from 'node:zlib'
import { decompress } from 'fzstd'

/** What Node.js 22.15 and newer have, and older ones lack. */
interface Zstd {
  zstdCompressSync?(bytes: Uint8Array, options: object): Buffer
  zstdDecompressSync?(bytes: Uint8Array, options: object): Buffer
  readonly constants: { readonly ZSTD_c_compressionLevel?: number }
}

const { zstdCompressSync, zstdDecompressSync, constants } = zlib as Zstd

export const hasZstd = zstdCompressSync !== undefined

/** First bytes of a frame (RFC 8878, 3.1.1): magic number, then what the header holds. */
const magic = 0xfd2fb528
const descriptorAt = 4
const headerAt = 5
/** Content size in 4 bytes, and a window as large as the content. */
const wideDescriptor = 0b1010_0000
const wideHeaderBytes = 9
const blockHeaderBytes = 3
/** The widest header with the header of a block. */
const shortestBytes = 9
/** Bytes of the content size by the two highest bits of the descriptor; 0 means 1 only for a single segment. */
const sizeBytes = [1, 2, 4] as const
/** Two bytes of content size count from here. */
const twoBytesFrom = 256

/**
 * Compresses to one frame, at level 1.
 *
 * @param dictionary  text that the content may copy from; null: none. Runtimes before 22.19 and 24.6 leave it unused.
 */
export function compressZstd(bytes: Uint8Array, dictionary: Uint8Array | null): Uint8Array {
  const params = { [constants.ZSTD_c_compressionLevel!]: 1 }
  return zstdCompressSync!(bytes, dictionary === null ? { params } : { params, dictionary })
}

/**
 * The content of a frame of `compressZstd`, made with this dictionary or none, on every runtime. The frame gets the
 * dictionary as a first block, as it is, which every decoder reads; so none needs to know of dictionaries.
 *
 * @throws Error on another frame, or content of more than `bytesMax`
 */
export function decompressZstd(frame: Uint8Array, dictionary: Uint8Array, bytesMax: number): Uint8Array {
  const header = readHeader(frame)
  if (header.contentBytes > bytesMax) throw new Error(`a zstd frame of ${header.contentBytes} bytes is too large`)
  const whole = withFirstBlock(frame.subarray(header.end), dictionary, header.contentBytes)
  const maxOutputLength = bytesMax + dictionary.length
  const content = zstdDecompressSync === undefined ? decompress(whole) : zstdDecompressSync(whole, { maxOutputLength })
  // Some releases give back what there is of a frame that was cut.
  if (content.length !== dictionary.length + header.contentBytes) throw new Error('a zstd frame is cut')
  return content.subarray(dictionary.length)
}

/** Whether bytes start as every frame does; no deflated stream starts so. */
export function isZstd(bytes: Uint8Array): boolean {
  return bytes.length >= descriptorAt && bufferOf(bytes).readUInt32LE(0) === magic
}

interface Header {
  readonly contentBytes: number
  /** Where the blocks start. */
  readonly end: number
}

/** Of a frame whose content size is known, without checksum and without the id of a dictionary. */
function readHeader(frame: Uint8Array): Header {
  if (!isZstd(frame) || frame.length < shortestBytes) throw new Error('not a zstd frame')
  const view = bufferOf(frame)
  const descriptor = view[descriptorAt]!
  const isSingle = (descriptor & 0b10_0000) !== 0
  const sizeFlag = descriptor >> 6
  if ((descriptor & 0b1_1111) !== 0 || sizeFlag > 2 || (sizeFlag === 0 && !isSingle)) {
    throw new Error('a zstd frame of another kind')
  }
  const sizeAt = isSingle ? headerAt : headerAt + 1
  const size = view.readUIntLE(sizeAt, sizeBytes[sizeFlag]!)
  return { contentBytes: sizeFlag === 1 ? size + twoBytesFrom : size, end: sizeAt + sizeBytes[sizeFlag]! }
}

function bufferOf(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}

/** A frame of these blocks, after one that holds the bytes as they are. */
function withFirstBlock(blocks: Uint8Array, first: Uint8Array, contentBytes: number): Uint8Array {
  const frame = Buffer.allocUnsafe(wideHeaderBytes + blockHeaderBytes + first.length + blocks.length)
  frame.writeUInt32LE(magic, 0)
  frame[descriptorAt] = wideDescriptor
  frame.writeUInt32LE(contentBytes + first.length, headerAt)
  // Not the last block, of the kind that is not compressed: three bits 0.
  frame.writeUIntLE(first.length << 3, wideHeaderBytes, blockHeaderBytes)
  frame.set(first, wideHeaderBytes + blockHeaderBytes)
  frame.set(blocks, wideHeaderBytes + blockHeaderBytes + first.length)
  return frame
}
