/** Slots of the hash table, a power of two; the names of both schemas fill less than a third. */
const slotsMax = 256

/**
 * A fixed set of member names, numbered from 0. The hash table holds only these, so a request cannot fill it with
 * colliding names.
 */
export interface JsonNames {
  readonly texts: readonly string[]
  find(bytes: Uint8Array, start: number, end: number): number
  findText(text: string): number
}

/** @param texts  ASCII, each once */
export function createJsonNames(texts: readonly string[]): JsonNames {
  const slots = new Int16Array(slotsMax).fill(-1)
  for (const [number, text] of texts.entries()) slots[freeSlot(slots, Buffer.from(text))] = number
  const numbers = new Map(texts.map((text, number) => [text, number]))
  return {
    texts,
    find(bytes, start, end) {
      for (let slot = slotOf(bytes, start, end); ; slot = (slot + 1) % slotsMax) {
        const number = slots[slot]!
        if (number < 0 || isText(texts[number]!, bytes, start, end)) return number
      }
    },
    findText: (text) => numbers.get(text) ?? -1,
  }
}

function slotOf(bytes: Uint8Array, start: number, end: number): number {
  if (start === end) return 0
  const middle = bytes[(start + end) >> 1]!
  return (bytes[start]! * 3 + middle * 5 + bytes[end - 1]! * 7 + (end - start) * 11) & (slotsMax - 1)
}

function freeSlot(slots: Int16Array, name: Uint8Array): number {
  let slot = slotOf(name, 0, name.length)
  while (slots[slot] !== -1) slot = (slot + 1) % slotsMax
  return slot
}

function isText(text: string, bytes: Uint8Array, start: number, end: number): boolean {
  if (text.length !== end - start) return false
  for (let at = start; at < end; at++) if (text.charCodeAt(at - start) !== bytes[at]) return false
  return true
}
