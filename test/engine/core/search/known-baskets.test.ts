import t from 'tap'
import { calculate, compileProgramme } from '../../../../engine/core/index.js'
import { bestOutcome } from '../../../oracle/best-outcome.js'
import { generateCase } from '../../../oracle/generate-case.js'
import { padCase } from '../../../oracle/pad-case.js'
import { tightCases } from '../../../oracle/tight-cases.js'

/** Steps that the work in progress may still take at the end of the budget. */
const passedByMax = 300
const enough = 20_000
const budgets = [enough, 600, 150, 40, 0]

interface Known {
  readonly kind: string
  /** The smallest budget here that proves the best outcome of each of these baskets; infinite: none does. */
  readonly provenWithin: number
  readonly seeds: readonly number[]
}

/**
 * Baskets whose order discounts separate lines, or with stackable maximum amounts: chosen so that each exercises many parts of the
 * search across lines. Further lines that change nothing prevent enumeration from correcting the search.
 */
const known: readonly Known[] = [
  {
    kind: 'random',
    provenWithin: enough,
    seeds: [
      1000, 1937, 1985, 4789, 5272, 5628, 7241, 7501, 9031, 13_971, 14_314, 14_434, 18_155, 19_029, 28_618, 31_321,
      33_533, 34_371, 43_901, 48_598, 48_848,
    ],
  },
  { kind: 'chains', provenWithin: Number.POSITIVE_INFINITY, seeds: [205, 6864, 25_493] },
  { kind: 'chains', provenWithin: enough, seeds: [608, 3586] },
  { kind: 'chains', provenWithin: 600, seeds: [27, 163, 816, 7920, 10_172, 10_603, 13_059] },
  { kind: 'chains', provenWithin: 300, seeds: [12_027, 382, 10_313] },
  { kind: 'chains', provenWithin: 150, seeds: [60, 253, 448, 469, 1482, 1678, 2375, 2998, 3237, 4266, 4856, 15_339] },
  { kind: 'chains', provenWithin: 40, seeds: [76, 2329, 2534, 3295] },
  { kind: 'chains', provenWithin: 100, seeds: [2337, 4368] },
  { kind: 'chains', provenWithin: 0, seeds: [47, 644] },
  { kind: 'orders', provenWithin: 150, seeds: [552, 2617, 4647, 4974] },
  { kind: 'orders', provenWithin: 40, seeds: [288, 363] },
  { kind: 'maxima', provenWithin: 600, seeds: [1834, 5216, 20_877, 29_878, 406, 2732, 24_268] },
  { kind: 'maxima', provenWithin: enough, seeds: [1454] },
  { kind: 'maxima', provenWithin: 150, seeds: [3275, 3847, 7351, 21_186] },
  { kind: 'maxima', provenWithin: 40, seeds: [1922, 22_566] },
  { kind: 'maxima', provenWithin: 100, seeds: [2408] },
  { kind: 'pos', provenWithin: enough, seeds: [22] },
  { kind: 'pos', provenWithin: Number.POSITIVE_INFINITY, seeds: [796] },
  { kind: 'pos', provenWithin: 600, seeds: [2692, 10_834] },
]

for (const { kind, provenWithin, seeds } of known) {
  for (const seed of seeds) {
    t.test(
      `in ${kind} basket ${seed} the search alone proves the best with its budget, and bounds it truly at every budget`,
      async (t) => {
        const question = tightCases[kind]?.(seed) ?? generateCase(seed)
        const { benefits, input } = padCase(question)
        const programme = compileProgramme(benefits)
        const { value } = bestOutcome(question)
        for (const stepsMax of new Set([provenWithin, ...budgets].filter(Number.isFinite))) {
          const said = calculate(programme, { ...input, stepsMax })
          const { value: worth, gap, steps } = said
          if (stepsMax >= provenWithin)
            t.match(said, { value, optimal: true }, `${worth} + ${gap} at ${stepsMax} steps`)
          t.ok(worth <= value && value <= worth + gap, `${worth} + ${gap} at ${stepsMax} steps`)
          t.ok(steps > 0 || stepsMax === 0)
          t.ok(steps <= stepsMax * 1.1 + passedByMax, `${steps} of ${stepsMax} steps`)
        }
      },
    )
  }
}

interface Bounded {
  readonly kind: string
  readonly seed: number
  readonly stepsMax: number
  readonly gapMax: number
}

/**
 * Baskets in which one part of the search decides, with its bound within `stepsMax` at least.
 */
const bounded: readonly Bounded[] = [
  { kind: 'maxima', seed: 213, stepsMax: 60, gapMax: 2 },
  { kind: 'maxima', seed: 213, stepsMax: 600, gapMax: 2 },
  { kind: 'chains', seed: 21, stepsMax: 150, gapMax: 0 },
  { kind: 'chains', seed: 47, stepsMax: 150, gapMax: 0 },
  { kind: 'chains', seed: 209, stepsMax: 90, gapMax: 0 },
  { kind: 'chains', seed: 653, stepsMax: 90, gapMax: 99 },
  { kind: 'chains', seed: 213, stepsMax: 80, gapMax: 1 },
  { kind: 'chains', seed: 224, stepsMax: 150, gapMax: 206 },
  { kind: 'orders', seed: 19, stepsMax: 8, gapMax: 0 },
  { kind: 'maxima', seed: 435, stepsMax: 300, gapMax: 0 },
  { kind: 'chains', seed: 1253, stepsMax: 15, gapMax: 200 },
  { kind: 'orders', seed: 1238, stepsMax: 60, gapMax: 19 },
  { kind: 'orders', seed: 363, stepsMax: 10, gapMax: 2 },
  { kind: 'orders', seed: 363, stepsMax: 300, gapMax: 0 },
  { kind: 'orders', seed: 93, stepsMax: 40, gapMax: 17 },
  { kind: 'orders', seed: 236, stepsMax: 0, gapMax: 78 },
  { kind: 'pos', seed: 26, stepsMax: 80, gapMax: 10 },
]

for (const { kind, seed, stepsMax, gapMax } of bounded) {
  t.test(`${kind} basket ${seed} is bounded to ${gapMax} within ${stepsMax} steps`, async (t) => {
    const { benefits, input } = padCase(tightCases[kind]!(seed))
    const found = calculate(compileProgramme(benefits), { ...input, stepsMax })
    t.ok(found.gap <= gapMax, `${found.gap}`)
  })
}
