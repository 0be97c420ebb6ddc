import type { Cost } from '../../engine/core/base/programme.js'
import { wallClock } from '../../engine/core/match/calendar.js'
import { isOpenBy } from '../../engine/core/match/open.js'
import type { StoredMember } from '../../store/ledger/members.js'
import type { StoredVenue } from '../../store/ledger/venues.js'
import type { AdminLedger } from '../../store/ledger.js'
import type { LookupCache } from '../cache/lookup-cache.js'
import { standingMember } from '../cache/members.js'

interface Parts {
  readonly adminLedger: Pick<AdminLedger, 'value' | 'members' | 'clock'>
  readonly facts: Pick<LookupCache, 'costed' | 'arms' | 'venueFacts'>
}

export interface Reward {
  readonly benefitId: string
  readonly text: string | null
  readonly costs: Cost
  /** Payments that the member can make of its available value; also for a benefit that costs once per basket. */
  readonly times: number
  /** Missing value for one payment; 0: nothing. */
  readonly missing: number
}

/**
 * The costed benefits that are valid now at a venue for a member, by benefitId, with the member's possible payments (page 4, section 6).
 * Time of day and channel may change until the member buys, so they do not count. null: the member is blocked.
 */
export async function listRewards(
  { adminLedger, facts }: Parts,
  stored: StoredMember,
  venue: StoredVenue,
): Promise<readonly Reward[] | null> {
  const member = await standingMember(adminLedger, stored)
  if (member === null) return null
  const accounts = await adminLedger.value.findAccounts(stored.memberId)
  const available = new Map(accounts.map((account) => [account.currencyId, account.available]))
  const requestedAt = Math.floor(adminLedger.clock())
  const occasion = {
    basket: { requestedAt, channel: 'pos' },
    member,
    venue: facts.venueFacts(venue),
    clock: () => wallClock(requestedAt, venue.timeZone),
  } as const
  const isWithheld = facts.arms.withheld(stored.memberId, requestedAt)
  return facts.costed.flatMap((compiled) => {
    const { benefitId, text, costs } = compiled.benefit
    if (isWithheld(benefitId)) return []
    const atAnyTime = { ...compiled.benefit, channels: null, schedule: null }
    if (costs === null || !isOpenBy(atAnyTime, compiled, occasion)) return []
    const own = available.get(costs.currencyId) ?? 0
    const [times, missing] = [Math.floor(own / costs.amount), Math.max(0, costs.amount - own)]
    return [{ benefitId, text, costs, times, missing }]
  })
}
