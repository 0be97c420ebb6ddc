import t, { type Test } from 'tap'
import { answerExperiment, boundaryOf, type Comparison, splitPValue } from '../../../engine/experiments/answer.js'
import { compareArms } from '../../../engine/experiments/compare-arms.js'
import { type ExperimentNames, experimentSentence } from '../../../engine/experiments/sentence.js'
import type { ArmSums, DaySums } from '../../../engine/experiments/sums.js'

type Member = readonly [entry: number, past: number, spend: number, metric: number, given: number]

function sumsOf(members: readonly Member[]): ArmSums {
  const sum = (of: (member: Member) => number) => BigInt(members.reduce((total, member) => total + of(member), 0))
  return {
    members: BigInt(members.length),
    entry: sum(([entry]) => entry),
    entrySquared: sum(([entry]) => entry * entry),
    past: sum(([, past]) => past),
    pastByEntry: sum(([entry, past]) => past * entry),
    spend: sum(([, , spend]) => spend),
    spendSquared: sum(([, , spend]) => spend * spend),
    spendByEntry: sum(([entry, , spend]) => spend * entry),
    metric: sum(([, , , metric]) => metric),
    metricSquared: sum(([, , , metric]) => metric * metric),
    metricByEntry: sum(([entry, , , metric]) => metric * entry),
    metricByPast: sum(([, past, , metric]) => metric * past),
    metricBySpend: sum(([, , spend, metric]) => metric * spend),
    given: sum(([, , , , given]) => given),
    givenSquared: sum(([, , , , given]) => given * given),
    givenByEntry: sum(([entry, , , , given]) => given * entry),
    givenByPast: sum(([, past, , , given]) => given * past),
    givenBySpend: sum(([, , spend, , given]) => given * spend),
    metricByGiven: sum(([, , , metric, given]) => metric * given),
  }
}

function near(t: Test, got: number, wanted: number, digits = 9): void {
  t.ok(Math.abs(got - wanted) <= Math.abs(wanted) * 10 ** -digits, `${got} is ${wanted}`)
}

t.test('the boundary has the published figures', (t) => {
  // Howard and others, the authors' confseq (uniform_boundaries_unittest.cpp): TwoSidedNormalMixture(100, 0.05), bound(100).
  near(t, boundaryOf(100, 100, 0.05), 30.35209, 6)
  // Waudby-Smith and others, equation (10), by NumPy.
  near(t, boundaryOf(1e6, 1e4, 0.05), 3561.6410409189)
  near(t, boundaryOf(1, 1_000, 0.025), 28.012779348724823)
  near(t, boundaryOf(5e4, 2e4, 0.0125), 792.3584628369761)
  t.end()
})

t.test('the check of the split has the published figures', (t) => {
  // Lindon and Malek; the authors' ssrm_test gives 0.20685901461423034, 8.126155715401769e-8, 2.253273013435552e-75, 1.4343631225400445e-6.
  near(t, splitPValue([1_100, 900], [0.5, 0.5], 10_000), 0.20685901461423034)
  near(t, splitPValue([800, 200], [0.5, 0.5], 10_000), 8.126155715401769e-8)
  near(t, splitPValue([800, 200], [0.5, 0.5], 100), 2.253273013435552e-75)
  near(t, splitPValue([600, 200, 200], [0.34, 0.33, 0.33], 10_000), 1.4343631225400445e-6)
  // By SciPy's gammaln.
  near(t, splitPValue([450, 5_550], [0.1, 0.9], 1_000), 1.1652469652133022e-8)
  t.equal(splitPValue([500_250, 499_750], [0.5, 0.5], 1_000), 1)
  t.equal(splitPValue([0, 0], [0.5, 0.5], 1_000), 1)
  t.end()
})

t.test('the difference without covariates is that of Welch', (t) => {
  const ofSleep = (hours: readonly number[]) =>
    sumsOf(hours.map((metric): Member => [0, 0, 0, Math.round(metric * 10), 0]))
  // Student 1908, "The probable error of a mean": R's documentation of t.test has t = 1.8608 for it, and a difference of 1.58.
  const first = ofSleep([0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0, 2])
  const second = ofSleep([1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4])
  const { metric, metricVariance } = compareArms(second, first)
  near(t, metric, 15.8)
  near(t, metric / Math.sqrt(metricVariance), 1.860813467486853)
  t.end()
})

