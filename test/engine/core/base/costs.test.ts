import t from 'tap'
import {
  aloneStepsInAllMax,
  aloneStepsMax,
  closeCellsMax,
  improvedCellsMax,
  limitedSplitsMax,
  nanos,
  nanosIn,
  pricedCellsMax,
  searches,
  searchStepsMax,
  shares,
  sharesPlacedMax,
  statesMax,
  stepsOf,
  weighedCellsMax,
} from '../../../../engine/core/base/costs.js'
import { moneyMax } from '../../../../engine/core/base/money.js'
import { leastMore } from '../../../../engine/core/base/tolerance.js'

t.test('what has a limit of its own stays within the share of the budget that is meant for it', (t) => {
  const first = searchStepsMax * shares.first
  t.ok(stepsOf(limitedSplitsMax * nanos.made) <= searchStepsMax, 'splits among limited offers')
  t.ok(stepsOf(sharesPlacedMax * nanos.placed) <= first, 'shares of order discounts that are placed')
  t.ok(stepsOf(closeCellsMax * nanos.share) <= first, 'choices of order benefits that are bounded closely')
  t.ok(stepsOf(statesMax * nanos.state) <= first, 'states that a walk narrows')
  t.ok(statesMax <= nanosIn(searchStepsMax) / nanos.made, 'an automaton of so many states')
  t.ok(aloneStepsInAllMax <= first && aloneStepsMax <= aloneStepsInAllMax * shares.first, 'benefits alone')
  t.end()
})

t.test('what is worked out closely is a part of what is worked out at all', (t) => {
  t.ok(improvedCellsMax <= pricedCellsMax, 'improved prices')
  t.ok(weighedCellsMax <= closeCellsMax, 'weighings line by line')
  t.end()
})

t.test('every walk of a component is over more than the one before it, and the last one over all', (t) => {
  for (const [index, search] of searches.slice(1).entries())
    t.ok(search.statesKept > searches[index]!.statesKept, `walk ${index + 2}`)
  t.match(searches.at(-1), { near: 0, statesKept: Number.POSITIVE_INFINITY })
  t.end()
})

t.test('a tolerance is more than sums of doubles lose, and less than a minor unit up to 10 ** 13', (t) => {
  for (const most of [0, 1, 1e4, 1e7, 1e10, 1e13, moneyMax])
    t.ok(leastMore(most) > 20 * Number.EPSILON * most && (most > 1e13 || leastMore(most) < 1), `${most}`)
  t.end()
})
