export interface ProgrammeChange {
  readonly part: 'benefit' | 'currency' | 'earning' | 'tier' | 'exchange' | 'collection' | 'guard' | 'experiment'
  readonly id: string
  readonly name: string
  readonly kind: 'added' | 'changed' | 'removed'
  /** Only for a changed part: its differences, `left` in the base, at most 100. */
  readonly fields: readonly JsonDifference[]
}

const fieldsMax = 100

export const parts = [
  { part: 'benefit', list: 'benefits', id: 'benefitId' },
  { part: 'currency', list: 'currencies', id: 'currencyId' },
  { part: 'earning', list: 'earning', id: 'ruleId' },
  { part: 'tier', list: 'tiers', id: 'tierId' },
  { part: 'exchange', list: 'exchanges', id: 'exchangeId' },
  { part: 'collection', list: 'collections', id: 'collectionId' },
  { part: 'guard', list: 'guards', id: 'guardId' },
  { part: 'experiment', list: 'experiments', id: 'experimentId' },
] as const

type Entry = Readonly<Record<string, unknown>>

/**
 * The changes of a programme against its base, part by part: in the order of the changed one, removed ones last. Fields
 * are compared as written: an absent one and one with its default differ.
 *
 * @param base     JSON of a programme without faults, or of the array of its benefits; null: there is none
 * @param changed  the same
 */
export function diffProgrammes(base: string | null, changed: string): readonly ProgrammeChange[] {
  const [before, after] = [base === null ? {} : contentOf(base), contentOf(changed)]
  return parts.flatMap(({ part, list, id }) => {
    const [left, right] = [byId(before[list], id), byId(after[list], id)]
    return [
      ...[...right].flatMap(([key, entry]) => compare({ part, id: key, name: nameOf(entry) }, left.get(key), entry)),
      ...[...left]
        .filter(([key]) => !right.has(key))
        .map(([key, entry]) => ({ part, id: key, name: nameOf(entry), kind: 'removed' as const, fields: [] })),
    ]
  })
}

function contentOf(text: string): Entry {
  const value = JSON.parse(text) as Entry | readonly Entry[]
  if (Array.isArray(value)) return { benefits: value }
  const { experiments, holdout, ...rest } = value as Entry
  const listed = Array.isArray(experiments) ? experiments : []
  // A global holdout is an experiment with every benefit.
  const all = typeof holdout === 'number' ? [...listed, { experimentId: 'global-holdout', holdout }] : listed
  return { ...rest, experiments: all }
}

function byId(list: unknown, id: string): ReadonlyMap<string, Entry> {
  const entries = Array.isArray(list) ? (list as readonly Entry[]) : []
  return new Map(entries.map((entry) => [String(entry[id]), entry]))
}

function compare(
  named: Pick<ProgrammeChange, 'part' | 'id' | 'name'>,
  before: Entry | undefined,
  after: Entry,
): readonly ProgrammeChange[] {
  if (before === undefined) return [{ ...named, kind: 'added', fields: [] }]
  const fields = jsonDifferences(before, after, fieldsMax)
  return fields.length === 0 ? [] : [{ ...named, kind: 'changed', fields }]
}

function nameOf({ text, name }: Entry): string {
  return typeof text === 'string' ? text : typeof name === 'string' ? name : ''
}

export interface JsonDifference {
  readonly path: string
  readonly left: string | null
  readonly right: string | null
}

/** Where two values of JSON differ, in the order of the left one, at most `max` places. */
export function jsonDifferences(left: unknown, right: unknown, max: number): readonly JsonDifference[] {
  const found: JsonDifference[] = []
  compareAt(left, right, { path: '', found, max })
  return found
}

interface Looking {
  readonly path: string
  readonly found: JsonDifference[]
  readonly max: number
}

function compareAt(left: unknown, right: unknown, looking: Looking): void {
  const { path, found, max } = looking
  if (found.length >= max) return
  if (!isContainer(left) || !isContainer(right) || Array.isArray(left) !== Array.isArray(right)) {
    const [leftText, rightText] = [textOf(left), textOf(right)]
    if (leftText !== rightText) found.push({ path, left: leftText, right: rightText })
    return
  }
  for (const name of new Set([...Object.keys(left), ...Object.keys(right)])) {
    const below = Array.isArray(left) ? `${path}[${name}]` : path === '' ? name : `${path}.${name}`
    compareAt(memberOf(left, name), memberOf(right, name), { path: below, found, max })
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
