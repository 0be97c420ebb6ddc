/** A part of a programme document, as it is written. */
export type ProgrammePart = Readonly<Record<string, unknown>>

/** The parts of a list of a document by their ids; empty where there is no such list. */
export function partsOf(document: ProgrammePart, list: string, id: string): ReadonlyMap<string, ProgrammePart> {
  return new Map(listIn(document, list).map((part) => [String(part[id] ?? ''), part]))
}

export function listIn(part: ProgrammePart, name: string): readonly ProgrammePart[] {
  const list = part[name]
  return Array.isArray(list) ? list.filter(isPart) : []
}

export function partIn(part: ProgrammePart, name: string): ProgrammePart | null {
  const value = part[name]
  return isPart(value) ? value : null
}

export function textsIn(part: ProgrammePart, name: string): readonly string[] {
  const list = part[name]
  return Array.isArray(list) ? list.map(String) : []
}

/** null: there is none. */
export function numberIn(part: ProgrammePart, name: string): number | null {
  const value = part[name]
  return typeof value === 'number' ? value : null
}

export function textIn(part: ProgrammePart, name: string): string {
  const value = part[name]
  return typeof value === 'string' ? value : ''
}

function isPart(value: unknown): value is ProgrammePart {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Whether two values are the same, however they are written; null and absent are. */
export function isSame(left: unknown, right: unknown): boolean {
  return JSON.stringify(sorted(left) ?? null) === JSON.stringify(sorted(right) ?? null)
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (!isPart(value)) return value
  const members = Object.entries(value).filter(([, one]) => one !== null)
  return Object.fromEntries(
    members.toSorted(([left], [right]) => (left < right ? -1 : 1)).map(([name, one]) => [name, sorted(one)]),
  )
}
