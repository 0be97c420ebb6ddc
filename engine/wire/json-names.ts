/** Slots of the hash table, a power of two; the names of both schemas fill less than a third. */
const slotsMax = 256

/** Numbered from 0. The hash table holds only these, so a request cannot fill it with colliding names. */
export interface JsonNames {
  readonly texts: readonly string[]
  find(bytes: Uint8Array, start: number, end: number): number
  findText(text: string): number
}

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

/** Names of one text, numbered on from the known ones: the name that came last time is compared with the bytes first. */
export class NamesSeen {
  readonly foreign: string[] = []
  private readonly foreignNumbers = new Map<string, number>()
  private readonly starts: number[]
  private readonly ends: number[]
  private readonly guesses: number[]
  private readonly objects: number[]
  private readonly view: DataView

  constructor(
    private readonly bytes: Uint8Array,
    private readonly text: string,
    private readonly names: JsonNames,
  ) {
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
    const known = names.texts.length
    this.starts = new Array<number>(known).fill(0)
    this.ends = new Array<number>(known).fill(0)
    this.guesses = new Array<number>(2 * known + 2).fill(-1)
    this.objects = new Array<number>(known).fill(-1)
  }

  guess(link: number, at: number): number {
    const name = this.guesses[link]!
    return name >= 0 && this.isAt(name, at) ? name : -1
  }

  length(name: number): number {
    return this.ends[name]! - this.starts[name]!
  }

  plain(link: number, start: number, end: number): number {
    const known = this.names.find(this.bytes, start + 1, end - 1)
    const name = known >= 0 ? known : this.foreignNumber(this.text.slice(start + 1, end - 1))
    this.starts[name] = start
    this.ends[name] = end
    this.guesses[link] = name
    return name
  }

  other(text: string): number {
    const known = this.names.findText(text)
    return known >= 0 ? known : this.foreignNumber(text)
  }

  isRepeated(name: number, object: number): boolean {
    if (this.objects[name] === object) return true
    this.objects[name] = object
    return false
  }

  /** Four bytes a step: names are most of a basket's bytes. */
  private isAt(name: number, at: number): boolean {
    const { view } = this
    let from = this.starts[name]!
    const end = this.ends[name]!
    const shift = at - from
    if (end + shift > this.bytes.length) return false
    for (; from + 4 <= end; from += 4) if (view.getInt32(from) !== view.getInt32(from + shift)) return false
    for (; from < end; from++) if (view.getInt8(from) !== view.getInt8(from + shift)) return false
    return true
  }

  private foreignNumber(text: string): number {
    const seen = this.foreignNumbers.get(text)
    if (seen !== undefined) return seen
    const number = this.names.texts.length + this.foreign.push(text) - 1
    this.foreignNumbers.set(text, number)
    this.starts.push(0)
    this.ends.push(0)
    this.guesses.push(-1, -1)
    this.objects.push(-1)
    return number
  }
}

export function firstInside(name: number): number {
  return 2 * name + 2
}

export function nextAfter(name: number): number {
  return 2 * name + 3
}
