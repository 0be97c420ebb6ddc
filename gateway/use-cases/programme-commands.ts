import { createHash } from 'node:crypto'
import type { Command } from '../../store/ledger/calls.js'
import type { PreparedProgramme, Schedule, WrittenDraft } from '../../store/ledger/programmes.js'
import type { AdminLedger } from '../../store/ledger.js'
import { type Publication, type PublishParts, publishProgramme } from './publish-programme.js'

export const draftsMax = 100

export interface ProgrammeParts extends PublishParts {
  readonly adminLedger: PublishParts['adminLedger'] & Pick<AdminLedger, 'proposals' | 'drafts'>
  readonly publishReview: 'optional' | 'required'
}

/** The version that a document was begun with; 0: none. */
interface Based extends Publication {
  readonly expectedVersion: number
}

export async function publish(parts: ProgrammeParts, command: Command, publication: Based) {
  if (parts.publishReview === 'required') return { kind: 'review_required' } as const
  return await publishProgramme(parts, publication, (programme) =>
    parts.adminLedger.programmes.publish(withDigest(command, programme), programme, publication.expectedVersion),
  )
}

interface Proposed extends Based {
  readonly note: string
}

export async function propose(parts: ProgrammeParts, command: Command, publication: Proposed, schedule?: Schedule) {
  const { expectedVersion, note } = publication
  const terms = { expectedVersion, note, ...(schedule && { schedule }) }
  return await publishProgramme(parts, publication, (programme) =>
    parts.adminLedger.proposals.propose(withDigest(command, programme), programme, terms),
  )
}

interface OfProposal extends Omit<Publication, 'document'> {
  readonly proposalId: string
}

/** Reads the stored document anew: its prepared form is not stored. */
export async function approve(parts: ProgrammeParts, command: Command, { proposalId, ...publication }: OfProposal) {
  const { proposals } = parts.adminLedger
  const found = await proposals.find(proposalId, true)
  if (found === null) return { kind: 'unknown_proposal' } as const
  return await publishProgramme(parts, { ...publication, document: found.document }, (programme) =>
    proposals.approve(command, proposalId, programme),
  )
}

/** Publishes a document, or the proposal of another person, at a moment. */
export async function schedule(
  parts: ProgrammeParts,
  command: Command,
  publication: Proposed | OfProposal,
  schedule: Schedule,
) {
  if ('document' in publication) {
    if (parts.publishReview === 'required') return { kind: 'review_required' } as const
    return await propose(parts, command, publication, schedule)
  }
  const { proposals } = parts.adminLedger
  const { proposalId } = publication
  const found = await proposals.find(proposalId, true)
  if (found === null) return { kind: 'unknown_proposal' } as const
  return await publishProgramme(parts, { ...publication, document: found.document }, () =>
    proposals.schedule(command, proposalId, schedule),
  )
}

/** The command is sent without its document, which may have tens of megabytes. */
function withDigest(command: Command, { digest }: PreparedProgramme): Command {
  return { ...command, digest: createHash('sha256').update(command.digest).update(digest).digest() }
}

/** Stores a draft over revision `expected`; 0: it is new. A browser may have a text of before its member was forgotten. */
export async function storeDraft(
  { adminLedger: { drafts, members }, programmeReader }: ProgrammeParts,
  command: Command,
  draft: WrittenDraft,
  expected: number,
) {
  const hidden = await members.findForgotten(await programmeReader.listIds(draft.document))
  const isNamed = hidden.memberIds.length + hidden.loyaltyIds.length > 0
  const { document } = isNamed
    ? await programmeReader.hide({ document: draft.document, benefits: '[]' }, hidden)
    : draft
  return await drafts.store(command, { ...draft, document }, { expected, max: draftsMax })
}
