import { type ArrayRule, fitsText, type ObjectRule, type Rule } from './compile-schema.js'
import { scaledAt } from './decimal.js'
import type { Misfit } from './json-faults.js'
import { firstInside, type JsonNames, NamesSeen, nextAfter } from './json-names.js'
import { decodedString, JsonText, nameShift, tapeStride } from './json-text.js'
import { JsonTokens } from './json-tokens.js'

/** Deepest nesting of objects and arrays; the root is level 1 (wire decisions 3, check 9). */
export const levelsMax = 32

/** Reused; each text gets a copy of what it used. New arrays would cost a sixth of the time, as the system hands out memory by pages. */
let room = { tape: new Int32Array(1024 * tapeStride), rows: new Int32Array(1024) }
const roomKeptMax = 2 ** 18
const wordMax = 2 ** 31 - 1

/** Every step returns whether the text was valid JSON so far. The same pass checks it against a rule and keeps the first misfit. */
export class JsonReader extends JsonTokens {
  misfit: Misfit | null = null
  hasDuplicate = false
  private readonly text: string
  private readonly seen: NamesSeen
  private size = 0
  private tape = room.tape
  private rows = room.rows
  private rowsUsed = 0
  private reading = -1

  constructor(
    bytes: Uint8Array,
    private readonly names: JsonNames,
  ) {
    super(bytes)
    this.text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1')
    this.seen = new NamesSeen(bytes, this.text, names)
  }

  read(rule: Rule | null): JsonText | null {
    const isJson = this.readWhole(rule)
    const { bytes, names, text, size, tape, rows, rowsUsed } = this
    if (tape.length <= roomKeptMax && rows.length <= roomKeptMax) room = { tape, rows }
    if (!isJson) return null
    const used = { tape: tape.slice(0, size * tapeStride), rows: rows.slice(0, rowsUsed) }
    return new JsonText(bytes, names, { text, size, ...used, foreignNames: this.seen.foreign })
  }

  private readWhole(rule: Rule | null): boolean {
    this.nextByte()
    if (!this.readValue(-1, 1, rule)) return false
    this.nextByte()
    return this.at === this.bytes.length || this.fail('the end of the JSON text')
  }

  private readValue(name: number, level: number, rule: Rule | null): boolean {
    const value = this.size++
    const slot = value * tapeStride
    if (slot === this.tape.length) this.tape = grown(this.tape)
    const start = this.at
    this.flags = 0
    this.reading = -1
    if (!this.readContent(value, level, name, rule)) return false
    const tape = this.tape
    tape[slot] = start
    tape[slot + 1] = this.at
    tape[slot + 2] = this.size
    tape[slot + 3] = ((name + 1) << nameShift) | this.flags
    tape[slot + 4] = this.reading
    return true
  }

  private readContent(value: number, level: number, name: number, rule: Rule | null): boolean {
    const start = this.at
    switch (this.byteAt(start)) {
      case 0x22:
        return this.readString() && this.checkString(value, start, rule)
      case 0x7b:
        return level <= levelsMax ? this.readObject(value, level, name, rule) : this.fail(`at most ${levelsMax} levels`)
      case 0x5b:
        return level <= levelsMax ? this.readArray(value, level, rule) : this.fail(`at most ${levelsMax} levels`)
      case 0x74:
        return this.readLiteral('true') && this.checkKind(value, rule, 'boolean')
      case 0x66:
        return this.readLiteral('false') && this.checkKind(value, rule, 'boolean')
      case 0x6e:
        return this.readLiteral('null') && (rule === null || rule.nullable || this.keepMisfit(value, rule))
      default:
        return this.readNumber(value, rule)
    }
  }

  private checkKind(value: number, rule: Rule | null, kind: Rule['kind']): true {
    return rule === null || rule.kind === kind || this.keepMisfit(value, rule)
  }

  private keepMisfit(value: number, rule: Rule): true {
    this.misfit ??= { kind: 'value', value, rule }
    return true
  }

