/** The wire type of strings, bytes, messages and packed lists in protobuf. */
export const lengthDelimited = 2

const varintBytesMax = 10

/** A place in protobuf's bytes. */
export class WireCursor {
  at = 0

  constructor(readonly bytes: Uint8Array) {}

  /** Reads the number here and goes behind it; exact up to 2^53. -1: there is none. */
  varint(): number {
    let value = 0
    for (let factor = 1, count = 0; count < varintBytesMax; factor *= 128, count += 1) {
      const byte = this.bytes[this.at]
      if (byte === undefined) return -1
      this.at += 1
      value += (byte & 0x7f) * factor
      if (byte < 0x80) return value
    }
    return -1
  }
}
