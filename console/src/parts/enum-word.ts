import type { Words } from '../i18n/words.js'

type Enum = Readonly<Record<string, string | number>>

/** The word of the contract for a value of an enum, such as `member_not_found`. */
export function contractWord(values: Enum, value: number): string {
  return String(values[value] ?? value).toLowerCase()
}

/** The same in the language of the person: the message `group.word`. */
export function wordOf(t: Words, group: string, values: Enum, value: number): string {
  return t.of(group, contractWord(values, value))
}

/** The value of a word; unspecified where there is no such word. */
export function enumOf(values: Enum, word: string | undefined): number {
  const value = values[word?.toUpperCase() ?? '']
  return typeof value === 'number' ? value : 0
}
