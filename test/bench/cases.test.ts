import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { allCases as cases, casesFor, casesForAll } from '../../bench/cases/all-cases.js'
import { findKnee } from '../../bench/cases/find-knee.js'
import { ratiosOf } from '../../bench/cases/guard-case.js'
import { createTally } from '../../bench/load/tally.js'
import { readOptions } from '../../bench/options.js'
import { searchStepsMax } from '../../engine/core/base/costs.js'

const namesFor = (pattern: string) => casesFor(cases, pattern).map(({ name }) => name)

t.test('a pattern picks the cases whose names hold it, with * for anything, or the case of a result', async (t) => {
  t.same(namesFor('ladder'), ['ladder/20', 'ladder/200'])
  t.same(namesFor('ladder/20'), ['ladder/20'], 'a whole name is that case alone')
  t.same(namesFor('ladder/200/least'), ['ladder/200'])
  t.same(namesFor('price/*00x1'), ['engine/price/200x1000', 'engine/price/200x10000'])
  t.same(namesFor('gateway.cost'), [])
  t.equal(new Set(cases.map(({ name }) => name)).size, cases.length, 'no two cases have one name')
})

t.test('several patterns combine, and one without a match is reported by its word', async (t) => {
  t.same(
    casesForAll(cases, ['ladder/200', 'ladder']).map(({ name }) => name),
    ['ladder/20', 'ladder/200'],
  )
  t.same(
    cases.filter((one) => !casesForAll(cases, []).includes(one)).map(({ name }) => name),
    ['peers/end-to-end'],
    'it installs the peers',
  )
  t.throws(() => casesForAll(cases, ['ladder', 'lader']), { message: /"lader".*--list/ })
})

t.test('without a pattern everything is measured, and modes do not mix', async (t) => {
  t.match(readOptions([]), {
    options: {
      what: { kind: 'cases', patterns: [] },
      settings: { seed: 1, seconds: 4, stepsMax: searchStepsMax },
    },
  })
  t.match(readOptions(['gateway', 'ladder', '--seed', '7']), {
    options: {
      what: { patterns: ['gateway', 'ladder'] },
      settings: { seed: 7 },
    },
  })
  t.match(readOptions(['--smoke']), {
    options: { what: { kind: 'contract', load: { rate: 50, seconds: 30, stores: 'embedded' } } },
  })
  t.match(readOptions(['--guard', '--record']), { options: { what: { kind: 'guard', record: true } } })
  for (const words of [
    ['--smoke', '--rate', '0'],
    ['--smoke', '--stores', 'none'],
    ['--rate', '50'],
    ['--smoke', 'gateway'],
    ['--record'],
    ['engine', '--baskets', '0'],
    ['--fast'],
  ]) {
    t.match(readOptions(words), { kind: 'wrong' }, words.join(' '))
  }
})

t.test('the knee is the highest rate tried that held, and one hiccup is forgiven', async (t) => {
  const climb = { firstRate: 400, doublingsMax: 8, halvings: 2 }
  const kneeOf = async (limit: number, hiccupAt = -1) => {
    const tried: number[] = []
    const knee = await findKnee(climb, async (rate) => {
      tried.push(rate)
      return rate <= limit && tried.length - 1 !== hiccupAt
    })
    return { knee, tried }
  }
  t.same(await kneeOf(2_100), { knee: 2_000, tried: [400, 800, 1_600, 3_200, 3_200, 2_400, 2_000] })
  t.same(await kneeOf(250), { knee: 250, tried: [400, 400, 200, 300, 250] }, 'below the first')
  t.same(await kneeOf(10), { knee: 0, tried: [400, 400, 200, 100, 50] })
  t.equal((await kneeOf(2_100, 1)).knee, 2_000, 'the second step failed once')
  t.equal((await kneeOf(Number.POSITIVE_INFINITY)).tried.length, 10, 'a ladder has an end')
})

t.test('the recorded ratios are those that the guard measures', async (t) => {
  const file = join(import.meta.dirname, '..', '..', '..', 'bench', 'guard.json')
  const recorded = JSON.parse(readFileSync(file, 'utf8')) as Record<string, number>
  t.same(Object.keys(recorded), ['20', '200'])
  for (const ratio of Object.values(recorded)) t.ok(ratio > 0 && ratio < 10)
  const spread = { p50: 1, p95: 1, p99: 1, p999: null, max: 1, count: 1 }
  const figures = [{ name: 'floor/least of the service', value: 0.51234, unit: 'x' }]
  t.same(ratiosOf([{ name: 'guard/20', unit: 'ms', spread, figures, targets: [], note: '' }]), { 20: 0.512 })
})

t.test('a tally has percentiles of counted answers, and the number of all answers', async (t) => {
  const tally = createTally('basket')
  for (let at = 0; at < 1_000; at += 1) {
    tally.add({ latencyMs: at + 1, outcome: 'applied', counted: at >= 500 })
  }
  const { latency, landed, outcomes } = tally.report()
  t.equal(latency.count, 500)
  t.ok(Math.abs(latency.p50 - 750) < 1, `p50 ${latency.p50}`)
  t.ok(Math.abs(latency.p99 - 995) < 1, `p99 ${latency.p99}`)
  t.equal(landed, 1_000)
  t.ok(Math.abs(latency.min - 501) < 1, `least ${latency.min}`)
  t.same(outcomes, { applied: 500 })
})
