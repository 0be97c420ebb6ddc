import type { PricingFacts } from '../../engine/index.js'
import type { StoredLadder } from '../../engine/value/ladder.js'
import { keptOf, type ReturnBasis, returnedWith } from '../../engine/value/returns.js'
import type { StoredMember } from '../../store/ledger/members.js'
import type { ClaimCount, InspectedSale } from '../../store/ledger/sales.js'
import type { AdminLedger } from '../../store/ledger.js'
import { type LadderParts, storedLadder } from './charged-ladder.js'
import { priceStored } from './price-stored.js'
import { standingMember } from './standing-member.js'

interface Parts extends Pick<LadderParts, 'lowPriority'> {
  readonly adminLedger: Pick<AdminLedger, 'programmes' | 'calculations' | 'members' | 'returns'>
}

/**
 * Counts what a sale earns that is claimed for a member (page 4, sections 6 and 9): the stored basket, as it was charged, by the version
 * of its calculation. Who bought is the member that was found then, otherwise this one as it is now.
 *
 * @returns `unknown`: the basket is not kept, or never came; null: its version is gone
 */
export async function countClaim(
  parts: Parts,
  { calculationId, paidTotal }: Pick<InspectedSale, 'calculationId' | 'paidTotal'>,
  stored: StoredMember,
  signal: AbortSignal,
): Promise<ClaimCount | 'unknown' | null> {
  const found = await parts.adminLedger.calculations.find(calculationId)
  if (found === null || found.body === null) return 'unknown'
  const basket = { calculationId, body: found.body }
  const member = await standingMember(parts.adminLedger, stored)
  const claimed = (facts: PricingFacts): PricingFacts => ({
    ...facts,
    member: facts.member ?? member,
    ...(paidTotal === null ? {} : { paidTotal }),
  })
  const priced = await priceStored(parts, basket, claimed, signal)
  if (priced === null) return null
  const ladder = await storedLadder(parts, basket, { change: claimed, asReturned: false, spending: null }, signal)
  if ('kind' in ladder) return null
  const state = await parts.adminLedger.returns.find(calculationId)
  const returns = state.kind === 'laddered' ? state.basis.returns : []
  // One that failed for an unknown calculation has no returns.
  const earning = state.kind === 'not_sold' ? asKept(priced.earning, null) : asKept(priced.earning, { ladder, returns })
  return { earning, ladder, returns: returns.length }
}

type Returns = Pick<ReturnBasis, 'returns'> & { readonly ladder: StoredLadder }

/** An `earning` whose rules count what is kept (`sent`) of what was bought (`all`); of those that count something. */
function asKept(earning: string | null, made: Returns | null): string | null {
  if (earning === null) return null
  const counted: { readonly rules: readonly { readonly ruleId: string; readonly sent: number }[] } = JSON.parse(earning)
  const returned = made && returnedWith(made, [])
  const rules = counted.rules.map((rule) => {
    const row = { ruleId: rule.ruleId, counted: rule.sent }
    const kept = made === null ? rule.sent : keptOf(row, { ladder: made.ladder, returned: returned!, repriced: null })
    return { ...rule, sent: kept, all: rule.sent }
  })
  return JSON.stringify({ ...counted, rules: rules.filter(({ sent }) => sent > 0) })
}
