import type { Experiment } from '../../engine/core/base/programme.js'
import type { Command, CommandConflict, Rows } from './calls.js'
import type { StoredMember, TakenCard } from './members.js'
import type { StoredExchange } from './rewards.js'
import type { PublishedCurrency, StoredRule } from './value.js'
import type { StoredVenue } from './venues.js'

export interface ProgrammeLookUps {
  newest(): Promise<NewestProgramme | null>
  lookUp(version: number): Promise<StoredProgramme | null>
}

export interface PosProgrammes extends ProgrammeLookUps {
  /** Publishes into an empty ledger, or a file that differs from the last one (wire decisions 9). Several gateways publish once. */
  publishFile(programme: PublishedProgramme, onlyIfEmpty?: boolean): Promise<FilePublication>
}

export interface AdminProgrammes extends ProgrammeLookUps {
  /**
   * Publishes as the next version where the newest is `expectedVersion` (0: none) and differs. Stores its venues and enrols its members
   * (benefits 1): a stored one keeps `blocked`, and every field that a programme was not the last to set.
   */
  publish(
    command: Command,
    programme: PreparedProgramme,
    expectedVersion: number,
  ): Promise<PublicationReply | FaultyPublication>
  /**
   * Changes of this programme to values that are fixed once published (the scale of a currency, the give of a rule, the unit of a limit,
   * an experiment that runs), then limits of money whose benefits would be open at venues of several currencies. In the order of the document.
   */
  findFaults(
    programme: Pick<PreparedProgramme, 'currencies' | 'limits' | 'venues' | 'experiments'>,
  ): Promise<readonly FixedFault[]>
  /**
   * Loyalty ids that this programme names for one member and another has, which it does not name or an import set last: those that its
   * publication takes, or those that stay. Their number, and the first 20.
   */
  findCardsOfOthers(programme: Pick<PreparedProgramme, 'members'>, areTaken: boolean): Promise<CardsOfOthers>
  /** The benefits of an earlier version as the next one. Faulty: limits count money where venues have other currencies now. */
  rollBack(
    command: Command,
    version: number,
    expectedVersion: number,
  ): Promise<PublicationReply | FaultyPublication | { readonly kind: 'unknown_version' }>
  /** The newest changes of a benefit, or for null the last one of each; ascending by benefit, then newest first. */
  listBenefitChanges(benefitId: string | null, limit: number): Promise<readonly BenefitChange[]>
  list(rows: Rows<readonly [version: number]>): Promise<readonly ProgrammeFacts[]>
  find(
    version: number | null,
    withDocument: boolean,
  ): Promise<{ readonly facts: ProgrammeFacts; readonly document: string } | null>
  /** The texts of a version where they may hold one of these ids, else null. */
  findTextsNaming(version: number, ids: readonly string[]): Promise<ProgrammeTexts | null>
  replaceTexts(version: number, texts: ProgrammeTexts): Promise<void>
}

export interface StoredProgramme {
  readonly version: number
  /** JSON array of the benefits, or where members earn an object of benefits, currencies and earning rules. */
  readonly benefits: string
}

export interface NewestProgramme extends StoredProgramme {
  /** The key by which members are split into arms (`forgetting_key`), both parts in hexadecimal; null: no experiment was ever published. */
  readonly key: string | null
}

export interface PublishedProgramme {
  readonly document: string
  readonly benefits: string
  readonly venues: readonly StoredVenue[]
  readonly members: readonly StoredMember[]
  readonly currencies?: readonly PublishedCurrency[]
  readonly rules?: readonly StoredRule[]
  readonly exchanges?: readonly StoredExchange[]
  readonly limits?: readonly PublishedLimit[]
  /** In the order of the document, the global holdout last. Default: none. */
  readonly experiments?: readonly Experiment[]
  /** Stored instead of document and benefits where those name forgotten ids. */
  readonly stored?: ProgrammeTexts
}

