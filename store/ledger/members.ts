import type { MemberFacts } from '../../engine/core/base/basket.js'
import type { CounterName } from '../../engine/core/base/outcome.js'
import type { Command, CommandConflict, Rows } from './calls.js'
import type { MemberName } from './value.js'

export interface PosMembers {
  lookUp(loyaltyId: string): Promise<StoredMember | null>
  /** The member and the other facts that prices depend on, both as of one moment. */
  lookUpWithHints(loyaltyId: string): Promise<HintedMember | null>
}

export interface MemberHints
  extends Required<Pick<MemberFacts, 'holds' | 'visits' | 'lastVisitAt' | 'birthdayPeriods'>> {
  /** By currencyId: available and held, without pending; zeros are left out. */
  readonly balances: Readonly<Record<string, number>>
  /** As in `Standing`; null: the stored tier of the member counts. */
  readonly tier: string | null
}

export interface HintedMember extends Omit<StoredMember, 'loyaltyIds'> {
  readonly hints: MemberHints
}

export interface AdminMembers {
  findById(memberId: string): Promise<StoredMember | null>
  findByLoyaltyId(loyaltyId: string): Promise<StoredMember | null>
  /**
   * Stores members, all or none. Programmes no longer change them afterwards; a forgotten one is a new member. Rows of merged members are
   * skipped: their new loyalty ids are enrolled for the member that they were merged into.
   */
  store(
    command: Command,
    members: readonly MemberChange[],
    options?: {
      /** Loyalty ids of other members move. Default: false, and `card_taken` is the reply. */
      readonly moveCards?: boolean
      /** Only reports the changes; stores no request id. Default: false. */
      readonly isDryRun?: boolean
    },
  ): Promise<StoringReply | CommandConflict>
  block(command: Command, memberId: string, blocked: boolean): Promise<MemberReply>
  listById(prefix: string, rows: Rows<string>): Promise<readonly StoredMember[]>
  listByLoyaltyId(
    prefix: string,
    rows: Rows<string>,
  ): Promise<readonly { readonly loyaltyId: string; readonly member: StoredMember }[]>
  /** The segments with most members, at most 500, by their number, descending. @param grant  of vouchers; empty: none */
  listSegments(grant: string): Promise<readonly SegmentCount[]>
  findStanding(memberId: string): Promise<Standing>
  findHints(memberId: string): Promise<MemberHints>
  setTier(command: Command, setting: TierSetting): Promise<TierReply>
  /** Writes a note, the command's reason, to the audit records of a member. */
  note(command: Command, member: MemberName): Promise<MemberReply>
  /** Writes to the audit records that a member is exported; resolves to its former ids, ascending. */
  noteExport(
    by: Pick<Command, 'requestId' | 'call' | 'actor'>,
    memberId: string,
  ): Promise<{ readonly pastLoyaltyIds: readonly string[]; readonly mergedMemberIds: readonly string[] }>

  /**
   * Merges a member into another, all or nothing: value with its dates, totals of earning rules, uses of limits, calculations and loyalty
   * ids move and add up; free value pays debts at once. The other keeps its own tier, segments and block.
   */
  merge(command: Command, merge: Merge): Promise<MergeReply>
  findMergedInto(memberId: string): Promise<string | null>

  /**
   * Removes a member, with those merged into it and every loyalty id it ever had, from members, calculations, sales, counters and audit
   * records; sums stay. Bodies that name it are deleted. A loyalty id that another member has now stays there. `venueLimits`: limits
   * whose counters belong to venues, since a venue may have the same id as the member.
   */
  forget(
    command: Command,
    memberId: string,
    venueLimits: readonly string[],
  ): Promise<ForgettingReply | { readonly kind: 'unknown_member' }>
  /** Forgets, in the same way, the member with this loyalty id; without one, only the loyalty id. */
  forgetLoyaltyId(command: Command, loyaltyId: string, venueLimits: readonly string[]): Promise<ForgettingReply>
  findForgotten(named: MemberIds): Promise<MemberIds>
  /** An unfinished erasure of a member forgotten at least this long ago; null: none. */
  findErasure(ageMs: number): Promise<Erasure | null>
  /** Erases rows that arrived after the member was forgotten, and ends the erasure; the last one of a request completes its forgetting. */
  finishErasure(erasure: Pick<Erasure, 'requestId' | 'memberId'>, venueLimits: readonly string[]): Promise<void>
  findForgetting(requestId: string): Promise<ForgettingProgress | null>
}

