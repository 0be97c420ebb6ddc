import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { answerExperiment, type ExperimentAnswer } from '../../engine/experiments/answer.js'
import { type ExperimentNames, experimentSentence } from '../../engine/experiments/sentence.js'
import type { DaySums } from '../../engine/experiments/sums.js'
import { playedCafe } from '../engine/experiments/cafe.js'
import { asExperiment } from '../engine/experiments/trials.js'
import { Dice } from '../support/dice.js'
import { aSignedIn } from './a-console.js'
import { layoutFaults } from './screen-faults.js'

t.setTimeout(400_000)

interface Prepared {
  readonly experimentId: string
  readonly name: string
  readonly days: readonly DaySums[]
  readonly answer: ExperimentAnswer
}

const firstDay = Date.UTC(2026, 8, 1)
const dayMs = 86_400_000
/** Folder of pictures; absent: none are made. */
const shots = process.env['SHOTS']

function prepared(name: string, lift: number, members: number, drawn = 0.5): Prepared {
  const days = playedCafe({ members, days: 60, holdout: drawn, lift }, new Dice(5))
  const experimentId = name.toLowerCase().replaceAll(' ', '-')
  return { experimentId, name, days, answer: answerExperiment(asExperiment(0.5, days)) }
}

const pays = prepared('Happy hour', 0.15, 30_000)
const unknown = prepared('Free refill', 0.03, 8_000)
const broken = prepared('Birthday cake', 0.1, 20_000, 0.44)
const all = [pays, unknown, broken]

/** An experiment as the service writes it. */
function written({ experimentId, name }: Prepared) {
  const arms = ['holdout', 'open'].map((armId) => ({ armId, percentage: '50', benefitIds: ['bun-happy-hour'] }))
  const from = new Date(firstDay).toISOString()
  const [state, metric] = ['EXPERIMENT_STATE_RUNNING', 'EXPERIMENT_METRIC_NET']
  return { experimentId, name, state, metric, from, arms }
}

/** The service's reply to GetExperiment. */
function replyOf(prepared: Prepared) {
  const { splitPValue, isSplitBroken, comparisons } = prepared.answer
  const { verdict, difference, given, perGiven, daysLeft, byDay } = comparisons[0]!
  const arms = prepared.days.at(-1)!.arms.map((sums, at) => ({
    armId: ['holdout', 'open'][at],
    members: `${sums.members}`,
    visits: `${sums.members * 7n}`,
    net: `${sums.metric}`,
    discount: `${sums.given + sums.members * 100n}`,
    given: `${sums.given}`,
    ...(at === 0 && { withheld: '1234500', withheldBaskets: '812', unpricedBaskets: '3' }),
  }))
  const comparison = {
    armId: 'open',
    verdict: `EXPERIMENT_VERDICT_${verdict.toUpperCase()}`,
    given,
    ...(difference && { difference }),
    ...(perGiven && { metricPerGiven: perGiven }),
    ...(daysLeft !== null && { daysLeft }),
    days: byDay.map(({ day, ...interval }) => ({
      day: new Date(firstDay + day * dayMs).toISOString().slice(0, 10),
      difference: interval,
    })),
  }
  const split = { broken: isSplitBroken, chance: splitPValue }
  return {
    experiment: written(prepared),
    answers: [{ currency: 'NOK', arms, comparisons: [comparison], split }],
    leftOut: '2',
  }
}

const console = await aSignedIn(t)

if (console !== null) {
  const answer = (reply: object) => ({ contentType: 'application/json', body: JSON.stringify(reply) })
  await console.page.route('**/loyalty.v1.ExperimentService/ListExperiments*', (route) =>
    route.fulfill(answer({ experiments: all.map(written) })),
  )
  await console.page.route('**/loyalty.v1.ExperimentService/GetExperiment*', (route) => {
    const asked = all.find(({ experimentId }) => {
      const request = route.request()
      return decodeURIComponent(`${request.url()} ${request.postData()}`).includes(`"${experimentId}"`)
    })
    return route.fulfill(answer(replyOf(asked!)))
  })
}

/** The English sentence of the command line, with the minus of the console. */
function sentenceOf({ name, answer }: Prepared): string {
  const { comparisons, membersLeast } = answer
  const names: ExperimentNames = { subject: name, metric: 'net', currency: 'NOK', isOver: false, membersLeast }
  return experimentSentence(comparisons[0]!, names).replaceAll('-', '−')
}

t.test('three prepared results: one pays, one needs days, one is void', async (t) => {
  if (console === null) return
  const { page, go, faults, complaints } = console
  t.match(sentenceOf(pays), /^Happy hour brings [\d.]+ to [\d.]+ NOK a member and week, .*: it pays\.$/)
  t.match(sentenceOf(unknown), /^Not yet known: between −[\d.]+ and \+[\d.]+ NOK a member and week; /)
  t.match(sentenceOf(broken), /^No answer: /)
  await go('/experiments')
  await page.getByText('3 experiments run.').waitFor()
  t.same(await faults(), [])
  for (const one of all) {
    await page.getByRole('row').filter({ hasText: one.name }).click()
    await page.getByRole('heading', { name: one.name }).waitFor()
    const lead = page.getByRole(one === broken ? 'alert' : 'status').filter({ hasText: sentenceOf(one) })
    await lead.waitFor()
    t.equal(await page.locator('main figure').count(), one === broken ? 0 : 1)
    t.equal(await page.locator('main .lost').count(), one === broken ? 2 : 0, 'red when the split fails')
    t.same(await faults(), [], one.name)
  }
  t.same(complaints, [])
})

t.test('an experiment fits a phone, light and dark, in English and Norwegian', async (t) => {
  if (console === null) return
  const { page, go, faults } = console
  for (const language of ['en', 'nb']) {
    await page.evaluate(`localStorage.setItem('loyalty-language', '${language}')`)
    for (const [width, scheme] of [
      [1_440, 'light'],
      [1_440, 'dark'],
      [390, 'light'],
      [390, 'dark'],
    ] as const) {
      await page.setViewportSize({ width, height: 900 })
      await page.emulateMedia({ colorScheme: scheme })
      for (const one of all) {
        await go(`/experiments/${one.experimentId}`)
        await page.getByRole('heading', { name: one.name }).waitFor()
        const name = `${one.experimentId}-${language}-${width}-${scheme}`
        t.same(await layoutFaults(page), [], name)
        t.same(await faults(), [], name)
        if (shots === undefined) continue
        mkdirSync(shots, { recursive: true })
        await page.screenshot({ path: join(shots, `${name}.png`), fullPage: true })
      }
    }
  }
})
