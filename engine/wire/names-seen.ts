import type { JsonNames } from './json-names.js'

/**
 * The member names of one text, numbered on from the known ones. Objects of one kind mostly have their members in one
 * order: the name that came last time is compared with the bytes before any other is looked for.
 */
export class NamesSeen {
  readonly foreign: string[] = []
  private readonly foreignNumbers = new Map<string, number>()
  /** Per name: where it stood without escapes, quotes included; both 0: nowhere yet. */
  private readonly starts: number[]
  private readonly ends: number[]
  /** Per link: the name that was there last; -1: none. */
  private readonly guesses: number[]
  /** Per name: the object that `isRepeated` saw it in last. */
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

  /** The name at the link if it is at this offset, as before; else -1. */
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

/** The link to the first member of an object of this name; -1: of the root, or of an item of an array. */
export function firstInside(name: number): number {
  return 2 * name + 2
}

/** The link to the member after one of this name. */
export function nextAfter(name: number): number {
  return 2 * name + 3
}