export interface PublishedLimit {
  readonly path: string
  readonly limitId: string
  readonly counts: 'baskets' | 'units' | 'amount'
  readonly venueIds: readonly string[] | null
}

export interface ProgrammeTexts {
  readonly document: string
  readonly benefits: string
}

/** The version in force after a start's attempt to publish a file, and the reason. */
export type FilePublication = {
  readonly version: number
  readonly published: boolean
  /** Name of the token, or `start`. */
  readonly publishedBy: string
} & (
  | { readonly because: 'ledger_empty' | 'file_changed' | 'not_empty' | 'file_unchanged' | 'file_in_force' }
  /** Nothing was published: the file would change fixed values, or count money of several currencies. */
  | { readonly because: 'faulty'; readonly faults: readonly FixedFault[] }
)

export interface CardsOfOthers {
  readonly count: number
  readonly cards: readonly TakenCard[]
}

/** A fault that only the ledger can find, by its path in the document. */
export interface FixedFault {
  readonly path: string
  readonly expected: string
  readonly received: string
}

export interface PreparedProgramme {
  /** SHA-256 of the document in canonical form. */
  readonly digest: Uint8Array
  readonly document: string
  readonly benefits: string
  /** JSON arrays of rows; rules are in the rows of their currencies. */
  readonly venues: string
  readonly members: string
  readonly currencies: string
  readonly limits: string
  readonly experiments: string
  /** JSON object: by benefit id a digest of its entry, to find the benefits that a version changes. */
  readonly digests: string
}

export type PublicationReply =
  | { readonly kind: 'done'; readonly version: number; readonly published: boolean }
  | { readonly kind: 'version_mismatch'; readonly current: number }
  | CommandConflict

/** Nothing was done: the programme would change fixed values, or count money of several currencies. */
export interface FaultyPublication {
  readonly kind: 'faulty'
  readonly faults: readonly FixedFault[]
}

export interface ProgrammeFacts {
  readonly version: number
  readonly publishedAt: number
  readonly publishedBy: string
  /** The version whose benefits it repeats, or null. */
  readonly rolledBackTo: number | null
  /** The author of the proposal that `publishedBy` approved; null: it was published without one. */
  readonly proposedBy: string | null
  readonly documentBytes: number
}

export interface BenefitChange {
  readonly benefitId: string
  readonly kind: 'added' | 'changed' | 'removed'
  readonly facts: ProgrammeFacts
}

export interface Proposals {
  /** Stored under the request id, where the newest version is `expectedVersion` (0: none) and differs. */
  propose(
    command: Command,
    programme: PreparedProgramme,
    terms: { readonly expectedVersion: number; readonly note: string; readonly schedule?: Schedule },
  ): Promise<ProposalReply>
  /** Has an open proposal of another actor whose base version is the newest published at a moment. */
  schedule(command: Command, proposalId: string, schedule: Schedule): Promise<ScheduleReply>
  /** Leases the first scheduled proposal whose moment has come, so that no other gateway publishes it meanwhile; null: there is none. */
  takeDue(leaseMs: number): Promise<DueProposal | null>
  /** Publishes a scheduled proposal once, where the newest version is `expectedVersion`. */
  publishDue(
    proposalId: string,
    programme: PreparedProgramme,
    expectedVersion: number,
  ): Promise<Exclude<ApprovalReply, CommandConflict | { readonly kind: 'own_proposal' }>>
  /** Notes why a scheduled proposal cannot be published, with an event. */
  fail(proposalId: string, failure: string, reason: string): Promise<void>
  /** Publishes an open proposal of another actor whose base version is the newest, as `AdminProgrammes.publish` does. */
  approve(command: Command, proposalId: string, programme: PreparedProgramme): Promise<ApprovalReply>
  decline(command: Command, proposalId: string): Promise<DeclineReply>
  list(
    state: ProposalFacts['state'] | null,
    rows: Rows<readonly [proposedAtUs: number, proposalId: string]>,
  ): Promise<readonly ProposalFacts[]>
  find(
    proposalId: string,
    withDocument: boolean,
  ): Promise<{ readonly facts: ProposalFacts; readonly document: string } | null>
  /** The next proposal after one, by id; null: none. With its document only where that may hold one of these ids. */
  findNaming(
    ids: readonly string[],
    after: string,
  ): Promise<{ readonly proposalId: string; readonly document: string | null } | null>
  replaceDocument(proposalId: string, document: string): Promise<void>
}

