import t from 'tap'
import { type LinearProgramme, Tableau } from '../../../engine/core/relaxation/simplex.js'

interface Cycling {
  readonly whose: string
  readonly objective: readonly number[]
  readonly first: readonly number[]
  readonly second: readonly number[]
  /** The column that the last row bounds by 1. */
  readonly bounded: number
  readonly greatest: number
}

/** Programmes on which the rule of the greatest cost cycles forever, from the literature. */
const cycling: readonly Cycling[] = [
  {
    whose: 'Beale (1955)',
    objective: [0.75, -150, 0.02, -6],
    first: [0.25, -60, -0.04, 9],
    second: [0.5, -90, -0.02, 3],
    bounded: 2,
    greatest: 0.05,
  },
  {
    whose: 'Beale, as textbooks have it',
    objective: [0.75, -20, 0.5, -6],
    first: [0.25, -8, -1, 9],
    second: [0.5, -12, -0.5, 3],
    bounded: 2,
    greatest: 1.25,
  },
  {
    whose: 'Chvatal (1983)',
    objective: [10, -57, -9, -24],
    first: [0.5, -5.5, -2.5, 9],
    second: [0.5, -1.5, -0.5, 1],
    bounded: 0,
    greatest: 1,
  },
]

for (const { whose, greatest, ...programme } of cycling) {
  t.test(`a programme that cycles comes to its end: ${whose}`, async (t) => {
    const tableau = Tableau.from(programmeOf(programme))
    t.equal(tableau.optimise(), 'optimal')
    t.ok(Math.abs(tableau.value - greatest) < 1e-9, `${tableau.value}`)
  })
}

t.test('an optimisation with an exhausted budget reports that it is stuck, at a feasible value', async (t) => {
  const tableau = Tableau.from(programmeOf(cycling[0]!))
  tableau.workMax = -1
  t.equal(tableau.optimise(), 'stuck')
  t.equal(tableau.value, 0)
})

function programmeOf({ objective, first, second, bounded }: Omit<Cycling, 'whose' | 'greatest'>): LinearProgramme {
  return {
    objective,
    upper: objective.map(() => Number.POSITIVE_INFINITY),
    rows: [
      { entries: first.map((each, column) => [column, each] as const), most: 0 },
      { entries: second.map((each, column) => [column, each] as const), most: 0 },
      { entries: [[bounded, 1]], most: 1 },
    ],
  }
}

t.test('a bound that only a tiny coefficient can meet is not called out of reach', async (t) => {
  const tiny = 1e-8
  const programme = {
    objective: [0, 0],
    upper: [1, 1e9],
    rows: [
      {
        entries: [
          [0, 1],
          [1, -tiny],
        ] as const,
        most: 0,
      },
    ],
  }
  const narrowed = (upper: number) => {
    const tableau = Tableau.from({ ...programme, upper: [1, upper] })
    t.equal(tableau.optimise(), 'optimal')
    tableau.narrow(0, 1, 1)
    return tableau.restore(Number.NEGATIVE_INFINITY)
  }
  t.equal(narrowed(1e9), 'stuck')
  t.equal(narrowed(1e7), 'infeasible')
})
