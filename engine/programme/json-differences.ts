/** A place at which two values of JSON differ; null: no value there. */
export interface JsonDifference {
  /** Such as `basket.lines[3].totals.net`; empty: the whole. */
  readonly path: string
  readonly left: string | null
  readonly right: string | null
}

/** Where two values of JSON differ, in the order of the left one, at most `max` places. */
export function jsonDifferences(left: unknown, right: unknown, max: number): readonly JsonDifference[] {
  const found: JsonDifference[] = []
  compare(left, right, { path: '', found, max })
  return found
}

interface Looking {
  readonly path: string
  readonly found: JsonDifference[]
  readonly max: number
}

function compare(left: unknown, right: unknown, looking: Looking): void {
  const { path, found, max } = looking
  if (found.length >= max) return
  if (!isContainer(left) || !isContainer(right) || Array.isArray(left) !== Array.isArray(right)) {
    const [leftText, rightText] = [textOf(left), textOf(right)]
    if (leftText !== rightText) found.push({ path, left: leftText, right: rightText })
    return
  }
  for (const name of new Set([...Object.keys(left), ...Object.keys(right)])) {
    const below = Array.isArray(left) ? `${path}[${name}]` : path === '' ? name : `${path}.${name}`
    compare(memberOf(left, name), memberOf(right, name), { path: below, found, max })
  }
}

function isContainer(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null
}

function memberOf(object: Readonly<Record<string, unknown>>, name: string): unknown {
  return Object.hasOwn(object, name) ? object[name] : undefined
}

function textOf(value: unknown): string | null {
  return value === undefined ? null : JSON.stringify(value)
}
