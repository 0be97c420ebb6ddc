import { type JsonFault, wholeBody } from './json-faults.js'
import { cutCharacters, escapedFlag, wideFlag } from './json-text.js'

/** Class of a byte inside a string: 0, a flag, or one of these. */
const quoteClass = 4
const controlClass = 8
const byteClasses = Uint8Array.from({ length: 256 }, (_, byte) => {
  if (byte < 0x20) return controlClass
  if (byte === 0x22) return quoteClass
  if (byte === 0x5c) return escapedFlag
  return byte < 0x7f ? 0 : wideFlag
})

/** The most digits that always fit 31 bits. */
const plainDigitsMax = 9

export class JsonTokens {
  protected at = 0
  protected flags = 0
  private expected = ''

  constructor(protected readonly bytes: Uint8Array) {}

  get brokenAt(): number {
    return this.at
  }

  fault(): JsonFault {
    const rest = Buffer.from(this.bytes.buffer, this.bytes.byteOffset, this.bytes.length).subarray(
      this.at,
      this.at + 256,
    )
    const expected = `JSON: ${this.expected} at byte ${this.at}`
    return { field: wholeBody, expected, received: cutCharacters(rest.toString('utf8'), 64) || 'the end of the body' }
  }

  protected fail(expected: string): false {
    this.expected = expected
    return false
  }

  /** Reads a string and sets its flags. A plain byte, the usual case, costs one table look-up. */
  protected readString(): boolean {
    const bytes = this.bytes
    const end = bytes.length
    let at = this.at + 1
    let seen = 0
    for (;;) {
      while (at < end && byteClasses[bytes[at]!] === 0) at++
      const byteClass = at < end ? byteClasses[bytes[at]!]! : controlClass
      if (byteClass === quoteClass) break
      this.at = at
      if (byteClass === controlClass) return this.failInString(at)
      seen |= byteClass
      if (byteClass === escapedFlag && !this.readEscape()) return false
      at = byteClass === escapedFlag ? this.at : at + 1
    }
    this.at = at + 1
    this.flags = seen
    return true
  }

  private failInString(at: number): false {
    return this.fail(at < this.bytes.length ? 'control characters written as escapes' : 'a closing quote')
  }

  private readEscape(): boolean {
    const byte = this.byteAt(this.at + 1)
    if (byte === 0x75) {
      for (let at = this.at + 2; at < this.at + 6; at++) {
        if (!isHexDigit(this.byteAt(at))) return this.fail('four hex digits after \\u')
      }
      this.at += 6
      return true
    }
    if (byte < 0 || !'"\\/bfnrt'.includes(String.fromCharCode(byte))) return this.fail('an escape of JSON')
    this.at += 2
    return true
  }

  protected readPlain(): number {
    const start = this.at
    let at = start
    let number = 0
    let byte = this.byteAt(at)
    for (; isDigit(byte); byte = this.byteAt(++at)) number = (number * 10 + byte - 0x30) | 0
    const digits = at - start
    const isLonger = byte === 0x2e || byte === 0x65 || byte === 0x45
    if (isLonger || digits === 0 || digits > plainDigitsMax || (digits > 1 && this.bytes[start] === 0x30)) return -1
    this.at = at
    return number
  }

  protected readDecimal(): boolean {
    if (this.byteAt(this.at) === 0x2d) this.at++
    if (this.byteAt(this.at) === 0x30) this.at++
    else if (!this.readDigits()) return this.fail('a value')
    if (this.byteAt(this.at) === 0x2e) {
      this.at++
      if (!this.readDigits()) return this.fail('a digit')
    }
    if (this.byteAt(this.at) === 0x65 || this.byteAt(this.at) === 0x45) {
      this.at++
      if (this.byteAt(this.at) === 0x2b || this.byteAt(this.at) === 0x2d) this.at++
      if (!this.readDigits()) return this.fail('a digit')
    }
    return true
  }

  private readDigits(): boolean {
    const start = this.at
    while (isDigit(this.byteAt(this.at))) this.at++
    return this.at > start
  }

  protected readLiteral(literal: string): boolean {
    for (let index = 0; index < literal.length; index++) {
      if (this.byteAt(this.at + index) !== literal.charCodeAt(index)) return this.fail('a value')
    }
    this.at += literal.length
    return true
  }

  protected nextByte(): number {
    let byte = this.byteAt(this.at)
    while (isSpace(byte)) byte = this.byteAt(++this.at)
    return byte
  }

  /** -1 after the end: reading `undefined` there would make every read slower. */
  protected byteAt(at: number): number {
    return at < this.bytes.length ? this.bytes[at]! : -1
  }
}

function isSpace(byte: number): boolean {
  return byte <= 0x20 && (byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09)
}

function isDigit(byte: number): boolean {
  return byte >= 0x30 && byte <= 0x39
}

function isHexDigit(byte: number): boolean {
  return isDigit(byte) || ((byte | 0x20) >= 0x61 && (byte | 0x20) <= 0x66)
}
