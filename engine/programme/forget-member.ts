import { createJsonNames } from '../wire/json-names.js'
import type { JsonText } from '../wire/json-text.js'
import { readJson } from '../wire/read-json.js'
import { applyEdits, jsonFromString, TextEdits } from '../wire/text-edits.js'

const noNames = createJsonNames([])

/**
 * A programme document, or its array of benefits, with one member made unrecognisable: its memberId and loyaltyIds are replaced by
 * `name` where they name a member or an audience; every other byte stays as it is (benefits 1).
 *
 * @param text  a document or benefits that were published; anything else comes back as it is
 */
export function forgetMember(text: string, memberId: string, name: string): string {
  const read = readJson(Buffer.from(text), noNames)
  if (read.kind !== 'read') return text
  const { json } = read
  const edits = new TextEdits(json)
  const jsonName = jsonFromString(name)
  const benefits = json.kind(0) === 'array' ? 0 : member(json, 0, 'benefits')
  for (const benefit of items(json, benefits)) {
    const audience = member(json, benefit, 'audience')
    for (const id of items(json, audience === null ? null : member(json, audience, 'memberIds')))
      if (isString(json, id, memberId)) edits.replace(id, jsonName)
  }
  for (const each of items(json, member(json, 0, 'members'))) {
    const id = member(json, each, 'memberId')
    if (id === null || !isString(json, id, memberId)) continue
    edits.replace(id, jsonName)
    const loyaltyIds = member(json, each, 'loyaltyIds')
    if (loyaltyIds !== null) edits.replace(loyaltyIds, `[${jsonName}]`)
  }
  const edited = applyEdits(json.text, edits.take(), 0, json.text.length)
  return Buffer.from(edited, 'latin1').toString()
}

/** The value of a member of an object; null where there is none. */
function member(json: JsonText, object: number, name: string): number | null {
  if (json.kind(object) !== 'object') return null
  return json.children(object).find((child) => json.nameText(child) === name) ?? null
}

function items(json: JsonText, array: number | null): readonly number[] {
  return array !== null && json.kind(array) === 'array' ? json.children(array) : []
}

function isString(json: JsonText, value: number, text: string): boolean {
  return json.kind(value) === 'string' && json.string(value) === text
}
