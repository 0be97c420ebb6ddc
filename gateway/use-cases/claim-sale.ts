import type { PricingFacts } from '../../engine/index.js'
import { type KeptBasket, keptOf, planReturn, type ReturnBasis, returnedWith } from '../../engine/value/returns.js'
import type { Command } from '../../store/ledger/calls.js'
import type { StoredMember } from '../../store/ledger/members.js'
import type { ClaimCount, InspectedSale, SaleClaim, SaleClaimReply } from '../../store/ledger/sales.js'
import type { AdminLedger } from '../../store/ledger.js'
import { standingMember } from '../cache/members.js'
import { chargedLadder, type LadderParts, storedLadder } from './charged-ladder.js'
import { priceKept } from './make-return.js'
import { priceStored, type StoredBasket } from './price-stored.js'

export interface ClaimParts extends Pick<LadderParts, 'lowPriority'> {
  readonly adminLedger: Pick<AdminLedger, 'programmes' | 'calculations' | 'members' | 'returns' | 'sales'>
}

interface Asked extends Omit<SaleClaim, 'counted' | 'isMove'> {
  /** The member, as it is now. */
  readonly stored: StoredMember
}

const ladderParts = ({ adminLedger, lowPriority }: ClaimParts): LadderParts => ({ ledger: adminLedger, lowPriority })

type Sold = Pick<InspectedSale, 'calculationId' | 'paidTotal' | 'status'>

/** The version of a sale is gone. */
type NoProgramme = { readonly kind: 'programme_not_found' }

/** Gives a sale that has no member to one (page 4, sections 5, 6 and 9). */
export function claimSale(parts: ClaimParts, command: Command, claim: Asked, signal: AbortSignal) {
  return giveSale(parts, command, { ...claim, isMove: false }, signal)
}

/** Gives a sale of another member to one. */
export function moveSale(parts: ClaimParts, command: Command, claim: Asked, signal: AbortSignal) {
  return giveSale(parts, command, { ...claim, isMove: true }, signal)
}

/** Counted again where the sale was returned, or a member's value changed, in between. */
async function giveSale<IsMove extends boolean>(
  parts: ClaimParts,
  command: Command,
  { stored, ...claim }: Asked & { readonly isMove: IsMove },
  signal: AbortSignal,
): Promise<Exclude<SaleClaimReply<IsMove>, { readonly kind: 'changed' }> | NoProgramme> {
  const count = claim.isMove ? countMove : countClaim
  const found = await parts.adminLedger.sales.find(claim.calculationId)
  for (;;) {
    const counted = found === null ? 'unknown' : await count(parts, found.sale, stored, signal)
    if (counted === null) return { kind: 'programme_not_found' }
    const reply = await parts.adminLedger.sales.claim<IsMove>(command, { ...claim, counted })
    if (reply.kind !== 'changed') return reply as Exclude<typeof reply, { readonly kind: 'changed' }>
  }
}

/**
 * Counts the stored basket of a sale, as it was charged, by the version of its calculation. The buyer is the member found then, or,
 * if there was none, this one.
 *
 * @returns `unknown`: the basket is not stored, or never came; null: its version is gone
 */
async function countClaim(
  parts: ClaimParts,
  sale: Sold,
  stored: StoredMember,
  signal: AbortSignal,
): Promise<ClaimCount | 'unknown' | null> {
  const found = await priceClaimed(parts, sale, stored, signal)
  if (found === null || found === 'unknown') return found
  const { basket, change, earning } = found
  const ladder = await storedLadder(ladderParts(parts), basket, { change, asReturned: false, spending: null }, signal)
  if ('kind' in ladder) return null
  const state = await parts.adminLedger.returns.find(sale.calculationId)
  const returns = state.kind === 'laddered' ? state.basis.returns : []
  // One that failed for an unknown calculation has no returns.
  const basis = state.kind === 'not_sold' ? null : { ladder, returns, earned: [] }
  return { earning: asKept(earning, basis, { asReturned: false, repriced: null }), ladder, returns: returns.length }
}

/** As `countClaim`, with the return of everything for the member that has the sale. */
async function countMove(
  parts: ClaimParts,
  sale: Sold,
  stored: StoredMember,
  signal: AbortSignal,
): Promise<ClaimCount | 'unknown' | null> {
  const { calculationId, status } = sale
  const laddered = await chargedLadder(ladderParts(parts), calculationId, signal)
  if (laddered.kind === 'programme_not_found') return null
  const found = laddered.kind === 'laddered' ? await priceClaimed(parts, sale, stored, signal) : 'unknown'
  if (laddered.kind !== 'laddered' || found === null || found === 'unknown') return found as 'unknown' | null
  const { basis, seen } = laddered
  const { ladder, returns } = basis
  const repriced =
    ladder.policy === 'reprice'
      ? await priceKept(ladderParts(parts), { calculationId, basis, lines: [] }, signal)
      : null
  const returned = returnedWith(basis, [])
  const left = ladder.lines.flatMap(({ quantity }, at) => {
    return quantity > returned[at]! ? [[at, quantity - returned[at]!] as const] : []
  })
  const nothing: KeptBasket = { price: 0, counts: new Map(), spent: [] }
  return {
    earning: asKept(found.earning, basis, { asReturned: status === 'applied', repriced }),
    ...{ ladder, returns: returns.length, back: { seen, plan: planReturn(basis, left, nothing) } },
  }
}

interface Claimed {
  readonly basket: StoredBasket
  readonly change: (facts: PricingFacts) => PricingFacts
  readonly earning: string | null
}

async function priceClaimed(
  parts: ClaimParts,
  { calculationId, paidTotal }: Sold,
  stored: StoredMember,
  signal: AbortSignal,
): Promise<Claimed | 'unknown' | null> {
  const found = await parts.adminLedger.calculations.find(calculationId)
  if (found === null || found.body === null) return 'unknown'
  const basket = { calculationId, body: found.body }
  const member = await standingMember(parts.adminLedger, stored)
  const change = (facts: PricingFacts): PricingFacts => ({
    ...facts,
    member: facts.member ?? member,
    ...(paidTotal === null ? {} : { paidTotal }),
  })
  const priced = await priceStored(ladderParts(parts), basket, change, signal)
  return priced && { basket, change, earning: priced.earning }
}

interface Keeping {
  /** The basket as returned was charged, else the one as sent. */
  readonly asReturned: boolean
  readonly repriced: KeptBasket | null
}

/** An `earning` whose rules count the units kept (`sent`) of those bought (`all`); without rules that count nothing. */
function asKept(
  earning: string | null,
  basis: Pick<ReturnBasis, 'ladder' | 'returns' | 'earned'> | null,
  { asReturned, repriced }: Keeping,
): string | null {
  if (earning === null) return null
  const counted: { readonly rules: readonly RuleCount[] } = JSON.parse(earning)
  const rules = counted.rules.map((rule) => {
    const all = asReturned ? rule.returned : rule.sent
    if (basis === null) return { ...rule, sent: all, all }
    const { ladder, earned } = basis
    const row = earned.find(({ ruleId }) => ruleId === rule.ruleId)
    const kept = keptOf({ ruleId: rule.ruleId, counted: all }, { ladder, returned: returnedWith(basis, []), repriced })
    return { ...rule, sent: Math.min(kept, row === undefined ? all : row.counted - row.returned), all }
  })
  return JSON.stringify({ ...counted, rules: rules.filter(({ sent }) => sent > 0) })
}

interface RuleCount {
  readonly ruleId: string
  readonly sent: number
  readonly returned: number
}
