import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { percentileTexts, resultLines, storeResult } from '../../bench/run/report.js'
import { aRun } from './a-run.js'

t.test('every result is stored as one line of a history', async (t) => {
  const folder = join(t.testdir({}), 'kept')
  for (const result of aRun.results) storeResult(result, aRun.about, folder)
  const lines = readFileSync(join(folder, 'history.ndjson'), 'utf8').trimEnd().split('\n')
  t.same(
    lines.map((line) => JSON.parse(line).name),
    aRun.results.map(({ name }) => name),
  )
  t.match(JSON.parse(lines[1]!), { commit: 'abc1234', seed: 1, p99: 3, figures: { 'p50 against floor/least (x)': 3 } })
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
