import t from 'tap'
import { calculate, compileProgramme } from '../../../engine/core/index.js'
import { padCase } from '../../oracle/pad-case.js'
import { tightCases } from '../../oracle/tight-cases.js'

interface Known {
  readonly kind: string
  readonly seed: number
  readonly stepsMax: number
  readonly gap: number
  readonly steps: number
}

/**
 * Baskets in which one part of the search decides, with its bound after so many steps and the steps it takes. A better search has
 * other figures; update them here.
 */
const known: readonly Known[] = [
  { kind: 'maxima', seed: 213, stepsMax: 60, gap: 2, steps: 84 },
  { kind: 'maxima', seed: 213, stepsMax: 600, gap: 1, steps: 572 },
  { kind: 'chains', seed: 21, stepsMax: 150, gap: 0, steps: 57 },
  { kind: 'chains', seed: 47, stepsMax: 150, gap: 0, steps: 180 },
  { kind: 'chains', seed: 209, stepsMax: 90, gap: 0, steps: 88 },
  { kind: 'chains', seed: 653, stepsMax: 90, gap: 99, steps: 103 },
  { kind: 'chains', seed: 213, stepsMax: 80, gap: 1, steps: 100 },
  { kind: 'chains', seed: 224, stepsMax: 150, gap: 206, steps: 86 },
  { kind: 'orders', seed: 19, stepsMax: 8, gap: 0, steps: 25 },
  { kind: 'maxima', seed: 435, stepsMax: 300, gap: 0, steps: 121 },
  { kind: 'chains', seed: 1253, stepsMax: 15, gap: 200, steps: 31 },
  { kind: 'orders', seed: 1238, stepsMax: 60, gap: 19, steps: 62 },
  { kind: 'orders', seed: 363, stepsMax: 10, gap: 2, steps: 40 },
  { kind: 'orders', seed: 363, stepsMax: 300, gap: 0, steps: 39 },
  { kind: 'orders', seed: 93, stepsMax: 40, gap: 17, steps: 43 },
  { kind: 'orders', seed: 236, stepsMax: 0, gap: 78, steps: 29 },
  { kind: 'pos', seed: 26, stepsMax: 80, gap: 9, steps: 152 },
]

for (const { kind, seed, stepsMax, gap, steps } of known) {
  t.test(`${kind} basket ${seed} is bounded to ${gap} within ${stepsMax} steps`, async (t) => {
    const { benefits, input } = padCase(tightCases[kind]!(seed))
    t.match(calculate(compileProgramme(benefits), { ...input, stepsMax }), { gap, steps })
  })
}