  private readObject(object: number, level: number, ownName: number, given: Rule | null): boolean {
    this.checkKind(object, given, 'object')
    const rule = this.misfit === null ? (given as ObjectRule | null) : null
    const row = rule === null ? -1 : this.takeRow(rule.fields.length)
    let present = 0
    let others = 0
    this.at++
    let link = firstInside(ownName)
    let byte = this.nextByte()
    if (byte !== 0x7d) {
      for (;;) {
        const name = this.readName(link)
        if (name < 0) return false
        link = nextAfter(name)
        if (this.nextByte() !== 0x3a) return this.fail('a colon')
        this.at++
        this.nextByte()
        const place = rule === null || name >= rule.fieldByName.length ? -1 : rule.fieldByName[name]!
        if (place < 0) {
          others++
          if (!this.readValue(name, level + 1, null)) return false
        } else {
          if ((present & (1 << place)) !== 0) this.hasDuplicate = true
          present |= 1 << place
          this.rows[row + place] = this.size
          if (!this.readValue(name, level + 1, this.misfit === null ? rule!.fields[place]!.rule : null)) return false
        }
        byte = this.nextByte()
        if (byte === 0x7d) break
        if (byte !== 0x2c) return this.fail('a comma or }')
        this.at++
        this.nextByte()
      }
    }
    if (rule !== null) this.checkPresent(object, rule, present)
    if (others > 1) this.checkNames(object)
    this.at++
    this.flags = 0
    this.reading = row
    return true
  }

  private checkPresent(object: number, rule: ObjectRule, present: number): void {
    if ((present & rule.requiredBits) === rule.requiredBits) return
    const field = rule.fields.find((each, place) => each.required && (present & (1 << place)) === 0)!
    this.misfit ??= { kind: 'missing', object, name: field.name, rule: field.rule }
  }

  private checkNames(object: number): void {
    const tape = this.tape
    for (let child = object + 1; child < this.size; child = tape[child * tapeStride + 2]!) {
      const name = (tape[child * tapeStride + 3]! >> nameShift) - 1
      if (this.seen.isRepeated(name, object)) this.hasDuplicate = true
    }
  }

  private readName(link: number): number {
    const { seen } = this
    const start = this.at
    const guess = seen.guess(link, start)
    if (guess >= 0) {
      this.at += seen.length(guess)
      return guess
    }
    if (this.byteAt(start) !== 0x22) {
      this.fail('a member name')
      return -1
    }
    this.flags = 0
    if (!this.readString()) return -1
    return this.flags === 0 ? seen.plain(link, start, this.at) : seen.other(decodedString(this.bytes, start, this.at))
  }

  private readArray(array: number, level: number, given: Rule | null): boolean {
    this.checkKind(array, given, 'array')
    const rule = this.misfit === null ? (given as ArrayRule | null) : null
    const item = rule === null ? null : rule.item
    let items = 0
    this.at++
    let byte = this.nextByte()
    if (byte !== 0x5d) {
      for (;;) {
        items++
        if (!this.readValue(-1, level + 1, this.misfit === null ? item : null)) return false
        byte = this.nextByte()
        if (byte === 0x5d) break
        if (byte !== 0x2c) return this.fail('a comma or ]')
        this.at++
        this.nextByte()
      }
    }
    if (rule !== null && items < rule.itemsMin) this.keepMisfit(array, rule)
    this.at++
    this.flags = 0
    this.reading = -1
    return true
  }

  private checkString(value: number, start: number, rule: Rule | null): true {
    if (rule === null) return true
    if (rule.kind !== 'string') return this.keepMisfit(value, rule)
    if (rule.isAnyPlain && this.flags === 0) {
      const length = this.at - start - 2
      return (length >= rule.lengthMin && length <= rule.lengthMax) || this.keepMisfit(value, rule)
    }
    const text = this.flags === 0 ? this.text.slice(start + 1, this.at - 1) : decodedString(this.bytes, start, this.at)
    return fitsText(text, rule) || this.keepMisfit(value, rule)
  }

  private readNumber(value: number, rule: Rule | null): boolean {
    const start = this.at
    const plain = this.readPlain()
    if (plain < 0 && !this.readDecimal()) return false
    if (rule === null) return true
    if (rule.kind !== 'number') return this.keepMisfit(value, rule)
    const isReady = plain >= 0 && rule.decimals === 0
    const scaled = isReady ? plain : scaledAt(this.bytes, start, this.at, rule.decimals)
    if (scaled === null || scaled < rule.scaledMin || scaled > rule.scaledMax) return this.keepMisfit(value, rule)
    if (scaled <= wordMax) this.reading = scaled
    return true
  }

  private takeRow(size: number): number {
    const row = this.rowsUsed
    this.rowsUsed += size
    if (this.rowsUsed > this.rows.length) this.rows = grown(this.rows)
    this.rows.fill(0, row, this.rowsUsed)
    return row
  }
}

function grown(words: Int32Array): typeof room.tape {
  const more = new Int32Array(words.length * 2)
  more.set(words)
  return more
}
