import type { StringRule } from './compile-schema.js'
import { momentFromText } from './moment.js'

export function fitsText(text: string, rule: StringRule): boolean {
  if (rule.words !== null) return rule.words.includes(text)
  if (rule.isMoment) return momentFromText(text) !== null
  return fitsLength(text, rule) && (rule.pattern === null || rule.pattern.test(text))
}

function fitsLength(text: string, rule: StringRule): boolean {
  if (text.length > rule.lengthMax * 2) return false
  let length = 0
  for (const _ of text) length++
  return length >= rule.lengthMin && length <= rule.lengthMax
}