export interface Schedule {
  readonly atMs: number
  readonly timeZone: string
  readonly acknowledgements: readonly string[]
}

export interface DueProposal extends Pick<Schedule, 'acknowledgements'> {
  readonly proposalId: string
  readonly document: string
  readonly baseVersion: number
  readonly isOwn: boolean
}

export interface ProposalFacts {
  readonly proposalId: string
  readonly state: 'open' | 'scheduled' | 'approved' | 'declined' | 'failed'
  readonly baseVersion: number
  readonly note: string
  readonly proposedBy: string
  readonly proposedAt: number
  readonly proposedAtUs: number
  readonly decidedBy: string | null
  readonly decidedAt: number | null
  readonly reason: string
  /** The reason word of a publication that failed. */
  readonly failure: string
  readonly publishAt: number | null
  readonly timeZone: string | null
  /** The published version; null unless approved. */
  readonly version: number | null
  readonly documentBytes: number
}

interface VersionMismatch {
  readonly kind: 'version_mismatch'
  readonly current: number
}

type NotOpen =
  | { readonly kind: 'unknown_proposal' }
  | { readonly kind: 'proposal_not_open'; readonly state: ProposalFacts['state'] }

export type ProposalReply =
  | { readonly kind: 'done'; readonly proposed: boolean }
  | VersionMismatch
  | FaultyPublication
  | CommandConflict

export type ApprovalReply =
  | { readonly kind: 'done'; readonly version: number }
  | { readonly kind: 'own_proposal' }
  | VersionMismatch
  | FaultyPublication
  | NotOpen
  | CommandConflict

export type ScheduleReply =
  | { readonly kind: 'done' }
  | { readonly kind: 'own_proposal' }
  | VersionMismatch
  | NotOpen
  | CommandConflict

export type DeclineReply = { readonly kind: 'done' } | NotOpen | CommandConflict

export interface Drafts {
  /** Stores a draft over revision `expected` (0: it is new); what is stored already is stored whatever is expected. */
  store(
    command: Command,
    draft: WrittenDraft,
    terms: { readonly expected: number; readonly max: number },
  ): Promise<DraftReply | { readonly kind: 'too_many_drafts' }>
  remove(command: Command, draftId: string, expected: number): Promise<DraftReply>
  list(): Promise<readonly DraftFacts[]>
  find(
    draftId: string,
    withDocument: boolean,
  ): Promise<{ readonly facts: DraftFacts; readonly document: string } | null>
  findNaming(
    ids: readonly string[],
    after: string,
  ): Promise<{ readonly draftId: string; readonly document: string | null } | null>
  /** As the next revision; false: the draft has changed since it was read. */
  replaceDocument(draftId: string, before: string, document: string): Promise<boolean>
}

export interface WrittenDraft {
  readonly draftId: string
  readonly name: string
  /** JSON, perhaps with comments, perhaps not whole yet. */
  readonly document: string
  readonly baseVersion: number
}

export interface DraftFacts extends Omit<WrittenDraft, 'document'> {
  readonly revision: number
  readonly begunBy: string
  readonly begunAt: number
  readonly changedBy: string
  readonly changedAt: number
  readonly documentBytes: number
}

export type DraftReply =
  | { readonly kind: 'done' }
  | { readonly kind: 'unknown_draft' }
  | { readonly kind: 'draft_changed'; readonly revision: number; readonly by: string }
  | CommandConflict
