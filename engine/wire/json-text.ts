import { scaledFromText } from './decimal.js'
import type { JsonNames } from './json-names.js'

/** Words on the tape per value: start, end, number of the value after it, and name with flags. */
export const tapeStride = 4
export const escapedFlag = 1
/** The string holds bytes from 0x7f up: DEL or non-ASCII characters. */
export const wideFlag = 2
/** The bits above the flags hold 1 + the name's number; 0: a value without a name. */
export const nameShift = 2

export type JsonKind = 'object' | 'array' | 'string' | 'number' | 'boolean' | 'null'

/** Digits and at most one point in so few bytes are exact in a double. */
const plainBytesMax = 11

const noRows = new Int32Array(0)

/** Longest excerpt of the input in an answer, in characters (wire decisions 3). */
const excerptMax = 64

/**
 * A parsed JSON text with the position of every value. Values are numbered from 0, the root, in the order in which they
 * start. Offsets count bytes. `text` holds the bytes as Latin-1, so that byte offsets are also its character offsets.
 */
export class JsonText {
  private rows = noRows
  private rowsUsed = 0

  constructor(
    readonly bytes: Uint8Array,
    readonly text: string,
    readonly names: JsonNames,
    private readonly tape: Int32Array,
    /** Names that are not in `names`; their numbers follow. */
    private readonly foreignNames: readonly string[],
    readonly size: number,
  ) {}

  start(value: number): number {
    return this.tape[value * tapeStride]!
  }

  /** Offset after the last byte of the value. */
  end(value: number): number {
    return this.tape[value * tapeStride + 1]!
  }

  /** The next sibling, or the first value after the parent's end. */
  next(value: number): number {
    return this.tape[value * tapeStride + 2]!
  }

  /** Number of the member name; -1 for the root and for items of arrays. */
  name(value: number): number {
    return (this.tape[value * tapeStride + 3]! >> nameShift) - 1
  }

  nameText(value: number): string {
    const name = this.name(value)
    return this.names.texts[name] ?? this.foreignNames[name - this.names.texts.length]!
  }

  get nameCount(): number {
    return this.names.texts.length + this.foreignNames.length
  }

  /** Memory of the text and its tape, in bytes. */
  get footprint(): number {
    return this.bytes.length + this.text.length + this.tape.byteLength
  }

  /**
   * `size` integers in `values` from index `row` on, all 0, valid as long as this text. Objects share a few arrays: one
   * array each would be 600 in a basket of 200 lines.
   */
  takeRow(size: number): { readonly values: Int32Array; readonly row: number } {
    if (this.rowsUsed + size > this.rows.length) {
      this.rows = new Int32Array(Math.max(size, this.size))
      this.rowsUsed = 0
    }
    const row = this.rowsUsed
    this.rowsUsed += size
    return { values: this.rows, row }
  }

  /** First byte: `{`, `[`, `"`, `t`, `f`, `n`, a digit or `-`. */
  firstByte(value: number): number {
    return this.bytes[this.start(value)]!
  }

  kind(value: number): JsonKind {
    switch (this.firstByte(value)) {
      case 0x7b:
        return 'object'
      case 0x5b:
        return 'array'
      case 0x22:
        return 'string'
      case 0x74:
      case 0x66:
        return 'boolean'
      case 0x6e:
        return 'null'
      default:
        return 'number'
    }
  }

  /** Values directly inside an object or array, in text order. */
  children(value: number): readonly number[] {
    const children: number[] = []
    const end = this.next(value)
    for (let child = value + 1; child < end; child = this.next(child)) children.push(child)
    return children
  }

  /** Whether a string is printable ASCII without escapes. */
  isPlain(value: number): boolean {
    return (this.tape[value * tapeStride + 3]! & (escapedFlag | wideFlag)) === 0
  }

  /** The decoded string; lone surrogates, possible through escapes only, remain. */
  string(value: number): string {
    const start = this.start(value)
    const end = this.end(value)
    return this.isPlain(value) ? this.text.slice(start + 1, end - 1) : (JSON.parse(this.utf8(start, end)) as string)
  }

  /**
   * A non-negative number in units of 10^-decimals, exactly; null where it is negative, has more decimals, or exceeds
   * 2^53 - 1.
   */
  scaled(value: number, decimals: number): number | null {
    const plain = this.scaledFromPlain(value, decimals)
    return plain >= 0 ? plain : scaledFromText(this.raw(value), decimals)
  }

  /** The bytes of a value as Latin-1; for numbers and literals that is their text. */
  raw(value: number): string {
    return this.text.slice(this.start(value), this.end(value))
  }

  /** The value as sent, cut to 64 characters. */
  excerpt(value: number): string {
    return this.excerptAt(this.start(value), this.end(value))
  }

  excerptAt(start: number, end: number): string {
    const whole = this.utf8(start, Math.min(end, start + excerptMax * 4))
    return cutCharacters(whole, excerptMax)
  }

  /** Path of a value from the root, such as `lines[3].noDiscount`; empty for the root. */
  path(value: number): string {
    let path = ''
    for (let parent = 0; parent !== value; ) {
      let index = 0
      let child = parent + 1
      for (; this.next(child) <= value; child = this.next(child)) index++
      path = this.name(child) < 0 ? `${path}[${index}]` : memberPath(path, this.nameText(child))
      parent = child
    }
    return path
  }

  /** Fast path for numbers of digits and a point, which are most of a basket's; -1 for all others. */
  private scaledFromPlain(number: number, decimals: number): number {
    const { bytes } = this
    const start = this.start(number)
    const end = this.end(number)
    if (end - start > plainBytesMax) return -1
    let value = 0
    let missing = -1
    for (let at = start; at < end; at++) {
      const byte = bytes[at]!
      if (byte === 0x2e) missing = decimals
      else if (byte < 0x30 || byte > 0x39 || missing === 0) return -1
      else {
        value = value * 10 + byte - 0x30
        if (missing > 0) missing--
      }
    }
    const zeros = missing < 0 ? decimals : missing
    return zeros === 0 ? value : value * 10 ** zeros
  }

  private utf8(start: number, end: number): string {
    return Buffer.from(this.bytes.buffer, this.bytes.byteOffset + start, end - start).toString('utf8')
  }
}

/** Path of a member. Names that are no identifiers are quoted; long ones are cut. */
export function memberPath(path: string, name: string): string {
  const short = cutCharacters(name, excerptMax)
  if (!/^[A-Za-z_$][\w$]*$/.test(short)) return `${path}[${JSON.stringify(short)}]`
  return path === '' ? short : `${path}.${short}`
}

/** The first `max` characters (code points) of a text. */
export function cutCharacters(text: string, max: number): string {
  return text.length <= max ? text : [...text.slice(0, max * 2)].slice(0, max).join('')
}
