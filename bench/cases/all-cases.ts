import { priceCases } from '../engine/price-cases.js'
import { realisticCase } from '../engine/realistic-case.js'
import { searchCases } from '../engine/search-cases.js'
import { wireCases } from '../engine/wire-cases.js'
import type { BenchCase } from './bench-case.js'
import { consoleCase } from './console-case.js'
import { floorCase, gatewayCases } from './gateway-cases.js'
import { idleCase } from './idle-case.js'
import { ladderCases } from './ladder-cases.js'
import { ledgerSizeCase } from './ledger-size-case.js'
import { neighbourCases } from './neighbour-case.js'
import { overloadCases } from './overload-cases.js'
import { peersEndToEndCase } from './peers-end-to-end-case.js'
import { residentCase } from './resident-case.js'
import { scaleCases } from './scale-cases.js'
import { valueCases } from './value-cases.js'
import { valueIdleCase } from './value-idle-case.js'

/** Every case, in report order. */
export const allCases: readonly BenchCase[] = [
  ...priceCases,
  realisticCase,
  ...searchCases,
  ...wireCases,
  ledgerSizeCase,
  ...valueCases,
  valueIdleCase,
  floorCase,
  ...gatewayCases,
  ...ladderCases,
  ...overloadCases,
  ...neighbourCases,
  ...scaleCases,
  consoleCase,
  residentCase,
  idleCase,
  peersEndToEndCase,
]

/**
 * The cases that a pattern selects: part of a name, with `*` as a wildcard, or the whole name of a case or of one of
 * its results.
 */
export function casesFor(cases: readonly BenchCase[], pattern: string): readonly BenchCase[] {
  const named = cases.filter(({ name }) => name === pattern)
  if (named.length > 0) return named
  const wanted = new RegExp(pattern.split('*').map(escaped).join('.*'))
  return cases.filter(({ name }) => wanted.test(name) || pattern.startsWith(`${name}/`))
}

/** The cases that any pattern selects; without patterns all but those that run only by name. Throws on a pattern that selects nothing. */
export function casesForAll(cases: readonly BenchCase[], patterns: readonly string[]): readonly BenchCase[] {
  if (patterns.length === 0) return cases.filter(({ onlyByName = false }) => !onlyByName)
  const picked = new Set<BenchCase>()
  for (const pattern of patterns) {
    const own = casesFor(cases, pattern)
    if (own.length === 0) throw new Error(`no case is named like "${pattern}": npm run bench -- --list`)
    for (const one of own) picked.add(one)
  }
  return cases.filter((one) => picked.has(one))
}

function escaped(text: string): string {
  return text.replace(/[.+?^${}()|[\]\\]/g, '\\$&')
}
