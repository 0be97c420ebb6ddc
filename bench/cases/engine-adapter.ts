import { engineCases as cases } from '../engine/cases.js'
import type { EngineSettings, Row } from '../engine/engine-case.js'
import type { Result } from '../run/result.js'
import type { BenchCase } from './bench-case.js'

export function engineCases(settings: EngineSettings): readonly BenchCase[] {
  return cases.map((one) => ({
    name: one.name,
    async *run() {
      for await (const row of one.run(settings)) yield resultOfRow(row)
    },
  }))
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
