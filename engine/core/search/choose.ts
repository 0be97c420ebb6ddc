import type { Basis } from '../base/basis.js'
import { shares, stepsPerLine } from '../base/costs.js'
import { sumOf } from '../base/money.js'
import { untouchedPlan } from '../lines/plan.js'
import { settleLines } from '../lines/settle-lines.js'
import type { Problem } from '../model/instance.js'
import { type Settled, settleAbove } from '../order/orders.js'
import type { BasketChoice } from './basket-instance.js'
import { chooseGrouped } from './choose-grouped.js'
import { mostWorth } from './most-worth.js'
import { goesBefore } from './outcome-key.js'
import { chooseCompatible } from './small-basket.js'

/**
 * The outcome of greatest value (3-benefits 4): of each exclusive benefit alone, and of all others together. Exclusive
 * benefits come by falling upper bound, on ties by benefitId.
 */
export function choose(problem: Problem): BasketChoice {
  const chosen = chosenOf(problem)
  return { ...chosen, settled: neverDearer(problem.basis, chosen.settled) }
}

function chosenOf(problem: Problem): BasketChoice {
  const exclusive = problem.offers.filter(({ benefit }) => benefit.combination === 'exclusive')
  if (exclusive.length === 0) return chooseGrouped(problem, problem.offers)
  const others = problem.offers.filter(({ benefit }) => benefit.combination !== 'exclusive')
  const ranked = exclusive
    .map((offer) => ({ offer, most: mostWorth(problem.basis, offer) }))
    .sort((a, b) => b.most - a.most)
  let best = chooseGrouped(problem, others)
  for (const { offer, most } of ranked) {
    if (most < best.settled.value || most === 0) return best
    // It may have the same value and win the tie.
    if (best.steps >= problem.stepsMax * shares.spent) return { ...best, bound: Math.max(best.bound, most) }
    const alone = chooseCompatible({ ...problem, stepsMax: problem.stepsMax - best.steps }, [offer])
    const steps = best.steps + alone.steps + stepsPerLine * problem.basis.lines.length
    const bound = Math.max(best.bound, Math.min(alone.bound, most))
    const wins = goesBefore(alone.settled, best.settled)
    best = { ...(wins ? alone : best), bound, steps }
  }
  return best
}

// A search cut short may find only plans under which the member pays more than before: then only lines added for nothing apply.
function neverDearer(basis: Basis, settled: Settled): Settled {
  const { free } = settled.plan
  if (settled.value > sumOf(free.map(({ gross }) => gross))) return settled
  const lines = basis.lines.map(untouchedPlan)
  const plan = { lines, orders: { off: false, uses: [] }, free }
  return settleAbove(basis, plan, settleLines(basis.lines, lines)!)
}
