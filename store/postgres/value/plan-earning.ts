import { type EarningBasis, type EarningPlan, planEarning } from '../../../engine/value/earning.js'
import { StoreFault } from '../../fault.js'
import { sqlState } from '../connection/faults.js'

const unplannedState = 'LY007'

export interface QuoteBasis {
  readonly basis: EarningBasis
  readonly rooms: Readonly<Record<string, number>>
}

export function dueOf({ basis, rooms }: QuoteBasis): Readonly<Record<string, number>> {
  const left = new Map(Object.entries(rooms))
  return Object.fromEntries(
    planEarning(basis).rules.map(({ ruleId, currencyId, amount }) => {
      const room = left.get(currencyId) ?? Number.MAX_SAFE_INTEGER
      const given = Math.min(Number(amount), room)
      left.set(currencyId, room - given)
      return [ruleId, given]
    }),
  )
}

export function planText(plan: EarningPlan | Readonly<Record<string, EarningPlan>> | null): string | null {
  return plan === null ? null : JSON.stringify(plan)
}

export class ChangedMeanwhile extends Error {}

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
      if (!(error instanceof ChangedMeanwhile) && sqlState(error) !== unplannedState) throw error
      if (performance.now() >= untilMs) throw new StoreFault('ledger', 'busy', { cause: error })
    }
  }
}
