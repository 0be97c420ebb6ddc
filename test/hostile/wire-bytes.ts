/** Protobuf bytes that no encoder makes. */

function varint(value: number): Buffer {
  const bytes: number[] = []
  for (let left = value; ; left = Math.floor(left / 128)) {
    if (left < 128) return Buffer.from([...bytes, left])
    bytes.push((left % 128) + 128)
  }
}

/** A length-delimited field: bytes, a text, a message. */
export function field(number: number, content: Uint8Array): Buffer {
  return Buffer.concat([varint(number * 8 + 2), varint(content.length), content])
}

/** The same bytes, repeated. */
export function repeated(bytes: Uint8Array, times: number): Buffer {
  return Buffer.alloc(bytes.length * times, bytes)
}
