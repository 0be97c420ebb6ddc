import { freeName } from '../programme/builder/edits.js'
import {
  itemsOf,
  readJson,
  textIn,
  valueAt,
  withItem,
  withoutComments,
  withValue,
  writeJson,
} from '../programme/builder/json-text.js'
import { idNames } from '../programme/merge.js'

export interface NewBenefit {
  readonly benefitId: string
  readonly [field: string]: unknown
}

/** Entries for a programme, by its lists. */
export interface Fragment {
  readonly benefits: readonly NewBenefit[]
  readonly [list: string]: readonly object[]
}

/** The place of a benefit in a document, from 0; -1: not there. */
export function placeIn(document: string, benefitId: string): number {
  return itemsOf(readJson(document), ['benefits']).findIndex((item) => textIn(item, 'benefitId') === benefitId)
}

/** The text of a benefit as it stands in a document; '': not there. */
export function benefitText(document: string, benefitId: string): string {
  const node = itemsOf(readJson(document), ['benefits'])[placeIn(document, benefitId)]
  return node === undefined ? '' : document.slice(node.start, node.end)
}

/** The document with another value of a field of a benefit; every other character stays. */
export function withBenefitField(document: string, benefitId: string, [field, value]: [string, unknown]): string {
  const place = placeIn(document, benefitId)
  return place === -1 ? document : withValue(document, ['benefits', place, field], JSON.stringify(value), fieldOrder)
}

const fieldOrder = ['benefitId', 'text', 'description', 'campaign', 'enabled', 'validFrom', 'validUntil']

/** A copy of a benefit, switched off, with ids of its own. */
export function copyOf(document: string, benefitId: string): Fragment {
  const node = itemsOf(readJson(document), ['benefits'])[placeIn(document, benefitId)]
  return { benefits: [{ ...(valueAt(document, node) as NewBenefit), enabled: false }] }
}

/** The document with the entries at the ends of its lists; ids that it has already get a number. */
export function withFragment(document: string, fragment: Fragment): string {
  const renamed = withFreeIds(document, fragment)
  return Object.entries(renamed).reduce(
    (text, [list, entries]) => entries.reduce<string>((before, entry) => withEntry(before, list, entry), text),
    document,
  )
}

function withEntry(document: string, list: string, entry: object): string {
  const { length } = itemsOf(readJson(document), [list])
  if (length > 0) return withItem(document, [list], length, writeJson(entry, [list, 0]))
  return withValue(document, [list], `[${writeJson(entry, [list])}]`)
}

/** The fragment with other ids in place of those that the document has; what names them follows. */
function withFreeIds(document: string, fragment: Fragment): Fragment {
  const keyOf = (name: string, id: unknown) => `${name}/${id}`
  const taken = new Set<string>()
  JSON.parse(withoutComments(document), (name, value) => {
    taken.add(keyOf(name, value))
    return value
  })
  const entryIds = Object.entries(fragment).flatMap(([list, entries]) =>
    entries.map((entry) => [idNames[list]!, (entry as Record<string, string>)[idNames[list]!]!] as const),
  )
  const limits = fragment.benefits.flatMap((benefit) => (benefit['limits'] ?? []) as readonly { limitId: string }[])
  const names = [...entryIds, ...limits.map(({ limitId }) => ['limitId', limitId] as const)]
  const free = new Map<string, string>()
  for (const [name, id] of names) {
    const own = freeName(id, { has: (one) => taken.has(keyOf(name, one)) })
    taken.add(keyOf(name, own))
    free.set(keyOf(name, id), own)
  }
  return JSON.parse(JSON.stringify(fragment), (name, value) => free.get(keyOf(name, value)) ?? value)
}
