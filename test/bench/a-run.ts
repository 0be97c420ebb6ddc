import type { About, Result } from '../../bench/run/result.js'

const spread = { p50: 1, p95: 2, p99: 3, p999: null, max: 4, count: 1_000 }
const plain = { unit: 'ms', spread, figures: [], targets: [], note: '' } as const
const rung = (rate: number, p99: number) => ({
  name: `${rate}/s`,
  cells: [
    { name: 'p50', value: 1, unit: 'ms' },
    { name: 'p99', value: p99, unit: 'ms' },
  ],
})

const results: readonly Result[] = [
  { ...plain, name: 'floor/least/20' },
  {
    ...plain,
    name: 'gateway/basket/20',
    figures: [{ name: 'p50 against floor/least', value: 3, unit: 'x' }],
    targets: [{ text: 'p99 <= 25 ms', met: true }],
    note: 'a note',
  },
  {
    ...plain,
    name: 'ladder/20/service',
    table: [rung(100, 3), rung(400, 90)],
    targets: [{ text: 'knee >= 75 % of floor/least', met: false }],
  },
]

const about: About = {
  seed: 1,
  commit: 'abc1234',
  node: '20.20.2',
  processor: 'A processor',
  cores: 2,
}

/** A small run with a target met, one missed and a table. */
export const aRun = { about, results }
