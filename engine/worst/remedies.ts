import { type Programme, readProgramme } from '../programme/read-programme.js'
import { isObject } from '../programme/read-values.js'
import type { Reason, Remedy } from './finding.js'
import type { Measured } from './measures.js'
import { guardedSelect, proposals, type ReasonRules, sameCurrency } from './reasons.js'

/** Remedies listed for one finding. */
const listedMax = 3
/** A remedy closes a finding that is by this part less bad with it. */
const closedShare = 0.25

/** Measures the same trial with another programme; null: it is as it should be. */
export type Remeasure = (programme: Programme) => Measured | null

export interface RemedyTask extends ReasonRules {
  readonly document: string
  readonly reason: Reason
  readonly measured: Measured
  readonly remeasure: Remeasure
}

/** Changes of the document that close a finding and leave every benefit of use: each was made, and the basket priced again. */
export function remediesFor(task: RemedyTask): readonly (readonly Remedy[])[] {
  const document: unknown = JSON.parse(task.document)
  if (!isObject(document)) return []
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
  return [[{ path: `venues[${venueId}].dayStartsAt`, value: '05:00' }]]
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
  return again === null || again.score <= measured.score * (1 - closedShare)
}

/** A document with some values changed. Paths name entries of lists by their ids, such as `benefits[happy-hour].group`. */
function withRemedies(document: Doc, remedies: readonly Remedy[]): Doc {
  return remedies.reduce((changed, { path, value }) => withValue(changed, path.split('.'), value) as Doc, document)
}

function withValue(node: unknown, [step, ...rest]: readonly string[], value: unknown): unknown {
  if (step === undefined) return value
  const [, name, id] = /^(\w+)(?:\[(.+)\])?$/.exec(step)!
  const fields = isObject(node) ? node : {}
  const own = fields[name!]
  const changed =
    id === undefined ? withValue(own, rest, value) : withEntry(own, id, (entry) => withValue(entry, rest, value))
  if (changed !== undefined) return { ...fields, [name!]: changed }
  const { [name!]: _, ...others } = fields
  return others
}

function withEntry(list: unknown, id: string, change: (entry: unknown) => unknown): unknown {
  if (!Array.isArray(list)) return list
  return list.map((entry: unknown, place) => (isNamed(entry, id) || String(place) === id ? change(entry) : entry))
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
