import { type EarningBasis, type EarningPlan, planEarning } from '../../../engine/value/earning.js'
import { StoreFault } from '../../fault.js'
import { sqlState } from '../connection/faults.js'

/** Raised by `earn`. */
const unplannedState = 'LY007'

/** The planned value by ruleId, at most `Number.MAX_SAFE_INTEGER`. */
export function dueOf(basis: EarningBasis): Readonly<Record<string, number>> {
  const most = (amount: string) => Math.min(Number(amount), Number.MAX_SAFE_INTEGER)
  return Object.fromEntries(planEarning(basis).rules.map(({ ruleId, amount }) => [ruleId, most(amount)]))
}

export function planText(plan: EarningPlan | Readonly<Record<string, EarningPlan>> | null): string | null {
  return plan === null ? null : JSON.stringify(plan)
}

/**
 * Plans and sends a change, again while another change of the same accounts was written in between. Rejects with a StoreFault, `busy`, when
 * the time is over.
 *
 * @param attempt  receives how often it failed for that
 */
export async function untilPlanned<Reply>(
  untilMs: number,
  attempt: (failed: number) => Promise<Reply>,
): Promise<Reply> {
  for (let failed = 0; ; failed++) {
    try {
      return await attempt(failed)
    } catch (error) {
      if (sqlState(error) !== unplannedState) throw error
      if (performance.now() >= untilMs) throw new StoreFault('ledger', 'busy', { cause: error })
    }
  }
}
