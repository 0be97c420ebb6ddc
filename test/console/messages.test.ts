import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { load } from './load.js'

type Format = (message: string, values: Readonly<Record<string, string | number | bigint>>, locale: string) => string
const { formatMessage } = await load<{ formatMessage: Format }>('i18n/format-message.ts')
const messages = join(import.meta.dirname, '..', '..', '..', 'console', 'src', 'messages')
const catalogue = (language: string): Record<string, string> =>
  JSON.parse(readFileSync(join(messages, `${language}.json`), 'utf8'))

t.test('a message takes its values, and the branch that the language has for a number', (t) => {
  const rows = '{count, plural, one {# row} other {# rows}} of {name}'
  for (const [count, locale, expected] of [
    [1, 'en-GB', '1 row of Anna'],
    [0, 'en-GB', '0 rows of Anna'],
    [12_345, 'en-GB', '12,345 rows of Anna'],
    [2n, 'nb-NO', '2 rows of Anna'],
  ] as const) {
    t.equal(formatMessage(rows, { count, name: 'Anna' }, locale), expected)
  }
  t.equal(formatMessage('{a}{b}', { a: '{b}', b: 2 }, 'en-GB'), '{b}2', 'a value is never read as a message')
  t.equal(formatMessage('{missing}', {}, 'en-GB'), '{missing}')
  t.equal(formatMessage('no placeholder', {}, 'en-GB'), 'no placeholder')
  t.end()
})

t.test('every message names the same values in every language', (t) => {
  const placeholders = (message: string) =>
    [...new Set([...message.matchAll(/(?<!(?:one|other) )\{(\w+)(?=[,}])/g)].map((match) => match[1]))].toSorted()
  const english = catalogue('en')
  for (const [key, message] of Object.entries(catalogue('nb'))) {
    t.same(placeholders(message), placeholders(english[key] ?? ''), key)
    t.equal(
      formatMessage(message, {}, 'nb-NO').split('{').length,
      formatMessage(message, {}, 'nb-NO').split('}').length,
    )
  }
  t.end()
})