/** Unfinished part of a request to forget a member: of itself or of one that was merged into it. */
export interface Erasure {
  readonly requestId: string
  readonly memberId: string
  readonly loyaltyIds: readonly string[]
  /** Secret; the names that replace its ids in documents are made of it. */
  readonly nameSeed: string
}

export interface ForgettingProgress {
  readonly askedAt: number
  readonly completedAt: number | null
}

export interface SegmentCount {
  readonly segmentId: string
  readonly members: number
  /** Members among them that got the grant. */
  readonly granted: number
}

export interface StoredMember {
  readonly memberId: string
  readonly loyaltyIds: readonly string[]
  readonly tier: string | null
  readonly segments: readonly string[]
  readonly blocked: boolean
  readonly birthday?: string
  readonly joinedOn?: string
}

export interface Standing {
  /** Recorded sales: applied, unchanged or failed. */
  readonly visits: number
  /** By the tiers of the programme; null: the stored tier of the member counts. */
  readonly tier: {
    readonly tierId: string
    readonly until: number
    /** The reason given to SetTier; null: it was earned. */
    readonly reason: string | null
  } | null
}

export interface TierSetting {
  readonly member: MemberName
  /** null: ends the tier that was set. */
  readonly given: { readonly tierId: string; readonly until: number } | null
  readonly reason: string
}

/** `unknown_tier`: the programme in force has none of this name. */
/** Nothing but the member's name may be wrong. */
export type MemberReply = { readonly kind: 'done' } | { readonly kind: 'unknown_member' } | CommandConflict

export type TierReply = MemberReply | { readonly kind: 'unknown_tier' | 'past_end' }

export interface Merge {
  readonly from: MemberName
  readonly into: MemberName
  /** Limits whose counters belong to venues: a venue may have the same id as the member. */
  readonly venueLimits: readonly string[]
  readonly isDryRun: boolean
}

export type MergeReply =
  | {
      readonly kind: 'done'
      readonly accounts: readonly MergedAccount[]
      readonly calculations: number
      readonly loyaltyIds: number
      readonly counters: readonly CounterName[]
      readonly visits: number
      /** The tier given by SetTier that moves, until a moment in milliseconds; null: none. */
      readonly given: { readonly tierId: string; readonly until: number } | null
    }
  | { readonly kind: 'unknown_member'; readonly place: number }
  | { readonly kind: 'same_member' }
  /** The account of this currency would pass 2^53 - 1. */
  | { readonly kind: 'out_of_range'; readonly currencyId: string }
  | CommandConflict

/** Moved value of one account, in the smallest units of its currency. */
export interface MergedAccount {
  readonly currencyId: string
  readonly amount: number
  readonly debt: number
  /** Debt of both that free value has paid. */
  readonly paid: number
  /** Given because the added totals complete units of earning rules. */
  readonly completed: number
}

export interface MemberIds {
  readonly memberIds: readonly string[]
  readonly loyaltyIds: readonly string[]
}

export type ForgettingReply =
  | {
      readonly kind: 'done'
      readonly calculations: number
      readonly sales: number
      readonly counters: number
      /** Calculations of the last hour among them: Redis may still hold their answers. Empty in the reply to a repeat. */
      readonly recent: readonly string[]
    }
  | CommandConflict

/** A member to store. An absent field stays as it is; null, or an empty list of segments, clears it. */
export interface MemberChange {
  readonly memberId: string
  /** Required for a new member. */
  readonly loyaltyIds?: readonly string[]
  readonly tier?: string | null
  readonly segments?: readonly string[]
  readonly blocked?: boolean
  readonly birthday?: string | null
  readonly joinedOn?: string | null
}

export type StoringReply =
  | {
      readonly kind: 'done'
      readonly created: number
      readonly changed: number
      readonly unchanged: number
      /** Rows of merged members, skipped. */
      readonly merged: number
      readonly movedCards: number
      /** In a dry run: the first 100 of them. */
      readonly moved: readonly TakenCard[]
    }
  /** Their number, and the first 100 of them. */
  | { readonly kind: 'card_taken'; readonly cards: number; readonly taken: readonly TakenCard[] }
  /** Rows of new members without loyalty ids, from 0. */
  | { readonly kind: 'no_card'; readonly places: readonly number[] }

export interface TakenCard {
  readonly place: number
  readonly item: number
  readonly loyaltyId: string
  readonly memberId: string
}
