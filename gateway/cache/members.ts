import type { MemberFacts } from '../../engine/core/base/basket.js'
import { isOutOfReach } from '../../store/fault.js'
import type { AdminMembers, MemberHints, PosMembers, StoredMember } from '../../store/ledger/members.js'
import { createRemembered, type Remembered } from './remembered.js'

/** Members in memory; beyond that the least recently used goes. About 300 bytes each. */
const membersMax = 100_000

/** null: unknown or blocked. */
export interface FoundMember {
  readonly member: MemberFacts | null
}

export interface Members extends Omit<Remembered<FoundMember>, 'known' | 'begin'> {
  /**
   * The member as in the ledger now, with its balances, visits and tier: read in each call, because another gateway may just have
   * answered a sale. With the ledger out of reach (`isOutOfReach`) the cached member, without them (page 4, section 4). Rejects with
   * StoreFault where none is cached, or the ledger is only busy.
   */
  getNow(loyaltyId: string): Promise<FoundMember>
}

export function createMembers(posLedger: { readonly members: PosMembers }): Members {
  const { known, begin, ...remembered } = createRemembered(membersMax, async (loyaltyId) => ({
    member: memberFacts(await posLedger.members.lookUp(loyaltyId)),
  }))
  return {
    ...remembered,
    async getNow(loyaltyId) {
      const store = begin()
      try {
        const found = await posLedger.members.lookUpWithHints(loyaltyId)
        const member = memberFacts(found)
        store(loyaltyId, { member })
        return { member: found === null || member === null ? null : hintedMember(member, found.hints) }
      } catch (error) {
        const atHand = known(loyaltyId)
        if (!isOutOfReach(error) || atHand === undefined) throw error
        return atHand
      }
    },
  }
}

/** A member's present facts for the engine, from the ledger. null: it is blocked. */
export async function standingMember(
  { members }: { readonly members: Pick<AdminMembers, 'findHints'> },
  stored: StoredMember,
): Promise<MemberFacts | null> {
  const facts = memberFacts(stored)
  return facts === null ? null : hintedMember(facts, await members.findHints(stored.memberId))
}

function hintedMember(member: MemberFacts, { tier, ...hints }: MemberHints): MemberFacts {
  return { ...member, ...hints, tier: tier ?? member.tier }
}

/** The facts of a member that prices depend on; null: unknown or blocked. */
function memberFacts(member: Omit<StoredMember, 'loyaltyIds'> | null): MemberFacts | null {
  if (member === null || member.blocked) return null
  const { memberId, tier, segments, birthday, joinedOn } = member
  const dates = { ...(birthday !== undefined && { birthday }), ...(joinedOn !== undefined && { joinedOn }) }
  return { memberId, tier, segments, ...dates }
}