t.test('the difference is adjusted for day of entry and spend before', (t) => {
  const base: Member[] = [
    ...([
      [0, 1, 300, 410, 0],
      [0, 1, 120, 180, 0],
      [1, 0, 0, 220, 0],
      [2, 1, 500, 640, 0],
    ] as const),
    ...([
      [3, 0, 0, 90, 0],
      [3, 1, 210, 160, 0],
      [5, 1, 90, 130, 0],
    ] as const),
  ]
  const arm: Member[] = [
    ...([
      [0, 1, 250, 460, 31],
      [1, 1, 130, 240, 18],
      [1, 0, 0, 260, 0],
      [2, 1, 610, 800, 55],
    ] as const),
    ...([
      [4, 0, 0, 150, 12],
      [4, 1, 180, 230, 20],
      [5, 0, 0, 95, 9],
      [6, 1, 400, 370, 25],
    ] as const),
  ]
  const got = compareArms(sumsOf(arm), sumsOf(base))
  // By NumPy: numpy.cov of both arms, numpy.linalg.solve.
  near(t, got.metric, 52.13640207838111)
  near(t, got.given, 20.640038843189185)
  near(t, got.metricVariance, 579.7414273760951)
  near(t, got.covariance, 9.244433752220402)
  near(t, got.givenVariance, 17.563807774747215)
  // Everybody was a member before, and entered on one day: these tell nothing, and the spend alone is left.
  const alike = (members: Member[]) => sumsOf(members.map(([, , spend, metric]): Member => [3, 1, spend, metric, 0]))
  const spendAlone = (members: Member[]) =>
    sumsOf(members.map(([, , spend, metric]): Member => [0, 0, spend, metric, 0]))
  t.same(
    compareArms(alike(arm), alike(base)).metric.toFixed(9),
    compareArms(spendAlone(arm), spendAlone(base)).metric.toFixed(9),
  )
  t.end()
})

/** 150 members a day later and a week later: the same in both arms but for 90 more of the metric, and what was given. */
function membersOf(scale: number, more: number, isGiven: boolean): Member[] {
  return Array.from({ length: 150 }, (_, at): Member => {
    const past = at % 3 ? 1 : 0
    const spend = past * ((at * 37) % 500)
    const metric = (((at * at * 13) % 701) + Math.floor(spend / 2) + more) * scale
    return [at % 7, past, spend, metric, isGiven ? (20 + (at % 11)) * scale : 0]
  })
}

function twoLooks(more: number): DaySums[] {
  return [1, 3].map((scale, at) => ({
    day: [6, 13][at]!,
    arms: [sumsOf(membersOf(scale, 0, false)), sumsOf(membersOf(scale, more, true))],
  }))
}

const halves = ['holdout', 'open'].map((armId) => ({ armId, share: 0.5 }))
const asked = { metric: 'net', arms: halves, isOver: false } as const

function answered(more: number): Comparison {
  return answerExperiment({ ...asked, days: twoLooks(more) }).comparisons[0]!
}

t.test('an answer has the difference a member and week, and per krone given by Fieller', (t) => {
  const { difference, given, perGiven, byDay, verdict } = answered(90)
  // By NumPy, the ends of the ratio by scipy.optimize.brentq.
  near(t, difference!.estimate, 171.19565217391303)
  near(t, difference!.low, -4.305355886610003)
  near(t, difference!.high, 346.696660234436)
  near(t, given, 47.3768115942029)
  near(t, perGiven!.estimate, 3.613490364025696)
  near(t, perGiven!.low, -0.09077100781601564)
  near(t, perGiven!.high, 7.338528993209065)
  t.same(
    byDay.map(({ day }) => day),
    [6, 13],
  )
  t.equal(verdict, 'not_yet_known')
  t.end()
})

t.test('a verdict needs the whole interval', (t) => {
  t.equal(answered(95).verdict, 'pays')
  t.equal(answered(-95).verdict, 'does_not_pay')
  const visits = (more: number) =>
    answerExperiment({ ...asked, metric: 'visits', days: twoLooks(more) }).comparisons[0]!.verdict
  t.same([visits(95), visits(-95), visits(0)], ['more', 'fewer', 'not_yet_known'])
  t.end()
})

