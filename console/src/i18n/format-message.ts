/** In place of a number that is not typed yet. */
export const absent = '…'

export type MessageValues = Readonly<Record<string, string | number | bigint>>

/**
 * Fills a message: `{name}` becomes a value, `{count, plural, one {# unit} other {# units}}` the language's branch for the number, with
 * `#` as the number. A placeholder without a value stays as it is.
 */
export function formatMessage(message: string, values: MessageValues, locale: string): string {
  let out = ''
  let at = 0
  while (at < message.length) {
    const open = message.indexOf('{', at)
    if (open === -1) return out + message.slice(at)
    const close = closingBrace(message, open)
    out += message.slice(at, open) + fillPlaceholder(message.slice(open + 1, close), values, locale)
    at = close + 1
  }
  return out
}

function fillPlaceholder(inside: string, values: MessageValues, locale: string): string {
  const [name = '', kind] = inside.split(',', 2).map((part) => part.trim())
  const value = values[name]
  if (value === undefined) return `{${inside}}`
  const shown = typeof value === 'string' ? value : Number.isNaN(value) ? absent : numbersOf(locale).format(value)
  if (kind !== 'plural') return shown
  const branches = branchesOf(inside.slice(inside.indexOf(',', inside.indexOf(',') + 1) + 1))
  const rule = pluralsOf(locale).select(Number(value))
  return formatMessage((branches[rule] ?? branches['other'] ?? '').replaceAll('#', shown), values, locale)
}

function branchesOf(text: string): Readonly<Record<string, string>> {
  const branches: Record<string, string> = {}
  let at = 0
  for (;;) {
    const open = text.indexOf('{', at)
    if (open === -1) return branches
    const close = closingBrace(text, open)
    branches[text.slice(at, open).trim()] = text.slice(open + 1, close)
    at = close + 1
  }
}

function closingBrace(text: string, open: number): number {
  let depth = 0
  for (let at = open; at < text.length; at += 1) {
    if (text[at] === '{') depth += 1
    if (text[at] === '}') depth -= 1
    if (depth === 0) return at
  }
  return text.length
}

const numbersOf = remembered((locale: string) => new Intl.NumberFormat(locale))
const pluralsOf = remembered((locale: string) => new Intl.PluralRules(locale))

/** Caches `make` by its text: a formatter takes longer to make than a table of rows to format. */
export function remembered<Made>(make: (key: string) => Made): (key: string) => Made {
  const made = new Map<string, Made>()
  return (key) => {
    const known = made.get(key)
    if (known !== undefined) return known
    const value = make(key)
    made.set(key, value)
    return value
  }
}
