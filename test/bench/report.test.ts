import { execFile } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import t from 'tap'
import { chartsOf } from '../../bench/report/charts.js'
import { renderReport } from '../../bench/report/render-report.js'
import { percentileTexts, resultLines } from '../../bench/report/result-text.js'
import { scorecard, scorecardLines } from '../../bench/report/scorecard.js'
import { readLastRun, storeResult, storeRun } from '../../bench/report/store-run.js'
import type { Result, Target } from '../../bench/run/result.js'
import { aRun } from './a-run.js'

const browsers = ['chromium', 'chromium-browser', 'google-chrome']
const browserMs = 120_000

t.test('the report is one page that fetches nothing', async (t) => {
  const html = renderReport(aRun)
  t.notMatch(html, /<(link|img|iframe)\b/)
  t.notMatch(html, /\ssrc=/)
  t.notMatch(html, /@import|url\(/)
  t.notMatch(html, /\bfetch\(|XMLHttpRequest|new WebSocket/)
  t.equal(html.match(/<script/g)?.length, html.match(/<\/script>/g)?.length, 'no text of a result ends a script')
})

t.test('it names every result, every target and the properties of the run', async (t) => {
  const html = renderReport(aRun)
  for (const { name, targets } of aRun.results) {
    t.ok(html.includes(`<code>${name}</code>`), name)
    for (const { text } of targets) t.ok(html.includes(text.replace(/[<>]/g, (one) => `&#${one.charCodeAt(0)};`)), text)
  }
  t.match(html, /abc1234/)
  t.match(html, /A &#60;processor&#62;/)
  t.match(html, /2 of 3 targets met/)
  t.match(html, /of floor\/least<\/span>.*<b>0\.800x<\/b>/, 'a share is a ratio like the others')
})

t.test('everything drawable is drawn: curves, ladders with their knee, time, cost with its slope', async (t) => {
  const charts = chartsOf(aRun.results)
  t.same(
    charts.map(({ title }) => title),
    [
      'Latency by percentile: 20 lines',
      'Latency by percentile: starts, soaks and spikes',
      'Ladder: 20 lines',
      'Over time: spike',
      'Cost by lines',
    ],
  )
  const [curves, , ladder, time, cost] = charts
  t.same(curves?.series[0]?.points.at(-1), [1_000, 4], 'the slowest of a thousand stands at one in a thousand')
  t.same(
    curves?.series[0]?.points.find(([x]) => Math.abs(x - 100) < 1e-6)?.[1],
    3,
    'the 99th percentile is one in a hundred',
  )
  t.same(ladder?.series[1], { label: 'knee 200/s', points: [[200, 5]], dots: true, joined: true })
  t.same(
    time?.series.map(({ label }) => label),
    ['p50', 'max'],
    'of 50 requests a second there is no p99',
  )
  const [measured, fit] = cost!.series
  for (const [at, [size, micros]] of measured!.points.entries()) {
    t.equal(fit!.points[at]![0], size)
    t.ok(Math.abs(fit!.points[at]![1] - micros) < 1e-6, 'a cost that is a power of the size lies on its line')
  }
})

t.test('a browser draws every chart without an error', async (t) => {
  const file = join(t.testdir({}), 'report.html')
  writeFileSync(file, renderReport(aRun))
  const shown = await shownBy(file)
  if (shown === null) {
    t.comment('no Chromium that runs here: the page is only checked as text')
    t.match(renderReport(aRun), /new uPlot\(/)
    return
  }
  const { dom, complaints } = shown
  t.same(complaints, [], 'nothing on the console')
  t.match(dom, new RegExp(`data-drawn="${chartsOf(aRun.results).length}"`), 'the page’s script ran to its end')
  t.equal(dom.match(/<canvas/g)?.length, chartsOf(aRun.results).length)
})

t.test('a run is stored for the report, and every result as one line of a history', async (t) => {
  const folder = join(t.testdir({}), 'kept')
  t.equal(readLastRun(folder), null)
  storeRun(aRun, folder)
  t.same(readLastRun(folder), aRun)
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
  t.match(resultLines(aRun.results[3]!).join('\n'), /MISSED: calm again/)
})

t.test('a page that throws is reported, so that silence means something', async (t) => {
  const file = join(t.testdir({}), 'broken.html')
  writeFileSync(file, renderReport(aRun).replace('for (const chart of charts) draw(chart);', 'draw(undefined);'))
  const shown = await shownBy(file)
  if (shown === null) t.comment('no Chromium that runs here')
  else t.match(shown.complaints.join('\n'), /Uncaught TypeError/)
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

t.test('a promise names its missed targets, and why it cannot be judged', async (t) => {
  const everyday = { ...aRun.results[0]!, name: 'gateway/everyday' }
  const missed = [
    { text: 'p95 <= 5 ms', met: true },
    { text: 'p99 <= 10 ms', met: false },
  ]
  const late = { text: 'generator on time', met: false }
  const judged = (...targets: readonly Target[]) => scorecard([{ ...everyday, targets }])[0]
  t.match(judged(...missed), {
    verdict: 'missed',
    why: 'p99 <= 10 ms',
    measured: 'p95 2.00, p99 3.00, p99.9 of too few samples ms',
  })
  t.match(judged(...missed, late), { verdict: 'not judged', why: 'the generator could not keep its rate' })
  t.match(judged(missed[0]!, late), { verdict: 'met', why: '' }, 'met in spite of a late generator')
  t.match(scorecard([])[0], { verdict: 'not judged', why: 'not judged in this run: gateway/everyday' })
  const silent = { ...everyday, spread: { ...everyday.spread, count: 0 }, note: 'it did not start' }
  t.match(scorecard([silent])[0], { verdict: 'missed', why: 'it did not start' })
})

t.test('every promise about speed is named as met, missed or not judged', async (t) => {
  const verdicts = Object.fromEntries(scorecard(aRun.results).map(({ name, verdict }) => [name, verdict]))
  t.equal(verdicts['knee, 20 lines'], 'met')
  t.equal(verdicts['knee, 200 lines'], 'not judged')
  const ready = (met: boolean) => [{ text: 'ready within 2 s', met }]
  const [first, second] = ['cold/first-start', 'cold/second-start'].map((name) => ({ ...aRun.results[0]!, name }))
  const start = (...given: Result[]) => scorecard(given).find(({ name }) => name.startsWith('start'))
  t.match(start({ ...first!, targets: ready(true) }), { verdict: 'not judged' }, 'one of two starts')
  t.match(start({ ...first!, targets: ready(true) }, { ...second!, targets: ready(true) }), { verdict: 'met' })
  t.match(start({ ...first!, targets: ready(false) }, { ...second!, targets: ready(true) }), { verdict: 'missed' })
  const html = renderReport(aRun)
  for (const line of scorecardLines(aRun.results)) t.match(line, /^ {2}(met|missed|not judged| {11}) /)
  t.match(html, /knee, 20 lines<\/td>.*<td class="text">80\.0%<\/td><td class="text met">met/)
})

interface Shown {
  /** The page after its scripts have run. */
  readonly dom: string
  /** Its console output, errors included. */
  readonly complaints: readonly string[]
}

/** null where no browser runs here. */
async function shownBy(file: string): Promise<Shown | null> {
  const words = [
    '--headless',
    '--no-sandbox',
    '--disable-gpu',
    '--disable-quic',
    '--no-first-run',
    '--disable-background-networking',
    '--disable-component-update',
    '--disable-sync',
    `--user-data-dir=${join(dirname(file), 'profile')}`,
    '--enable-logging=stderr',
    '--virtual-time-budget=5000',
    '--dump-dom',
  ]
  for (const browser of browsers) {
    const ran = await promisify(execFile)(browser, [...words, pathToFileURL(file).href], {
      timeout: browserMs,
      maxBuffer: 2 ** 26,
    }).catch((error: NodeJS.ErrnoException) => error)
    if (!(ran instanceof Error)) {
      return { dom: ran.stdout, complaints: ran.stderr.split('\n').filter((line) => line.includes(':CONSOLE')) }
    }
    if (ran.code !== 'ENOENT') return null
  }
  return null
}
