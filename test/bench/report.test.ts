import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { percentileTexts, resultLines, writeTable } from '../../bench/run/report.js'
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
const aRun = { about, results }

t.test('the results are rows of a table for the page, the missed ones marked', async (t) => {
  const folder = join(t.testdir({}), 'kept')
  const text = writeTable(aRun.results, aRun.about, folder)
  t.equal(readFileSync(join(folder, 'table.md'), 'utf8'), text)
  t.ok(text.startsWith('seed 1, commit abc1234, node 20.20.2'))
  t.ok(
    text.includes(
      '| `gateway/basket/20` | p50 1.00, p95 2.00, p99 3.00 ms; p50 against floor/least 3.00x | p99 <= 25 ms |\n',
    ),
  )
  t.match(text, /`ladder\/20\/service` .* \| \*\*missed: knee >= 75 % of floor\/least\*\* \|/)
})

t.test('the terminal shows figures, targets and notes of a result', async (t) => {
  const text = resultLines(aRun.results[1]!).join('\n')
  for (const part of ['gateway/basket/20', '3.00', 'against floor/least 3.00x', 'met: p99 <= 25 ms', 'a note']) {
    t.ok(text.includes(part), part)
  }
  t.match(resultLines(aRun.results[2]!).join('\n'), /MISSED: knee >= 75 %/)
  t.match(resultLines(aRun.results[2]!).slice(-3), [/ p50 +p99$/, /100\/s +1\.0 ms +3\.0 ms/, /400\/s +1\.0 ms +90 ms/])
})

t.test('percentiles of too few samples are left out', async (t) => {
  const shown = (count: number) => percentileTexts({ p50: 1, p95: 2, p99: 3, p999: null, max: 4, count })
  t.same(shown(1), ['1.00', '', '', '', '4.00'])
  t.same(shown(20), ['1.00', '2.00', '', '', '4.00'])
  t.same(shown(100), ['1.00', '2.00', '3.00', '', '4.00'])
  t.match(
    resultLines({ ...aRun.results[0]!, spread: { ...aRun.results[0]!.spread, count: 5 } })[0],
    /1\.00 +- +- +- +4\.00/,
  )
})
