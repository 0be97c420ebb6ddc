import { parse, visit } from 'jsonc-parser'

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

const simpleName = /^[A-Za-z_$][\w$]*$/
/** The slashes of an address are no comment. */
const comments = /(?<!https?:)\/\/|\/\*/
/** The text read last: a key press reads one of 300 kB several times, 15 ms each. */
let last: { readonly text: string; readonly top: Node | null } = { text: '', top: null }

/** The values of a text, which may have comments; null: no JSON. */
export function readJson(text: string): Node | null {
  if (last.text === text) return last.top
  const reader = new Reader()
  visit(text, {
    onObjectBegin: (start) => reader.begin({ kind: 'object', start, end: start, members: [] }),
    onArrayBegin: (start) => reader.begin({ kind: 'list', start, end: start, items: [] }),
    onObjectProperty: (name, start) => reader.named(name, start),
    onObjectEnd: (start, length) => reader.end(start + length),
    onArrayEnd: (start, length) => reader.end(start + length),
    onLiteralValue(value, start, length) {
      const end = start + length
      const isText = typeof value === 'string'
      reader.add(
        isText ? { kind: 'text', start, end, value } : { kind: 'plain', start, end, value: text.slice(start, end) },
      )
    },
    onError: () => reader.fail(),
  })
  last = { text, top: reader.top }
  return reader.top
}

/** The text as the service reads it: comments are spaces, so that every other character keeps its place. */
export function withoutComments(text: string): string {
  let read = text
  // A search for a text is much faster than one for a pattern.
  if ((!text.includes('//') && !text.includes('/*')) || !comments.test(text)) return read
  visit(text, {
    onComment(start, length) {
      const end = start + length
      read = read.slice(0, start) + read.slice(start, end).replace(/[^\r\n]/g, ' ') + read.slice(end)
    },
  })
  return read
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
 * @param path   objects that it lacks are added
 * @param value  JSON
 * @param order  names in the usual order of the object, for a new member
 */
export function withValue(text: string, path: Path, value: string, order: readonly string[] = []): string {
  const top = readJson(text)
  const old = find(top ?? undefined, path)
  if (old !== undefined) return splice(text, old, value)
  const parent = find(top ?? undefined, path.slice(0, -1))
  const name = path.at(-1)
  if (typeof name !== 'string') return text
  if (parent === undefined || isNull(parent)) {
    const above = path.slice(0, -1)
    return above.length === 0 ? text : withValue(text, above, `{ ${JSON.stringify(name)}: ${value} }`)
  }
  if (parent.kind !== 'object') return text
  const place = order.indexOf(name)
  const after = parent.members.findLastIndex((member) => {
    const its = order.indexOf(member.name)
    return place === -1 || (its !== -1 && its < place)
  })
  return inserted(text, parent, { at: after + 1, item: `${JSON.stringify(name)}: ${value}` })
}

export function isNull(node: Node): boolean {
  return node.kind === 'plain' && node.value === 'null'
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
  return node === undefined ? undefined : parse(text.slice(node.start, node.end))
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
  const [gap = ' '] = /\n[ \t]*$/.exec(lead) ?? []
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

type Open = { -readonly [Key in keyof Span]: Span[Key] } & (
  | { readonly kind: 'object'; readonly members: Member[] }
  | { readonly kind: 'list'; readonly items: Node[] }
)

class Reader {
  private readonly open: Open[] = []
  private readonly names: { readonly name: string; readonly start: number }[] = []
  private isBroken = false
  private value: Node | null = null

  get top(): Node | null {
    return this.isBroken ? null : this.value
  }

  begin(node: Open): void {
    this.open.push(node)
  }

  end(at: number): void {
    const node = this.open.pop()
    if (node === undefined) return
    node.end = at
    this.add(node)
  }

  named(name: string, start: number): void {
    this.names.push({ name, start })
  }

  add(value: Node): void {
    const parent = this.open.at(-1)
    if (parent === undefined) this.value = value
    else if (parent.kind === 'list') parent.items.push(value)
    else parent.members.push({ ...this.names.pop()!, end: value.end, value })
  }

  fail(): void {
    this.isBroken = true
  }
}
