export type Path = readonly (string | number)[]

interface Span {
  readonly start: number
  /** After its last character. */
  readonly end: number
}

export type Node = Span &
  (
    | { readonly kind: 'object'; readonly members: readonly Member[] }
    | { readonly kind: 'list'; readonly items: readonly Node[] }
    | { readonly kind: 'text'; readonly value: string }
    /** A number, true, false or null, as written. */
    | { readonly kind: 'plain'; readonly value: string }
  )

/** One member of an object; its span begins with its name. */
interface Member extends Span {
  readonly name: string
  readonly value: Node
}

const spaces = /\s*/y
const plain = /[^\s,\]}]+/y
const simpleName = /^[A-Za-z_$][\w$]*$/

/** The values of a text; null: no JSON. */
export function readJson(text: string): Node | null {
  try {
    JSON.parse(text)
  } catch {
    return null
  }
  return readValue(text, skip(text, 0))
}

/** The node at a path; undefined: none. Of several members of one name the last. */
export function find(node: Node | undefined, path: Path): Node | undefined {
  let at = node
  for (const step of path) {
    if (at?.kind === 'object') at = at.members.findLast(({ name }) => name === step)?.value
    else if (at?.kind === 'list' && typeof step === 'number') at = at.items[step]
    else return undefined
  }
  return at
}

export function itemsOf(node: Node | null | undefined, path: Path): readonly Node[] {
  const list = find(node ?? undefined, path)
  return list?.kind === 'list' ? list.items : []
}

export function textIn(node: Node | undefined, name: string): string {
  const value = find(node, [name])
  return value?.kind === 'text' ? value.value : ''
}

/** A path in the service's form: `benefits[3].reward.percentage`. */
export function pathText(path: Path): string {
  return path.reduce<string>((before, step) => {
    if (typeof step === 'number') return `${before}[${step}]`
    if (!simpleName.test(step)) return `${before}[${JSON.stringify(step)}]`
    return before === '' ? step : `${before}.${step}`
  }, '')
}

export function readPath(text: string): Path {
  return [...text.matchAll(/\[(\d+)\]|\[("(?:[^"\\]|\\.)*")\]|([^.[\]]+)/g)].map(([, index, quoted, name]) =>
    index !== undefined ? Number(index) : quoted !== undefined ? String(JSON.parse(quoted)) : (name ?? ''),
  )
}

/**
 * The text with another value at a path; every other character stays.
 *
 * @param path   its last step may be new in an existing object
 * @param value  JSON
 * @param order  names in the usual order of the object, for a new member
 */
export function withValue(text: string, path: Path, value: string, order: readonly string[] = []): string {
  const top = readJson(text)
  const old = find(top ?? undefined, path)
  if (old !== undefined) return splice(text, old, value)
  const parent = find(top ?? undefined, path.slice(0, -1))
  const name = path.at(-1)
  if (parent?.kind !== 'object' || typeof name !== 'string') return text
  const place = order.indexOf(name)
  const after = parent.members.findLastIndex((member) => {
    const its = order.indexOf(member.name)
    return place === -1 || (its !== -1 && its < place)
  })
  return inserted(text, parent, { at: after + 1, item: `${JSON.stringify(name)}: ${value}` })
}

/** The text with one more item in the list at a path, before the one at `at`. */
export function withItem(text: string, path: Path, at: number, item: string): string {
  const list = find(readJson(text) ?? undefined, path)
  return list?.kind === 'list' ? inserted(text, list, { at, item }) : text
}

export function without(text: string, path: Path): string {
  const parent = find(readJson(text) ?? undefined, path.slice(0, -1))
  const children = childrenOf(parent)
  const step = path.at(-1)
  const at = parent?.kind === 'object' ? parent.members.findLastIndex(({ name }) => name === step) : Number(step)
  const child = children[at]
  if (parent === undefined || child === undefined) return text
  const before = children[at - 1]
  const next = children[at + 1]
  if (before !== undefined) return splice(text, { start: before.end, end: child.end }, '')
  if (next !== undefined) return splice(text, { start: child.start, end: next.start }, '')
  return splice(text, { start: parent.start + 1, end: parent.end - 1 }, '')
}

export function writeJson(value: unknown, path: Path): string {
  return JSON.stringify(value, null, 2).replaceAll('\n', `\n${'  '.repeat(path.length)}`)
}

export function valueAt(text: string, node: Node | undefined): unknown {
  return node === undefined ? undefined : JSON.parse(text.slice(node.start, node.end))
}

function inserted(text: string, parent: Node, { at, item }: { readonly at: number; readonly item: string }): string {
  const children = childrenOf(parent)
  const first = children[0]
  if (first === undefined) {
    const lineStart = text.lastIndexOf('\n', parent.start) + 1
    const indent = /^ */.exec(text.slice(lineStart, parent.start))?.[0] ?? ''
    return splice(text, { start: parent.start + 1, end: parent.end - 1 }, `\n${indent}  ${item}\n${indent}`)
  }
  const lead = text.slice(parent.start + 1, first.start)
  const gap = lead.includes('\n') ? lead.slice(lead.lastIndexOf('\n')) : ' '
  const before = children[Math.min(at, children.length) - 1]
  return before === undefined
    ? splice(text, { start: first.start, end: first.start }, `${item},${gap}`)
    : splice(text, { start: before.end, end: before.end }, `,${gap}${item}`)
}

function childrenOf(node: Node | undefined): readonly Span[] {
  if (node?.kind === 'object') return node.members
  return node?.kind === 'list' ? node.items : []
}

function splice(text: string, { start, end }: Span, put: string): string {
  return text.slice(0, start) + put + text.slice(end)
}

function readValue(text: string, start: number): Node {
  const mark = text[start]
  if (mark === '{') return readObject(text, start)
  if (mark === '[') return readList(text, start)
  if (mark === '"') {
    const end = endOfText(text, start)
    return { kind: 'text', start, end, value: String(JSON.parse(text.slice(start, end))) }
  }
  plain.lastIndex = start
  plain.exec(text)
  const end = plain.lastIndex
  return { kind: 'plain', start, end, value: text.slice(start, end) }
}

function readObject(text: string, start: number): Node {
  const members: Member[] = []
  let at = skip(text, start + 1)
  while (text[at] === '"') {
    const nameEnd = endOfText(text, at)
    const value = readValue(text, skip(text, skip(text, nameEnd) + 1))
    members.push({ start: at, end: value.end, name: String(JSON.parse(text.slice(at, nameEnd))), value })
    at = afterComma(text, value.end)
  }
  return { kind: 'object', start, end: at + 1, members }
}

function readList(text: string, start: number): Node {
  const items: Node[] = []
  let at = skip(text, start + 1)
  while (text[at] !== ']') {
    const item = readValue(text, at)
    items.push(item)
    at = afterComma(text, item.end)
  }
  return { kind: 'list', start, end: at + 1, items }
}

function afterComma(text: string, at: number): number {
  const next = skip(text, at)
  return text[next] === ',' ? skip(text, next + 1) : next
}

function endOfText(text: string, start: number): number {
  let at = start + 1
  while (text[at] !== '"') at += text[at] === '\\' ? 2 : 1
  return at + 1
}

function skip(text: string, at: number): number {
  spaces.lastIndex = at
  spaces.exec(text)
  return spaces.lastIndex
}
