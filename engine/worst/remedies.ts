import { isObject } from '../programme/place.js'
import { type Programme, readProgramme } from '../programme/read-programme.js'
import type { Reason, Remedy } from './finding.js'
import type { Measured } from './measures.js'
import { guardedSelect, proposals, type ReasonRules, sameCurrency } from './reasons.js'

const listedMax = 3
const closedShare = 0.25

export type Remeasure = (programme: Programme) => Measured | null

export interface RemedyTask extends ReasonRules {
  readonly document: string
  readonly reason: Reason
  readonly measured: Measured
  readonly remeasure: Remeasure
}

export function remediesFor(task: RemedyTask): readonly (readonly Remedy[])[] {
  const parsed: unknown = JSON.parse(task.document)
  if (!isObject(parsed)) return []
  // Reading price lists again for each change would take longer than everything else.
  const document = { ...parsed, venues: listOf(parsed, 'venues').map(({ products, ...venue }) => venue) }
  const found: (readonly Remedy[])[] = []
  const candidates = [...proposals(task, task.reason, task.measured), ...venueRemedies(document, task)]
  for (const candidate of candidates) {
    if (found.length === listedMax) break
    const filled = candidate.flatMap((remedy) => filledIn(remedy, document, task.measured))
    if (filled.length === candidate.length && closes(filled, document, task)) found.push(filled)
  }
  return found
}

function venueRemedies(document: Doc, { reason, measured }: RemedyTask): readonly (readonly Remedy[])[] {
  const { venueId } = measured.trial.setting.venue
  if (reason !== 'limit_new_at_midnight' || entryOf(document, 'venues', venueId) === undefined) return []
  return [[{ list: 'venues', id: venueId, field: 'dayStartsAt', value: '05:00' }]]
}

type Doc = Readonly<Record<string, unknown>>

function filledIn(remedy: Remedy, document: Doc, { guardId }: Measured): readonly Remedy[] {
  if (remedy.value === guardedSelect) {
    const select = entryOf(document, 'guards', guardId ?? '')?.['select']
    return select === undefined ? [] : [{ ...remedy, value: select }]
  }
  if (remedy.value !== sameCurrency) return [remedy]
  const venues = listOf(document, 'venues')
  const currency = venues[0]?.['currency']
  return [{ ...remedy, value: venues.filter((each) => each['currency'] === currency).map((each) => each['venueId']) }]
}

function closes(remedies: readonly Remedy[], document: Doc, { measured, remeasure }: RemedyTask): boolean {
  const read = readProgramme(JSON.stringify(withRemedies(document, remedies)))
  if (read.kind === 'faulty' || read.warnings.some(({ word }) => word === 'never_applies')) return false
  const again = remeasure(read.programme)
  if (again === null || measured.guardId !== null) return again === null
  return again.score <= measured.score * (1 - closedShare)
}

function withRemedies(document: Doc, remedies: readonly Remedy[]): Doc {
  const changed: Record<string, unknown> = { ...document }
  for (const { list, id, field, value } of remedies) {
    changed[list] = listOf(changed, list).map((entry) =>
      isNamed(entry, id) ? withValue(entry, stepsOf(field), value) : entry,
    )
  }
  return changed
}

function stepsOf(field: string): readonly (string | number)[] {
  return [...field.matchAll(/(\w+)|\[(\d+)\]/g)].map(([, name, place]) => name ?? Number(place))
}

function withValue(node: unknown, [step, ...rest]: readonly (string | number)[], value: unknown): unknown {
  if (step === undefined) return value
  if (typeof step === 'number')
    return Array.isArray(node) ? node.map((each, at) => (at === step ? withValue(each, rest, value) : each)) : node
  const fields = isObject(node) ? node : {}
  const changed = withValue(fields[step], rest, value)
  if (changed !== undefined) return { ...fields, [step]: changed }
  const { [step]: _, ...others } = fields
  return others
}

function entryOf(document: Doc, name: string, id: string): Doc | undefined {
  return listOf(document, name).find((entry) => isNamed(entry, id))
}

function listOf(document: Doc, name: string): readonly Doc[] {
  const list = document[name]
  return Array.isArray(list) ? list.filter(isObject) : []
}

function isNamed(entry: unknown, id: string): boolean {
  return isObject(entry) && [entry['benefitId'], entry['venueId'], entry['guardId']].includes(id)
}
