import type { Money } from '../core/base/money.js'
import { amountsSpent } from '../core/base/outcome.js'
import { Earned } from './earned.js'
import type { Reason } from './finding.js'
import type { Measured } from './measures.js'
import { leftAfter, type Pricer, type Setting, type Trial, type TrialItem, type TrialPrice } from './trial.js'

const dayMs = 86_400_000
const visits = 30
export const choicesMax = 10

interface Visit {
  readonly trial: Trial
  readonly price: TrialPrice
}

/**
 * A member who comes each day of a month and takes the basket of which most is taken off, else the one that earns most for its price, with
 * what limits and own value allow by then. null: half or more of all is paid, or neither limits nor value renew what is given.
 */
export function worstMonth(
  pricer: Pricer,
  setting: Setting,
  choices: readonly (readonly TrialItem[])[],
): { readonly measured: Measured; readonly reason: Reason } | null {
  const { bought, ruleIds } = monthOf(pricer, setting, choices)
  const paid = bought.reduce((sum, { price }) => sum + price.after, 0)
  const bySpending = givenIn(bought, paid, ({ price }) => price.paid - price.after)
  if (bySpending !== null) {
    const spending = bought.flatMap(({ price }) => price.calculation.spending.map(({ benefitId }) => benefitId))
    const measured = { ...bySpending, benefitIds: [...new Set(spending)].sort().concat(ruleIds) }
    return { measured, reason: 'earned_pays_for_itself' }
  }
  const byLimit = givenIn(bought, paid, ({ price }) => (price.calculation.wants.length > 0 ? offIn(price) : 0))
  return byLimit !== null && byLimit.score * 2 >= visits ? { measured: byLimit, reason: 'again_each_day' } : null
}

function givenIn(bought: readonly Visit[], paid: Money, offAt: (visit: Visit) => Money): Measured | null {
  const given = bought.filter((visit) => offAt(visit) > 0)
  const off = given.reduce((sum, visit) => sum + offAt(visit), 0)
  const [first, second] = given
  if (first === undefined || second === undefined || off < paid) return null
  const benefitIds = [...new Set(given.flatMap(({ price }) => price.benefitIds))].sort()
  return { objective: 'too_often', score: given.length, off, ...first, other: second, benefitIds, guardId: null }
}

function monthOf(pricer: Pricer, setting: Setting, choices: readonly (readonly TrialItem[])[]) {
  const earned = new Earned(setting.venue)
  const ruleIds = new Set<string>()
  const bought: Visit[] = []
  let left: Record<string, number> = {}
  let member = { ...setting.member, balances: { ...setting.member.balances } as Record<string, number> }
  for (let day = 0; day < visits; day++) {
    const requestedAt = setting.requestedAt + day * dayMs
    member = { ...member, balances: earned.open(member.balances, requestedAt) }
    const visit = bestOf(pricer, { ...setting, member, requestedAt }, { choices, left })
    if (visit === null) break
    bought.push(visit)
    const { calculation } = visit.price
    left = leftAfter(calculation.wants, left)
    for (const [currencyId, amount] of amountsSpent(calculation.spending))
      member.balances[currencyId] = (member.balances[currencyId] ?? 0) - amount
    for (const ruleId of earned.sell(visit.price).ruleIds) ruleIds.add(ruleId)
    member = { ...member, visits: (member.visits ?? 0) + 1, lastVisitAt: requestedAt }
  }
  return { bought, ruleIds: [...ruleIds].sort() }
}

function bestOf(
  pricer: Pricer,
  setting: Setting,
  { choices, left }: { readonly choices: readonly (readonly TrialItem[])[]; readonly left: Record<string, number> },
): Visit | null {
  const scored = choices.map((items) => {
    const trial = { setting, items }
    const price = pricer.price(trial, left)
    const { lots } = new Earned(setting.venue).sell(price)
    const earns = lots.reduce((sum, { amount }) => sum + amount, 0) / Math.max(1, price.after)
    return { trial, price, off: offIn(price), earns }
  })
  const [best] = scored.sort((a, b) => b.off - a.off || b.earns - a.earns || a.price.after - b.price.after)
  return best ?? null
}

function offIn({ before, after }: TrialPrice): number {
  return before - after
}
