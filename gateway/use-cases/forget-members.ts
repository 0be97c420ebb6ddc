import { randomUUID } from 'node:crypto'
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
    const { memberId, loyaltyIds } = erasure
    const newest = await adminLedger.programmes.find(null, false)
    for (let version = newest?.facts.version ?? 0; version > 0; version -= 1) {
      const texts = await adminLedger.programmes.findTextsNaming(version, [memberId, ...loyaltyIds])
      if (texts === null) continue
      const { document, benefits } = await programmeReader.hide(texts, { memberIds: [memberId], loyaltyIds })
      if (document !== texts.document || benefits !== texts.benefits) {
        await adminLedger.programmes.replaceTexts(version, { document, benefits })
      }
    }
    await hideInProposals({ adminLedger, programmeReader }, { memberIds: [memberId], loyaltyIds })
    await hideInDrafts({ adminLedger, programmeReader }, { memberIds: [memberId], loyaltyIds })
    await keptRequests?.dropAll()
    await adminLedger.members.finishErasure(erasure, venueLimits(facts))
  }
}

/** Below every UUID. */
const firstId = '00000000-0000-0000-0000-000000000000'

async function hideInProposals(
  { adminLedger, programmeReader }: Pick<Parts, 'adminLedger' | 'programmeReader'>,
  hidden: MemberIds,
): Promise<void> {
  for (let after = firstId; ; ) {
    const found = await adminLedger.proposals.findNaming([...hidden.memberIds, ...hidden.loyaltyIds], after)
    if (found === null) return
    after = found.proposalId
    if (found.document === null) continue
    const { document } = await programmeReader.hide({ document: found.document, benefits: '[]' }, hidden)
    if (document !== found.document) await adminLedger.proposals.replaceDocument(found.proposalId, document)
  }
}

async function hideInDrafts(
  { adminLedger: { drafts }, programmeReader }: Pick<Parts, 'adminLedger' | 'programmeReader'>,
  hidden: MemberIds,
): Promise<void> {
  const ids = [...hidden.memberIds, ...hidden.loyaltyIds]
  for (let after = firstId; ; ) {
    const found = await drafts.findNaming(ids, after)
    if (found === null) return
    after = found.draftId
    const before = found.document
    if (before === null) continue
    const { document } = isJson(before)
      ? await programmeReader.hide({ document: before, benefits: '[]' }, hidden)
      : { document: withoutStrings(before, ids) }
    if (document !== before) await drafts.replaceDocument(found.draftId, before, document)
  }
}

/** A draft may have comments, or be half written. */
function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

function withoutStrings(text: string, ids: readonly string[]): string {
  return ids.reduce((left, id) => left.replaceAll(JSON.stringify(id), `"forgotten-${randomUUID()}"`), text)
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
