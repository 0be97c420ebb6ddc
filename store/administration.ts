import type { StoredMember, StoredVenue } from './index.js'
import type { Rows } from './inspection.js'

/** A change that is made once, however often it is asked for. */
export interface Order {
  /** UUID; the same one for a repeated attempt. */
  readonly requestId: string
  /** SHA-256 of what is asked for: the same request id with another one is a conflict. */
  readonly digest: Uint8Array
  /** Such as `MemberService/BlockMember`. */
  readonly call: string
  /** Name of the token, for the audit record. */
  readonly actor: string
}

/** The request id was used for another change: nothing was done. */
export type OrderConflict = { readonly kind: 'request_id_conflict' }

/** A programme as its publication takes it: made ready on any thread, for a large one takes a while. */
export interface PreparedProgramme {
  /** SHA-256 of the document in canonical form. */
  readonly digest: Uint8Array
  readonly document: string
  /** JSON array of its benefits. */
  readonly benefits: string
  /** JSON arrays of rows. */
  readonly venues: string
  readonly members: string
}

export type PublicationReply =
  | { readonly kind: 'done'; readonly version: number; readonly published: boolean }
  /** Another version is the newest: nothing was done. */
  | { readonly kind: 'version_mismatch'; readonly current: number }
  | OrderConflict

/** The facts of a programme version. Times in milliseconds since the epoch. */
export interface ProgrammeFacts {
  readonly version: number
  readonly publishedAt: number
  /** Name of the token; `start` where it was LOYALTY_PROGRAM. */
  readonly publishedBy: string
  /** The version whose benefits it repeats, or null. */
  readonly rolledBackTo: number | null
  readonly documentBytes: number
}

/** What is kept of a published programme as text. */
export interface ProgrammeTexts {
  readonly document: string
  readonly benefits: string
}

/** Ids of members, and loyalty ids. */
export interface MemberIds {
  readonly memberIds: readonly string[]
  readonly loyaltyIds: readonly string[]
}

/** What became of a request to forget somebody. */
export type ForgettingReply =
  | {
      readonly kind: 'done'
      readonly calculations: number
      readonly sales: number
      readonly counters: number
      /** Calculations of the last hour among them: Redis may still hold their answers. Empty in the reply to a repeat. */
      readonly recent: readonly string[]
    }
  | OrderConflict

/** A member to be stored; `blocked` null: as it is, false for a new one. */
export interface MemberChange extends Omit<StoredMember, 'blocked'> {
  readonly blocked: boolean | null
}

export interface AuditFacts {
  readonly auditId: number
  readonly at: number
  readonly actor: string
  readonly call: string
  /** Empty: none. */
  readonly requestId: string
  readonly subjectKind: 'programme' | 'venue' | 'member'
  readonly subjectId: string
  /** JSON; null: nothing was, or is, there. */
  readonly before: string | null
  readonly after: string | null
}

/**
 * What internal services change, each change in one transaction with its audit record and its request id, and what they show of
 * it. Every method rejects with `StoreFault` when the ledger cannot answer.
 */
export interface Administration {
  /**
   * Publishes as the next version where the newest is `expectedVersion` (0: none) and differs. Its venues are stored and its members
   * enrolled, by the rules of benefits 1: a known one keeps `blocked`, and what something else than a programme set last.
   */
  publish(order: Order, programme: PreparedProgramme, expectedVersion: number): Promise<PublicationReply>
  /** Publishes the benefits of an earlier version as the next one; venues and members stay as they are. */
  rollBack(
    order: Order,
    version: number,
    expectedVersion: number,
  ): Promise<PublicationReply | { readonly kind: 'unknown_version' }>
  /** Newest first. */
  listProgrammes(rows: Rows<readonly [version: number]>): Promise<readonly ProgrammeFacts[]>
  /** `version` null: the newest. The document is read only where it is wanted. */
  findProgrammeFacts(
    version: number | null,
    withDocument: boolean,
  ): Promise<{ readonly facts: ProgrammeFacts; readonly document: string } | null>

  findMemberById(memberId: string): Promise<StoredMember | null>
  /** As the ledger's own look-ups, where no POS waits. */
  findMember(loyaltyId: string): Promise<StoredMember | null>
  findVenue(venueId: string): Promise<StoredVenue | null>
  /** Stores members, all or none. Programmes leave them alone from then on; one that was forgotten is a new member. */
  storeMembers(
    order: Order,
    members: readonly MemberChange[],
  ): Promise<
    | { readonly kind: 'done'; readonly created: number; readonly changed: number; readonly unchanged: number }
    | OrderConflict
  >
  blockMember(
    order: Order,
    memberId: string,
    blocked: boolean,
  ): Promise<{ readonly kind: 'done' } | { readonly kind: 'unknown_member' } | OrderConflict>

  /**
   * Takes a member, with every loyalty id it ever had, out of members, calculations, sales, counters and audit records; sums stay.
   * Bodies that name it go whole. A loyalty id that somebody else has now stays there.
   *
   * @param venueLimits  limits whose counters belong to venues: a venue may be called like the member
   */
  forgetMember(
    order: Order,
    memberId: string,
    venueLimits: readonly string[],
  ): Promise<ForgettingReply | { readonly kind: 'unknown_member' }>
  /** Forgets, in the same way, the member that has this loyalty id; where nobody has it, the loyalty id by itself. */
  forgetLoyaltyId(order: Order, loyaltyId: string, venueLimits: readonly string[]): Promise<ForgettingReply>
  /** Which of these ids are forgotten. Only digests of them are kept, so that nobody can list them. */
  findForgotten(named: MemberIds): Promise<MemberIds>
  /** Who was forgotten at least so long ago and may have left something behind; null: nobody. */
  findErasure(ageMs: number): Promise<{ readonly memberId: string; readonly loyaltyIds: readonly string[] } | null>
  /** The texts of a version where they may hold one of these ids, else null. */
  findTextsNaming(version: number, ids: readonly string[]): Promise<ProgrammeTexts | null>
  replaceTexts(version: number, texts: ProgrammeTexts): Promise<void>
  /** Looks once more through what came after the member was forgotten, and forgets that it was. */
  finishErasure(memberId: string, venueLimits: readonly string[]): Promise<void>

  /** By id, ascending by their bytes; without price lists. */
  listVenues(rows: Rows<readonly [venueId: string]>): Promise<readonly StoredVenue[]>
  storeVenue(
    order: Order,
    venue: StoredVenue,
  ): Promise<{ readonly kind: 'done'; readonly created: boolean; readonly changed: boolean } | OrderConflict>

  /** Newest first; `subject` null: any. Fewer rows than asked for where they hold much: `isLast` says whether there are more. */
  listAudit(
    subject: { readonly kind: string; readonly id: string } | null,
    rows: Rows<readonly [auditId: number]>,
  ): Promise<{ readonly records: readonly AuditFacts[]; readonly isLast: boolean }>
}
