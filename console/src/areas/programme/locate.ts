const spaces = /\s*/y

/**
 * Where in a JSON text a path such as `benefits[3].reward.percentage` leads; as far as it leads, where the rest is not there. The text
 * need not be whole: what is half typed is passed over as well as it goes.
 */
export function locate(text: string, path: string): number {
  let at = skipSpaces(text, 0)
  for (const [, index, quoted, name] of path.matchAll(/\[(\d+)\]|\[("(?:[^"\\]|\\.)*")\]|([^.[\]]+)/g)) {
    const next = index === undefined ? memberAt(text, at, nameOf(quoted, name)) : elementAt(text, at, Number(index))
    if (next === -1) return at
    at = next
  }
  return at
}

function nameOf(quoted: string | undefined, name: string | undefined): string {
  return quoted === undefined ? (name ?? '') : String(JSON.parse(quoted))
}

/** Where the value of a member of the object at `at` begins; -1: it has no such member. */
function memberAt(text: string, at: number, name: string): number {
  if (text[at] !== '{') return -1
  let next = skipSpaces(text, at + 1)
  while (text[next] === '"') {
    const keyEnd = endOfString(text, next)
    const value = skipSpaces(text, skipSpaces(text, keyEnd) + 1)
    if (keyOf(text.slice(next, keyEnd)) === name) return value
    next = afterComma(text, endOfValue(text, value))
  }
  return -1
}

/** Where an element of the list at `at` begins; -1: it is not so long. */
function elementAt(text: string, at: number, index: number): number {
  if (text[at] !== '[') return -1
  let next = skipSpaces(text, at + 1)
  for (let passed = 0; passed < index; passed += 1) {
    const end = endOfValue(text, next)
    if (end >= text.length || text[skipSpaces(text, end)] !== ',') return -1
    next = afterComma(text, end)
  }
  return text[next] === ']' || next >= text.length ? -1 : next
}

function keyOf(quoted: string): string {
  try {
    return String(JSON.parse(quoted))
  } catch {
    return ''
  }
}

function afterComma(text: string, at: number): number {
  const comma = skipSpaces(text, at)
  return text[comma] === ',' ? skipSpaces(text, comma + 1) : text.length
}

function endOfValue(text: string, at: number): number {
  if (text[at] === '"') return endOfString(text, at)
  let depth = 0
  for (let next = at; next < text.length; next += 1) {
    const mark = text[next]!
    if (mark === '"') next = endOfString(text, next) - 1
    else if (mark === '{' || mark === '[') depth += 1
    else if (depth === 0 && (mark === ',' || mark === '}' || mark === ']')) return next
    else if (mark === '}' || mark === ']') {
      depth -= 1
      if (depth === 0) return next + 1
    }
  }
  return text.length
}

function endOfString(text: string, at: number): number {
  for (let next = at + 1; next < text.length; next += 1) {
    if (text[next] === '\\') next += 1
    else if (text[next] === '"') return next + 1
  }
  return text.length
}

function skipSpaces(text: string, at: number): number {
  spaces.lastIndex = at
  spaces.exec(text)
  return spaces.lastIndex
}

/** The line on which a position stands, from 1. */
export function lineAt(text: string, position: number): number {
  let line = 1
  for (let at = text.indexOf('\n'); at !== -1 && at < position; at = text.indexOf('\n', at + 1)) line += 1
  return line
}
