import t from 'tap'
import { answerExperiment } from '../../../engine/experiments/answer.js'
import { Dice } from '../../support/dice.js'
import { sized } from '../../support/sized.js'
import { type Cafe, playedCafe } from './cafe.js'
import { asExperiment, daily, peeking, triedCafe } from './trials.js'

t.setTimeout(1_800_000)

const [missesMax, falseAlarmsMax] = [0.05, 0.01]
const evenly: Cafe = { members: 2_000, days: 90, holdout: 0.5, lift: 0 }
const smallHoldout: Cafe = { members: 10_000, days: 90, holdout: 0.1, lift: 0 }

t.test('without a difference, at most 5 % of experiments looked at daily ever show one', (t) => {
  for (const cafe of [evenly, smallHoldout]) {
    const { count, decidedOn, brokenSplits } = triedCafe(cafe, sized(40, 1_000), daily)
    t.comment(`${decidedOn.length} of ${count} leave out 0, ${brokenSplits} splits are called broken`)
    t.ok(decidedOn.length <= missesMax * count, `holdout ${cafe.holdout}`)
    t.ok(brokenSplits <= falseAlarmsMax * count, 'sound splits pass')
  }
  t.end()
})

t.test('peeking with a fixed-sample test is caught', (t) => {
  const { count, decidedOn } = triedCafe(evenly, sized(40, 1_000), peeking)
  t.comment(`${decidedOn.length} of ${count} leave out 0`)
  t.ok(decidedOn.length > 2 * missesMax * count)
  t.end()
})

t.test('intervals of all days cover a true lift in at least 95 % of experiments', (t) => {
  for (const lift of [0.03, 0.05, 0.1]) {
    const { count, covered, decidedOn } = triedCafe({ ...evenly, members: 20_000, lift }, sized(8, 500))
    t.comment(`lift ${lift}: ${covered} of ${count} cover it, ${decidedOn.length} find it`)
    t.ok(covered >= (1 - missesMax) * count, `lift ${lift}`)
  }
  t.end()
})

t.test('a split of 45 to 55 published as halves is found', (t) => {
  const days = playedCafe({ ...evenly, members: 20_000, holdout: 0.45 }, new Dice(1))
  t.ok(answerExperiment(asExperiment(0.5, days)).isSplitBroken)
  t.notOk(answerExperiment(asExperiment(0.45, days)).isSplitBroken)
  t.end()
})
