import type { JsonText } from './json-text.js'

export interface ChangedText {
  readonly text: string
  readonly changes: readonly number[]
  readonly added: string
}

export function changeText(text: string, { changes, added }: Omit<ChangedText, 'text'>): string {
  let changed = ''
  let [from, taken] = [0, 0]
  for (let index = 0; index < changes.length; index += 3) {
    const start = from + changes[index]!
    const next = taken + changes[index + 2]!
    changed += text.slice(from, start) + added.slice(taken, next)
    from = start + changes[index + 1]!
    taken = next
  }
  return changed + text.slice(from)
}

export class TextWriter {
  private text = ''
  private added = ''
  private readonly changes: number[] = []

  constructor(
    readonly json: JsonText,
    private at = 0,
  ) {}

  replace(value: number, text: string): void {
    this.replaceBytes(this.json.start(value), this.json.end(value), text)
  }

  insert(offset: number, text: string): void {
    this.replaceBytes(offset, offset, text)
  }

  insertMember(object: number, name: string, text: string): void {
    const { bytes } = this.json
    let end = this.json.end(object) - 1
    while (bytes[end - 1]! <= space) end--
    this.insert(end, `,"${name}":${text}`)
  }

  removeMember(object: number, member: number): void {
    const { json } = this
    if (member > object + 1) {
      let before = object + 1
      for (let child = before; child < member; child = json.next(child)) before = child
      this.replaceBytes(json.end(before), json.end(member), '')
    } else {
      const comma = json.text.indexOf(',', json.end(member))
      this.replaceBytes(json.start(object) + 1, comma + 1, '')
    }
  }

  replaceBytes(start: number, end: number, text: string): void {
    const { at } = this
    if (start < at) throw new Error('changes of a text are out of order')
    this.text += this.json.text.slice(at, start) + text
    this.added += text
    this.changes.push(start - at, end - start, text.length)
    this.at = end
  }

  finish(end: number): ChangedText {
    const { text, changes, added } = this
    return { text: text + this.json.text.slice(this.at, end), changes, added }
  }
}

/** No byte of JSON outside of strings is below it but white space. */
const space = 0x20

/** Writes an array of which at least one sent item stays; those that stay keep their order. */
export class ItemsWriter {
  private last = -1

  constructor(
    private readonly writer: TextWriter,
    private readonly array: number,
    private readonly first: number,
  ) {
    const { json } = writer
    if (first !== array + 1) writer.replaceBytes(json.start(array + 1), json.start(first), '')
  }

  stay(item: number): void {
    if (this.last >= 0) this.removeBefore(item)
    this.last = item
  }

  add(text: string): void {
    const { json } = this.writer
    if (this.last < 0) this.writer.insert(json.start(this.first), `${text},`)
    else this.writer.insert(json.end(this.last), `,${text}`)
  }

  end(): void {
    this.removeBefore(this.writer.json.next(this.array))
  }

  private removeBefore(item: number): void {
    const { json } = this.writer
    const end = json.next(this.array)
    let before = this.last
    for (let next = json.next(before); next !== item; next = json.next(next)) {
      if (next >= end) throw new Error('items of an array are out of order')
      before = next
    }
    if (before !== this.last) this.writer.replaceBytes(json.end(this.last), json.end(before), '')
  }
}

/** Needs no escape in JSON: printable ASCII without quotes and backslashes. */
const plain = /^[ !#-[\]-~]*$/

export function jsonFromString(text: string): string {
  return plain.test(text) ? `"${text}"` : Buffer.from(JSON.stringify(text), 'utf8').toString('latin1')
}

export function jsonFromStrings(texts: readonly string[]): string {
  // One test for all: hundreds of benefits can be in place of one.
  if (texts.length > 0 && plain.test(texts.join(''))) return `["${texts.join('","')}"]`
  return `[${texts.map(jsonFromString).join(',')}]`
}
