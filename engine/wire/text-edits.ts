import type { JsonText } from './json-text.js'

/** Replaces the bytes from `start` to before `end` with `text` (Latin-1 of UTF-8, as `JsonText.text`). */
export interface TextEdit {
  readonly start: number
  readonly end: number
  readonly text: string
}

/** An item of an edited array: one that was sent, with its own edits, or new text. */
export type ArrayItem =
  | { readonly kind: 'sent'; readonly value: number }
  | { readonly kind: 'new'; readonly text: string }

/** Needs no escape in JSON: printable ASCII without quotes and backslashes. */
const plain = /^[ !#-[\]-~]*$/

/** A JavaScript string as JSON text, encoded as `JsonText.text`. */
export function jsonFromString(text: string): string {
  return plain.test(text) ? `"${text}"` : Buffer.from(JSON.stringify(text), 'utf8').toString('latin1')
}

/** Changes to a JSON text that leave every other byte as sent. Edits may be made in any order but must not overlap. */
export class TextEdits {
  private readonly edits: TextEdit[] = []

  constructor(private readonly json: JsonText) {}

  replace(value: number, text: string): void {
    this.edits.push({ start: this.json.start(value), end: this.json.end(value), text })
  }

  /** Appends a member to an object that has at least one. */
  insertMember(object: number, name: string, text: string): void {
    let last = object + 1
    for (let child = last; child < this.json.next(object); child = this.json.next(child)) last = child
    this.insertAt(this.json.end(last), `,"${name}":${text}`)
  }

  /** Removes a member and its name from an object that has at least one other. */
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
   * Makes the array hold these items. Sent items must come in the order in which they were sent; those not listed are
   * removed.
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

/** The text from `start` to before `end` with the edits applied; all must lie within. */
export function applyEdits(text: string, edits: readonly TextEdit[], start: number, end: number): string {
  let edited = ''
  let at = start
  for (const edit of edits) {
    edited += text.slice(at, edit.start) + edit.text
    at = edit.end
  }
  return edited + text.slice(at, end)
}
