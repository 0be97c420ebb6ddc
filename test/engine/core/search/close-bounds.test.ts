import t from 'tap'
import { calculate, compileProgramme } from '../../../../engine/core/index.js'
import { padCase } from '../../../oracle/pad-case.js'
import { tightCases } from '../../../oracle/tight-cases.js'

interface Known {
  readonly kind: string
  readonly seed: number
  readonly stepsMax: number
  readonly gap: number
}

/**
 * Baskets in which one part of the search decides, with how closely it bounds them at least within so many steps.
 */
const known: readonly Known[] = [
  { kind: 'maxima', seed: 213, stepsMax: 60, gap: 2 },
  { kind: 'maxima', seed: 213, stepsMax: 600, gap: 2 },
  { kind: 'chains', seed: 21, stepsMax: 150, gap: 0 },
  { kind: 'chains', seed: 47, stepsMax: 150, gap: 0 },
  { kind: 'chains', seed: 209, stepsMax: 90, gap: 0 },
  { kind: 'chains', seed: 653, stepsMax: 90, gap: 99 },
  { kind: 'chains', seed: 213, stepsMax: 80, gap: 1 },
  { kind: 'chains', seed: 224, stepsMax: 150, gap: 206 },
  { kind: 'orders', seed: 19, stepsMax: 8, gap: 0 },
  { kind: 'maxima', seed: 435, stepsMax: 300, gap: 0 },
  { kind: 'chains', seed: 1253, stepsMax: 15, gap: 200 },
  { kind: 'orders', seed: 1238, stepsMax: 60, gap: 19 },
  { kind: 'orders', seed: 363, stepsMax: 10, gap: 2 },
  { kind: 'orders', seed: 363, stepsMax: 300, gap: 0 },
  { kind: 'orders', seed: 93, stepsMax: 40, gap: 17 },
  { kind: 'orders', seed: 236, stepsMax: 0, gap: 78 },
  { kind: 'pos', seed: 26, stepsMax: 80, gap: 10 },
]

for (const { kind, seed, stepsMax, gap } of known) {
  t.test(`${kind} basket ${seed} is bounded to ${gap} within ${stepsMax} steps`, async (t) => {
    const { benefits, input } = padCase(tightCases[kind]!(seed))
    const found = calculate(compileProgramme(benefits), { ...input, stepsMax })
    t.ok(found.gap <= gap, `${found.gap}`)
  })
}
