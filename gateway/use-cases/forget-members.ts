import type { Cache } from '../../store/cache.js'
import { ignoreStoreFault } from '../../store/fault.js'
import type { Command } from '../../store/ledger/calls.js'
import type { MemberIds } from '../../store/ledger/members.js'
import type { MemberName } from '../../store/ledger/value.js'
import type { AdminLedger } from '../../store/ledger.js'
import type { ProgrammeReader } from '../background/programme-reader.js'
import type { KeptRequests } from '../cache/kept-requests.js'
import type { LookupCache } from '../cache/lookup-cache.js'

/**
 * Milliseconds from ForgetMember until the remaining texts are searched. By then every calculation that was being made is in the ledger,
 * and the cache has no older answer: its answers live as long as this.
 */
const erasureAgeMs = 15 * 60_000

/**
 * Milliseconds from ForgetMember until it is complete, unless a store is out of reach: the upkeep begins a round every half minute, and
 * two of them may be needed.
 */
export const forgettingMs = erasureAgeMs + 60_000

/** While the journal's oldest calculation has waited longer than this, in milliseconds, one of a forgotten member may be in it. */
const journalBehindMs = 60_000

export interface ForgetParts {
  readonly adminLedger: Pick<AdminLedger, 'members'>
  readonly cache: Pick<Cache, 'forgetAnswers'> | null
  readonly facts: Pick<LookupCache, 'limits'>
  /** null: there is no partner page. */
  readonly keptRequests: Pick<KeptRequests, 'dropAll'> | null
}

type ForgetReply = Awaited<ReturnType<AdminLedger['members']['forget']>>

/** Forgets a member, or the one with a loyalty id; without one, the loyalty id alone. `forgetMembers` finishes it. */
export async function forgetMember(
  { adminLedger: { members }, cache, facts, keptRequests }: ForgetParts,
  command: Command,
  member: MemberName,
): Promise<ForgetReply> {
  const reply =
    'memberId' in member
      ? await members.forget(command, member.memberId, venueLimits(facts))
      : await members.forgetLoyaltyId(command, member.loyaltyId, venueLimits(facts))
  if (reply.kind !== 'done') return reply
  // While Redis is out of reach its answers expire within 15 minutes, and `forgetMembers` drops the kept requests.
  await cache?.forgetAnswers(reply.recent).catch(ignoreStoreFault)
  await keptRequests?.dropAll().catch(ignoreStoreFault)
  return reply
}

interface Parts extends Pick<ForgetParts, 'keptRequests'> {
  readonly adminLedger: Pick<AdminLedger, 'members' | 'programmes' | 'proposals' | 'drafts'>
  readonly cache: Pick<Cache, 'journalDepth'> | null
  readonly facts: Pick<LookupCache, 'limits'>
  readonly programmeReader: ProgrammeReader
}

/**
 * Finishes ForgetMember: takes the member out of programme documents, proposals and drafts that name it, and out of calculations then in flight to
 * the ledger. Safe to repeat, and on two gateways at once.
 */
export async function forgetMembers(
  { adminLedger, cache, facts, keptRequests, programmeReader }: Parts,
  ageMs = erasureAgeMs,
): Promise<void> {
  for (;;) {
    const erasure = await adminLedger.members.findErasure(ageMs)
    if (erasure === null || (await isJournalBehind(cache))) return
    const hidden = { memberIds: [erasure.memberId], loyaltyIds: erasure.loyaltyIds, seed: erasure.nameSeed }
    const newest = await adminLedger.programmes.find(null, false)
    for (let version = newest?.facts.version ?? 0; version > 0; version -= 1) {
      const texts = await adminLedger.programmes.findTextsNaming(version, idsOf(hidden))
      if (texts === null) continue
      const { document, benefits } = await programmeReader.hide(texts, hidden, hidden.seed)
      if (document !== texts.document || benefits !== texts.benefits) {
        await adminLedger.programmes.replaceTexts(version, { document, benefits })
      }
    }
    await hideInProposals({ adminLedger, programmeReader }, hidden)
    await hideInDrafts({ adminLedger, programmeReader }, hidden)
    await keptRequests?.dropAll()
    await adminLedger.members.finishErasure(erasure, venueLimits(facts))
  }
}

interface Hidden extends MemberIds {
  /** Makes the names: one for an id, so that a programme over an older version still has the same entries. */
  readonly seed: string
}

function idsOf({ memberIds, loyaltyIds }: MemberIds): readonly string[] {
  return [...memberIds, ...loyaltyIds]
}

/** Below every UUID. */
const firstId = '00000000-0000-0000-0000-000000000000'

async function hideInProposals(
  { adminLedger, programmeReader }: Pick<Parts, 'adminLedger' | 'programmeReader'>,
  hidden: Hidden,
): Promise<void> {
  for (let after = firstId; ; ) {
    const found = await adminLedger.proposals.findNaming(idsOf(hidden), after)
    if (found === null) return
    after = found.proposalId
    if (found.document === null) continue
    const { document } = await programmeReader.hide({ document: found.document, benefits: '[]' }, hidden, hidden.seed)
    if (document !== found.document) await adminLedger.proposals.replaceDocument(found.proposalId, document)
  }
}

async function hideInDrafts(
  { adminLedger: { drafts }, programmeReader }: Pick<Parts, 'adminLedger' | 'programmeReader'>,
  hidden: Hidden,
): Promise<void> {
  for (let after = firstId; ; ) {
    const found = await drafts.findNaming(idsOf(hidden), after)
    if (found === null) return
    const before = found.document
    if (before !== null) {
      const { document } = await programmeReader.hide({ document: before, benefits: '[]' }, hidden, hidden.seed)
      // One that was stored meanwhile is read again.
      if (document !== before && !(await drafts.replaceDocument(found.draftId, before, document))) continue
    }
    after = found.draftId
  }
}

/** Rejects with StoreFault where Redis is out of reach: the next round asks again, for its journal may outlast that. */
async function isJournalBehind(cache: Parts['cache']): Promise<boolean> {
  if (cache === null) return false
  return (await cache.journalDepth()).oldestMs > journalBehindMs
}

/** Limits whose counters belong to venues. */
export function venueLimits({ limits }: Pick<LookupCache, 'limits'>): readonly string[] {
  return [...limits.values()].filter(({ scope }) => scope === 'venue').map(({ limitId }) => limitId)
}
