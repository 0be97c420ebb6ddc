import { scaledAt } from './decimal.js'
import type { JsonNames } from './json-names.js'

/**
 * Words on the tape per value: start, end, number of the value after it, name with flags, and the result of its rule:
 * the scaled value of a number, the place of an object's fields in the rows; -1: neither.
 */
export const tapeStride = 5
export const escapedFlag = 1
export const wideFlag = 2
export const nameShift = 2

export type JsonKind = 'object' | 'array' | 'string' | 'number' | 'boolean' | 'null'

const excerptMax = 64

interface ReadParts {
  readonly text: string
  readonly size: number
  readonly tape: Int32Array
  readonly rows: Int32Array
  readonly foreignNames: readonly string[]
}

/**
 * A parsed JSON text with the position of every value. Values are numbered from 0, the root, in the order in which they
 * start. Offsets count bytes. `text` holds the bytes as Latin-1, so that byte offsets are also its character offsets.
 */
export class JsonText {
  readonly text: string
  readonly size: number
  readonly rows: Int32Array
  private readonly tape: Int32Array
  private readonly foreignNames: readonly string[]

  constructor(
    readonly bytes: Uint8Array,
    readonly names: JsonNames,
    { text, size, tape, rows, foreignNames }: ReadParts,
  ) {
    this.text = text
    this.size = size
    this.rows = rows
    this.tape = tape
    this.foreignNames = foreignNames
  }

  start(value: number): number {
    return this.tape[value * tapeStride]!
  }

  end(value: number): number {
    return this.tape[value * tapeStride + 1]!
  }

  next(value: number): number {
    return this.tape[value * tapeStride + 2]!
  }

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

  get footprint(): number {
    return this.bytes.length + this.text.length + this.tape.byteLength + this.rows.byteLength
  }

  row(object: number): number {
    return this.tape[object * tapeStride + 4]!
  }

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

  children(value: number): readonly number[] {
    const children: number[] = []
    const end = this.next(value)
    for (let child = value + 1; child < end; child = this.next(child)) children.push(child)
    return children
  }

  isPlain(value: number): boolean {
    return (this.tape[value * tapeStride + 3]! & (escapedFlag | wideFlag)) === 0
  }

  /** The decoded string; lone surrogates, possible through escapes only, remain. */
  string(value: number): string {
    const start = this.start(value)
    const end = this.end(value)
    return this.isPlain(value) ? this.text.slice(start + 1, end - 1) : decodedString(this.bytes, start, end)
  }

  /** In units of 10^-decimals; null: negative, more decimals, or above 2^53 - 1. */
  scaled(value: number, decimals: number): number | null {
    const known = this.tape[value * tapeStride + 4]!
    return known >= 0 ? known : scaledAt(this.bytes, this.start(value), this.end(value), decimals)
  }

  raw(value: number): string {
    return this.text.slice(this.start(value), this.end(value))
  }

  excerpt(value: number): string {
    return this.excerptAt(this.start(value), this.end(value))
  }

  excerptAt(start: number, end: number): string {
    const whole = this.utf8(start, Math.min(end, start + excerptMax * 4))
    return cutCharacters(whole, excerptMax)
  }

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

  private utf8(start: number, end: number): string {
    return utf8Text(this.bytes, start, end)
  }
}

export function decodedString(bytes: Uint8Array, start: number, end: number): string {
  return JSON.parse(utf8Text(bytes, start, end)) as string
}

function utf8Text(bytes: Uint8Array, start: number, end: number): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset + start, end - start).toString('utf8')
}

/** Path of a member. Names that are no identifiers are quoted; long ones are cut. */
export function memberPath(path: string, name: string): string {
  const short = cutCharacters(name, excerptMax)
  if (!/^[A-Za-z_$][\w$]*$/.test(short)) return `${path}[${JSON.stringify(short)}]`
  return path === '' ? short : `${path}.${short}`
}

export function cutCharacters(text: string, max: number): string {
  return text.length <= max ? text : [...text.slice(0, max * 2)].slice(0, max).join('')
}
