import type { Result, Run } from '../../bench/run/result.js'

const spread = { p50: 1, p95: 2, p99: 3, p999: null, max: 4, count: 1_000 }
const plain = { unit: 'ms', spread, figures: [], targets: [], note: '' } as const
const curve = [
  [0, 0.5],
  [50, 1],
  [90, 2],
  [99, 3],
  [100, 4],
] as const
const seconds = Array.from({ length: 20 }, (_, at) => ({ at, count: 50, p50: 1, p99: 3, max: 4 + at, errors: 0 }))
const rung = (rate: number, p99: number, held: boolean) => ({
  rate,
  p50: 1,
  p99,
  errors: 0,
  held,
  generatorKept: true,
})
const cost = [1, 10, 100].map((size) => ({ size, micros: 5 * size ** 0.5 }))

const results: readonly Result[] = [
  { ...plain, name: 'floor/least/20', curve },
  {
    ...plain,
    name: 'gateway/basket/20',
    curve,
    figures: [{ name: 'p50 against floor/least', value: 3, unit: 'x' }],
    targets: [{ text: 'p99 <= 25 ms', met: true }],
    note: 'a note with </script> and <b> in it',
  },
  {
    ...plain,
    name: 'ladder/20/service',
    ladder: [rung(100, 3, true), rung(200, 5, true), rung(400, 90, false)],
    figures: [
      { name: 'knee', value: 200, unit: '/s' },
      { name: 'of floor/least', value: 80, unit: '%' },
    ],
    targets: [{ text: 'knee >= 75 % of floor/least', met: true }],
  },
  { ...plain, name: 'spike', curve, seconds, targets: [{ text: 'calm again within 12 s', met: false }] },
  {
    ...plain,
    name: 'cost/lines',
    unit: 'us',
    cost,
    costOf: 'lines',
    figures: [{ name: 'slope', value: 0.5, unit: '' }],
  },
]

/** A small run with one result of every kind that is drawn. */
export const aRun: Run = {
  about: {
    seed: 1,
    commit: 'abc1234',
    node: '20.20.2',
    processor: 'A <processor>',
    cores: 2,
    memoryGb: 4,
    system: 'Linux 6',
    startedAt: '2026-11-21T12:00:00.000Z',
  },
  results,
}
