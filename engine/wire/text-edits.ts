import type { JsonText } from './json-text.js'

/** Puts `text` (Latin-1 of UTF-8, as `JsonText.text`) in the place of the bytes from `start` to before `end`. */
export interface TextEdit {
  readonly start: number
  readonly end: number
  readonly text: string
}

/** Where an item of an edited array comes from: one that was sent, itself edited by its own edits, or new text. */
export type ArrayItem =
  | { readonly kind: 'sent'; readonly value: number }
  | { readonly kind: 'new'; readonly text: string }

/** What stands in JSON as it is: printable ASCII without quotes and backslashes. */
const plain = /^[ !#-[\]-~]*$/

/** A string of JavaScript as JSON in the form of `JsonText.text`. */
export function jsonFromString(text: string): string {
  return plain.test(text) ? `"${text}"` : Buffer.from(JSON.stringify(text), 'utf8').toString('latin1')
}

/**
 * Changes to a JSON text that leave everything else as it was sent, byte for byte. Edits never overlap; those of an item must be
 * made before or after, in any order, for they are sorted when they are taken.
 */
export class TextEdits {
  private readonly edits: TextEdit[] = []

  constructor(private readonly json: JsonText) {}

  replace(value: number, text: string): void {
    this.edits.push({ start: this.json.start(value), end: this.json.end(value), text })
  }

  /** Adds a member at the end of an object that has at least one. */
  insertMember(object: number, name: string, text: string): void {
    let last = object + 1
    for (let child = last; child < this.json.next(object); child = this.json.next(child)) last = child
    this.insertAt(this.json.end(last), `,"${name}":${text}`)
  }

  /** Takes a member with its name out of an object that keeps at least one other. */
  removeMember(object: number, member: number): void {
    const { json } = this
    if (member > object + 1) {
      let before = object + 1
      for (let child = before; child < member; child = json.next(child)) before = child
      this.edits.push({ start: json.end(before), end: json.end(member), text: '' })
    } else {
      const comma = json.text.indexOf(',', json.end(member))
      this.edits.push({ start: json.start(object) + 1, end: comma + 1, text: '' })
    }
  }

  /**
   * Makes the array hold these items, in this order. Those that were sent must come in the order in which they were sent;
   * items that are not named are taken out.
   */
  setItems(array: number, items: readonly ArrayItem[]): void {
    const { json } = this
    const kept = items.filter((item) => item.kind === 'sent').map((item) => item.value)
    if (kept.length === 0) {
      const texts = items.map((item) => (item.kind === 'new' ? item.text : ''))
      this.replace(array, `[${texts.join(',')}]`)
      return
    }
    this.removeOthers(array, kept)
    let before = -1
    for (const item of items) {
      if (item.kind === 'sent') before = item.value
      else if (before >= 0) this.insertAt(json.end(before), `,${item.text}`)
      else this.insertAt(json.start(kept[0]!), `${item.text},`)
    }
  }

  /** The edits made so far, in the order of the text. */
  take(): readonly TextEdit[] {
    return this.edits.sort((left, right) => left.start - right.start || left.end - right.end)
  }

  private removeOthers(array: number, kept: readonly number[]): void {
    const { json } = this
    const end = json.next(array)
    let before = -1
    let index = 0
    for (let child = array + 1; child < end; before = child, child = json.next(child)) {
      if (child === kept[index]) index++
      else if (index > 0) this.edits.push({ start: json.end(before), end: json.end(child), text: '' })
      else this.edits.push({ start: json.start(child), end: json.start(json.next(child)), text: '' })
    }
    if (index < kept.length) throw new Error('items of an edited array are out of order')
  }

  private insertAt(offset: number, text: string): void {
    this.edits.push({ start: offset, end: offset, text })
  }
}

/** The text from `start` to before `end` with the edits made; all of them must lie within. */
export function applyEdits(text: string, edits: readonly TextEdit[], start: number, end: number): string {
  let edited = ''
  let at = start
  for (const edit of edits) {
    edited += text.slice(at, edit.start) + edit.text
    at = edit.end
  }
  return edited + text.slice(at, end)
}
