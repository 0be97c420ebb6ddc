import type { Benefit } from '../../../engine/core/base/programme.js'
import { generateCase } from '../../oracle/generate-case.js'
import type { Dice } from '../../support/dice.js'
import { aVenue, changed, type Json, type JsonObject } from './a-programme.js'
import { placesIn } from './rich-programme.js'

/** A document with one change, and its description. */
export interface Mutated {
  readonly path: string
  readonly what: string
  readonly value: JsonObject
}

/** Values of no field's type, or just outside its range. */
const odd: readonly Json[] = [
  null,
  true,
  0,
  -1,
  1.5,
  101,
  9007199254740992,
  1e300,
  'x',
  '',
  'a\u0007',
  'x'.repeat(65),
  'x'.repeat(129),
  [],
  ['x'],
  {},
]

/** The last value inside a range, and the first outside. */
const edges: readonly Json[] = [
  ...[1, 100, 100_000, 100_001, 1_000_000_000, 1_000_000_001, -1_000_000_000, -1_000_000_001],
  ...[0.0001, 9007199254740991, 'x'.repeat(64), 'x'.repeat(128), '🥐'.repeat(64), '🥐'.repeat(128)],
]

/** Valid in form only, besides the odd values. */
const nearly: readonly Json[] = [
  ...odd,
  1,
  33.33333,
  1e-7,
  '2026-02-30T00:00:00Z',
  '2026-01-01T24:00:00Z',
  '2026-12-31T23:59:60Z',
  '2026-06-15T12:00:60Z',
  '2026-01-01',
  '24:00',
  '23:59',
  'Europe/Atlantis',
  'America/New_York',
  'europe/oslo',
  'EUR',
  'DEM',
  'stackable',
  'add',
  'units',
  'line',
  'free_product',
  'order_amount',
]

/**
 * The document with each of its values in turn removed, replaced by each odd value or edge, given an unknown field or doubled. Of
 * lists other than the benefits only the first entry is changed.
 */
export function* mutated(document: JsonObject): Generator<Mutated> {
  for (const path of placesIn(document, '')) {
    if (/(?<!^benefits)\[[1-9]\d*\]/.test(path) && !/^benefits\[\d+\](?!.*\[[1-9])/.test(path)) continue
    yield { path, what: `without ${path}`, value: changed(document, path, undefined) }
    for (const value of [...odd, ...edges])
      yield { path, what: `${path} = ${JSON.stringify(value)}`, value: changed(document, path, value) }
    yield { path, what: `${path}.unknown`, value: changedWithin(document, path, 'unknown', 1) }
    yield { path, what: `${path} and another`, value: changedWithin(document, path, '', null) }
  }
}

/** Adds a member to an object, or a first entry to a list; anything else stays. */
function changedWithin(document: JsonObject, path: string, name: string, value: Json): JsonObject {
  const here = valueAt(document, path)
  if (Array.isArray(here)) return changed(document, path, [...here, here[0] ?? value])
  if (typeof here !== 'object' || here === null || name === '') return document
  return changed(document, path, { ...here, [name]: value })
}

function valueAt(document: JsonObject, path: string): Json {
  const steps = path.split(/[.[\]]+/).filter((step) => step !== '')
  return steps.reduce<Json>((value, step) => (value as JsonObject)[step]!, document)
}

/** A random programme: the oracle's benefits; two of three programmes get up to three nearly valid values. */
export function drawProgramme(dice: Dice): JsonObject {
  const { benefits } = generateCase(dice.between(1, 1_000_000))
  let document: JsonObject = {
    benefits: benefits.map(documentOf),
    ...(dice.chance(0.7)
      ? { venues: [aVenue(), aVenue({ venueId: 'v-2', baxIds: ['200'] })].slice(dice.between(0, 2)) }
      : {}),
    ...(dice.chance(0.5) ? { members: [{ memberId: 'm-1', loyaltyIds: ['LOY-1'], segments: ['a'] }] } : {}),
    ...(dice.chance(0.3) ? { metadata: { drawn: true } } : {}),
  }
  const changes = dice.chance(0.65) ? dice.between(1, 3) : 0
  for (let change = 0; change < changes; change += 1) {
    const places = placesIn(document, '')
    if (places.length === 0) break
    const scarce = places.filter((place) => /\.(timeZone|percentage)$/.test(place))
    const path = dice.pick(scarce.length > 0 && dice.chance(0.2) ? scarce : places)
    document = changed(document, path, drawValue(dice, document, path))
  }
  return document
}

/** Nothing, something nearly valid, or the value of a field of the same name elsewhere. */
function drawValue(dice: Dice, document: JsonObject, path: string): Json | undefined {
  if (dice.chance(0.15)) return undefined
  const name = path.slice(path.lastIndexOf('.') + 1)
  const alike = placesIn(document, '').filter((place) => place.endsWith(`.${name}`))
  return alike.length > 0 && dice.chance(0.4) ? valueAt(document, dice.pick(alike)) : dice.pick(nearly)
}

function documentOf({ limits, ...benefit }: Benefit): JsonObject {
  const moment = (at: number | null) => (at === null ? null : new Date(at).toISOString())
  const schedule = benefit.schedule?.map((window) => ({
    ...window,
    from: clock(window.from),
    until: clock(window.until),
  }))
  const written = {
    ...benefit,
    validFrom: moment(benefit.validFrom),
    validUntil: moment(benefit.validUntil),
    schedule: schedule ?? null,
    ...(limits.length > 0 ? { limits } : {}),
  }
  return JSON.parse(JSON.stringify(written, (key, value) => (key === 'percentage' ? value / 10_000 : value)))
}

function clock(minutes: number): string {
  return [Math.floor(minutes / 60), minutes % 60].map((part) => String(part).padStart(2, '0')).join(':')
}
