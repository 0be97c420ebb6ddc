import t from 'tap'
import { mergeMetrics } from '../../../gateway/processes/merge-metrics.js'
import { createMetrics } from '../../../gateway/telemetry/metrics.js'
import { withRetiredNames } from '../../../gateway/telemetry/retired-names.js'

const pairs = [
  ['loyalty_cache_circuit_open', 'loyalty_front_left_alone'],
  ['loyalty_ledger_circuit_open', 'loyalty_ledger_left_alone'],
  ['loyalty_cache_faults_total{kind="garbage"}', 'loyalty_front_faults_total{kind="garbage"}'],
] as const

/** Metrics of a process in which each of the renamed ones has a value of its own. */
function someMetrics(process?: number) {
  const metrics = createMetrics(process)
  metrics.watch('loyalty_cache_circuit_open', 'Open.', () => 1)
  metrics.watch('loyalty_ledger_circuit_open', 'Open.', () => 0)
  metrics.cacheFault('garbage', 4)
  metrics.called({ part: 'cache', call: 'ping', outcome: 'ok', durationMs: 1 })
  return metrics
}

const valuesOf = (page: string, name: string): string[] =>
  page
    .split('\n')
    .filter((line) => line.startsWith(`${name} `))
    .map((line) => line.slice(name.length + 1))

t.test('a retired name has the value of the name that replaced it', async (t) => {
  const page = withRetiredNames(await someMetrics().text())
  for (const [now, before] of pairs) {
    t.equal(valuesOf(page, now).length, 1, now)
    t.same(valuesOf(page, before), valuesOf(page, now), before)
  }
  t.same(valuesOf(page, 'loyalty_front_faults_total{kind="garbage"}'), ['4'])
  t.notMatch(page, /part="front"/, 'no sample is there twice: sums over parts stay true')
})

t.test('so it has in the merged page of several processes', async (t) => {
  const texts = await Promise.all([1, 2].map((process) => someMetrics(process).text()))
  const page = withRetiredNames(mergeMetrics(texts))
  for (const process of [1, 2]) {
    const sample = `loyalty_front_left_alone{process="${process}"}`
    t.same(valuesOf(page, sample), ['1'], sample)
  }
})

t.test('each metric has one head', async (t) => {
  const page = withRetiredNames(await someMetrics().text())
  const heads = page.split('\n').filter((line) => line.startsWith('# TYPE '))
  t.equal(new Set(heads).size, heads.length)
  t.match(page, /^# TYPE loyalty_front_faults_total counter$/m)
})