t.test('three arms share the chance of a miss', (t) => {
  const arms = ['a', 'b', 'c'].map((armId) => ({ armId, share: 1 / 3 }))
  const days = twoLooks(90).map(({ day, arms: [base, arm] }) => ({ day, arms: [base!, arm!, arm!] }))
  const { comparisons } = answerExperiment({ ...asked, arms, days })
  t.same(
    comparisons.map(({ armId, againstArmId }) => [armId, againstArmId]),
    [
      ['b', 'a'],
      ['c', 'a'],
    ],
  )
  for (const { difference } of comparisons) near(t, difference!.low, -13.42314869375001)
  t.end()
})

t.test('fewer than 100 members of an arm give no answer, and a broken split takes it away for good', (t) => {
  const small = twoLooks(95).map(({ day, arms: [, arm] }) => ({
    day,
    arms: [sumsOf(membersOf(1, 0, false).slice(51)), arm!],
  }))
  const early = answerExperiment({ ...asked, days: small })
  t.match(early, { membersLeast: 99, comparisons: [{ verdict: 'too_little', difference: null, byDay: [] }] })
  t.match(answerExperiment({ ...asked, days: [] }), {
    splitPValue: 1,
    comparisons: [{ verdict: 'too_little', given: 0 }],
  })
  const [first, last] = twoLooks(95)
  const uneven = { day: 6, arms: [first!.arms[0]!, { ...first!.arms[1]!, members: 300n }] }
  const broken = answerExperiment({ ...asked, days: [uneven, last!] })
  t.ok(broken.isSplitBroken)
  t.match(broken.comparisons, [{ verdict: 'split_broken', difference: null, byDay: [], perGiven: null }])
  t.end()
})

t.test('days left are those until the interval leaves out 0', (t) => {
  // The half width is 175.5 after 14 days, and the estimate 171.2.
  t.equal(answered(90).daysLeft, 1)
  t.ok(answered(60).daysLeft! > answered(80).daysLeft!)
  t.equal(answered(1).daysLeft, null)
  t.equal(answered(95).daysLeft, null)
  t.equal(answerExperiment({ ...asked, days: twoLooks(60), isOver: true }).comparisons[0]!.daysLeft, null)
  t.end()
})

t.test('an answer is one sentence', (t) => {
  const names: ExperimentNames = {
    subject: 'Happy hour',
    metric: 'net',
    currency: 'NOK',
    isOver: false,
    membersLeast: 37,
  }
  const said = (verdict: Comparison['verdict'], low: number, high: number, daysLeft: number | null = null) => ({
    verdict,
    difference: { estimate: (low + high) / 2, low, high },
    given: 220,
    daysLeft,
  })
  t.equal(
    experimentSentence(said('pays', 310, 740), names),
    'Happy hour brings 3.10 to 7.40 NOK a member and week, after the 2.20 that it costs: it pays.',
  )
  t.equal(
    experimentSentence(said('does_not_pay', -740, -310), names),
    'Happy hour brings -7.40 to -3.10 NOK a member and week, after the 2.20 that it costs: it does not pay.',
  )
  t.equal(
    experimentSentence(said('pays', 310, 740), { ...names, subject: 'Gold', against: 'Silver' }),
    'Gold brings 3.10 to 7.40 NOK more than Silver a member and week, after the 2.20 that it costs: it pays.',
  )
  t.equal(
    experimentSentence(said('more', 0.1, 0.3), { ...names, metric: 'visits' }),
    'Happy hour brings 0.10 to 0.30 visits a member and week, and costs 2.20 NOK.',
  )
  const unknown = said('not_yet_known', -100, 410, 19)
  t.equal(
    experimentSentence(unknown, names),
    'Not yet known: between -1.00 and +4.10 NOK a member and week; about 19 more days at this pace.',
  )
  t.match(experimentSentence({ ...unknown, daysLeft: 1 }, names), /about 1 more day at this pace\.$/)
  t.match(experimentSentence({ ...unknown, daysLeft: null }, names), /; no end in sight at this pace\.$/)
  t.equal(
    experimentSentence(unknown, { ...names, isOver: true }),
    'Not known: between -1.00 and +4.10 NOK a member and week when it ended.',
  )
  t.equal(
    experimentSentence({ ...unknown, verdict: 'split_broken', difference: null }, names),
    'No answer: the arms do not have the members that their shares give.',
  )
  t.equal(
    experimentSentence({ ...unknown, verdict: 'too_little', difference: null }, names),
    'Too early: each arm needs 100 members, and the smallest has 37.',
  )
  t.equal(
    experimentSentence({ ...unknown, verdict: 'too_little', difference: null }, { ...names, membersLeast: 100 }),
    'Too early: all members have bought alike so far.',
  )
  t.end()
})
