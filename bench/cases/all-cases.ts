import { engineCases } from '../engine/cases.js'
import type { EngineCase, EngineSettings, Row } from '../engine/engine-case.js'
import type { Result } from '../run/result.js'
import type { BenchCase } from './bench-case.js'
import { consoleCase } from './console-case.js'
import { costOfPartsCase } from './cost-of-parts-case.js'
import { floorCases } from './floor-cases.js'
import { gatewayCases } from './gateway-cases.js'
import { idleCase } from './idle-case.js'
import { ladderCases } from './ladder-cases.js'
import { ledgerSizeCase } from './ledger-size-case.js'
import { neighbourCases } from './neighbour-case.js'
import { overloadCases } from './overload-cases.js'
import { peerCases } from './peer-cases.js'
import { residentCase } from './resident-case.js'
import { scaleCases } from './scale-cases.js'
import { confirmHotCase } from './store-cases.js'
import { valueCases } from './value-cases.js'
import { valueIdleCase } from './value-idle-case.js'

/** Every case, in report order. */
export function allCases(settings: EngineSettings): readonly BenchCase[] {
  return [
    ...engineCases.map((one) => ofEngine(one, settings)),
    ...peerCases,
    confirmHotCase,
    ledgerSizeCase,
    ...valueCases,
    valueIdleCase,
    ...floorCases,
    ...gatewayCases,
    ...ladderCases,
    costOfPartsCase,
    ...overloadCases,
    ...neighbourCases,
    ...scaleCases,
    consoleCase,
    residentCase,
    idleCase,
  ]
}

function ofEngine({ name, run }: EngineCase, settings: EngineSettings): BenchCase {
  return {
    name,
    async *run() {
      for await (const row of run(settings)) yield resultOfRow(row)
    },
  }
}

function resultOfRow({ name, spread, unit, note, target }: Row): Result {
  const { median, p95, p99, max, count, cpu } = spread
  return {
    name,
    unit,
    spread: { p50: median, p95, p99, p999: null, max, count },
    figures: cpu === null ? [] : [{ name: 'cpu', value: cpu, unit }],
    targets: target === null ? [] : [target],
    note,
  }
}

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

/** The cases that any pattern selects; all without patterns. Throws on a pattern that selects nothing. */
export function casesForAll(cases: readonly BenchCase[], patterns: readonly string[]): readonly BenchCase[] {
  if (patterns.length === 0) return cases
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
