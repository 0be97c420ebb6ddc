import { createHmac, randomUUID } from 'node:crypto'
import { createJsonNames } from '../wire/json-names.js'
import type { JsonText } from '../wire/json-text.js'
import { readJson } from '../wire/read-json.js'
import { jsonFromString, TextWriter } from '../wire/text-writer.js'

const noNames = createJsonNames([])

export interface HiddenIds {
  readonly memberIds: readonly string[]
  readonly loyaltyIds: readonly string[]
}

export function hideIds<T extends Readonly<Record<string, string>>>(
  texts: T,
  hidden: HiddenIds,
  seed: string = randomUUID(),
): T {
  const memberNames = namesFor(hidden.memberIds, `${seed} member`)
  const loyaltyNames = namesFor(hidden.loyaltyIds, `${seed} loyalty`)
  return Object.fromEntries(
    Object.entries(texts).map(([key, text]) => [key, hideIn(text, memberNames, loyaltyNames)]),
  ) as unknown as T
}

export function idsIn(text: string): HiddenIds {
  const read = readJson(Buffer.from(text), noNames)
  if (read.kind !== 'read') {
    const words = wordsIn(text)
    return { memberIds: words, loyaltyIds: words }
  }
  const { json } = read
  const members = items(json, member(json, 0, 'members'))
  const own = members.flatMap((each) => member(json, each, 'memberId') ?? [])
  const cards = members.flatMap((each) => items(json, member(json, each, 'loyaltyIds')))
  const stringsOf = (values: readonly number[]) =>
    values.filter((value) => json.kind(value) === 'string').map((value) => json.string(value))
  return { memberIds: stringsOf([...audienceIds(json), ...own]), loyaltyIds: stringsOf(cards) }
}

type Names = ReadonlyMap<string, string>

function namesFor(ids: readonly string[], key: string): Names {
  const nameOf = (id: string) =>
    createHmac('sha256', key)
      .update(id)
      .digest('hex')
      .replace(/^(.{8})(.{4})(.{4})(.{4})(.{12}).*$/, 'forgotten-$1-$2-$3-$4-$5')
  return new Map(ids.map((id) => [id, jsonFromString(nameOf(id))]))
}

function hideIn(text: string, memberNames: Names, loyaltyNames: Names): string {
  const read = readJson(Buffer.from(text), noNames)
  if (read.kind !== 'read') return hideAsWords(text, new Map([...loyaltyNames, ...memberNames]))
  const { json } = read
  const replaced = new Map<number, string>()
  for (const id of audienceIds(json)) {
    const name = nameAt(json, id, memberNames)
    if (name !== undefined) replaced.set(id, name)
  }
  for (const each of items(json, member(json, 0, 'members')))
    hideMember(json, each, { replaced, memberNames, loyaltyNames })
  const writer = new TextWriter(json)
  for (const [value, name] of [...replaced].sort(([left], [right]) => left - right)) writer.replace(value, name)
  return Buffer.from(writer.finish(json.text.length).text, 'latin1').toString()
}

function audienceIds(json: JsonText): readonly number[] {
  const rules = items(json, member(json, 0, 'earning'))
  const multipliers = rules.flatMap((rule) => items(json, member(json, rule, 'multipliers')))
  const benefits = items(json, json.kind(0) === 'array' ? 0 : member(json, 0, 'benefits'))
  return [...benefits, ...rules, ...multipliers].flatMap((each) => {
    const audience = member(json, each, 'audience')
    return items(json, audience === null ? null : member(json, audience, 'memberIds'))
  })
}

interface Hiding {
  readonly replaced: Map<number, string>
  readonly memberNames: Names
  readonly loyaltyNames: Names
}

function hideMember(json: JsonText, each: number, { replaced, memberNames, loyaltyNames }: Hiding): void {
  const id = member(json, each, 'memberId')
  const loyaltyIds = member(json, each, 'loyaltyIds')
  const name = id === null ? undefined : nameAt(json, id, memberNames)
  if (id !== null && name !== undefined) {
    replaced.set(id, name)
    if (loyaltyIds !== null) replaced.set(loyaltyIds, `[${name}]`)
    for (const field of ['birthday', 'joinedOn']) {
      const date = member(json, each, field)
      if (date !== null) replaced.set(date, 'null')
    }
    return
  }
  for (const loyaltyId of items(json, loyaltyIds)) {
    const loyaltyName = nameAt(json, loyaltyId, loyaltyNames)
    if (loyaltyName !== undefined) replaced.set(loyaltyId, loyaltyName)
  }
}

function member(json: JsonText, object: number, name: string): number | null {
  if (json.kind(object) !== 'object') return null
  return json.children(object).find((child) => json.nameText(child) === name) ?? null
}

function items(json: JsonText, array: number | null): readonly number[] {
  return array !== null && json.kind(array) === 'array' ? json.children(array) : []
}

function nameAt(json: JsonText, value: number, names: Names): string | undefined {
  return json.kind(value) === 'string' ? names.get(json.string(value)) : undefined
}

const quoted = /"(?:[^"\\\n]|\\.)*"/g
const quotedOrCommented = new RegExp(`${quoted.source}|//[^\\n]*|/\\*[^]*?(?:\\*/|$)`, 'g')

function hideAsWords(text: string, names: Names): string {
  let left = text.replace(quoted, (found) => names.get(stringOf(found)) ?? found)
  for (const [id, name] of names) {
    const hide = (part: string) =>
      [id, JSON.stringify(id).slice(1, -1)].reduce((hidden, form) => withoutWord(hidden, form, name.slice(1, -1)), part)
    left = /^-?[\d.]+$/.test(id) ? left.replace(quotedOrCommented, hide) : hide(left)
  }
  return left
}

/** Strings, and words with and without the marks around and between them. */
function wordsIn(text: string): readonly string[] {
  const strings = (text.match(quoted) ?? []).map(stringOf)
  return [...new Set([...strings, ...text.split(/[\s"',;:()[\]{}]+/), ...text.split(/[^\p{L}\p{N}_-]+/u)])]
}

function stringOf(found: string): string {
  try {
    return JSON.parse(found)
  } catch {
    return found
  }
}

function withoutWord(text: string, word: string, name: string): string {
  const isInWord = (character: string | undefined) => character !== undefined && /[\p{L}\p{N}_-]/u.test(character)
  return text.replaceAll(word, (found, at: number) =>
    isInWord(text[at - 1]) || isInWord(text[at + word.length]) ? found : name,
  )
}
