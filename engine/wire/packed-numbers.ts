/** Bytes that a number takes at most. */
export const numberBytesMax = 5

/** Writes a whole number from 0 to before 2^32, seven bits a byte, lowest first; returns the offset after it. */
export function putNumber(bytes: Uint8Array, at: number, value: number): number {
  let [next, rest] = [at, value]
  while (rest > 0x7f) {
    bytes[next++] = (rest & 0x7f) | 0x80
    rest >>>= 7
  }
  bytes[next++] = rest
  return next
}

/** Reads what `putNumber` wrote, number by number. */
export class PackedNumbers {
  constructor(
    private readonly bytes: Uint8Array,
    /** Offset of the next one. */
    public at = 0,
  ) {}

  next(): number {
    let value = 0
    for (let shift = 0; ; shift += 7) {
      const byte = this.bytes[this.at++]
      if (byte === undefined || shift > 28) throw new Error('no packed number')
      value += (byte & 0x7f) * 2 ** shift
      if (byte <= 0x7f) return value
    }
  }
}
