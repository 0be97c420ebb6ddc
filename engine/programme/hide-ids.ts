import { randomUUID } from 'node:crypto'
import { createJsonNames } from '../wire/json-names.js'
import type { JsonText } from '../wire/json-text.js'
import { readJson } from '../wire/read-json.js'
import { TextWriter } from '../wire/text-writer.js'
import { jsonFromString } from '../wire/write-json-string.js'

const noNames = createJsonNames([])

export interface HiddenIds {
  readonly memberIds: readonly string[]
  readonly loyaltyIds: readonly string[]
}

/**
 * Replaces ids in programme texts (a document, or its priced part; benefits 1). A member's id becomes a neutral
 * name, the same in all texts, in members and audiences, and so do its loyaltyIds; its dates become null. A loyaltyId of another member gets a
 * name of its own. Every other byte stays.
 *
 * @param texts  published texts; any other text is returned unchanged
 */
export function hideIds<T extends Readonly<Record<string, string>>>(texts: T, hidden: HiddenIds): T {
  const memberNames = namesFor(hidden.memberIds)
  const loyaltyNames = namesFor(hidden.loyaltyIds)
  return Object.fromEntries(
    Object.entries(texts).map(([key, text]) => [key, hideIn(text, memberNames, loyaltyNames)]),
  ) as unknown as T
}

type Names = ReadonlyMap<string, string>

function namesFor(ids: readonly string[]): Names {
  return new Map(ids.map((id) => [id, jsonFromString(`forgotten-${randomUUID()}`)]))
}

function hideIn(text: string, memberNames: Names, loyaltyNames: Names): string {
  const read = readJson(Buffer.from(text), noNames)
  if (read.kind !== 'read') return text
  const { json } = read
  const replaced = new Map<number, string>()
  const benefits = json.kind(0) === 'array' ? 0 : member(json, 0, 'benefits')
  for (const benefit of items(json, benefits)) hideAudience(json, benefit, { replaced, memberNames, loyaltyNames })
  for (const rule of items(json, member(json, 0, 'earning'))) {
    hideAudience(json, rule, { replaced, memberNames, loyaltyNames })
    for (const each of items(json, member(json, rule, 'multipliers')))
      hideAudience(json, each, { replaced, memberNames, loyaltyNames })
  }
  for (const each of items(json, member(json, 0, 'members')))
    hideMember(json, each, { replaced, memberNames, loyaltyNames })
  const writer = new TextWriter(json)
  for (const [value, name] of [...replaced].sort(([left], [right]) => left - right)) writer.replace(value, name)
  return Buffer.from(writer.finish(json.text.length).text, 'latin1').toString()
}

interface Hiding {
  readonly replaced: Map<number, string>
  readonly memberNames: Names
  readonly loyaltyNames: Names
}

function hideAudience(json: JsonText, each: number, { replaced, memberNames }: Hiding): void {
  const audience = member(json, each, 'audience')
  for (const id of items(json, audience === null ? null : member(json, audience, 'memberIds'))) {
    const name = nameAt(json, id, memberNames)
    if (name !== undefined) replaced.set(id, name)
  }
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
