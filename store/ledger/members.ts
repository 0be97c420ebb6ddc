import type { CounterName } from '../../engine/core/base/outcome.js'
import type { Command, CommandConflict, Rows } from './calls.js'
import type { MemberName } from './value.js'

export interface PosMembers {
  lookUp(loyaltyId: string): Promise<StoredMember | null>
  /** The same member with what prices depend on besides, both as of one moment. */
  lookUpWithHints(loyaltyId: string): Promise<HintedMember | null>
}

/** As the ledger has it now. */
export interface MemberHints {
  /** By currencyId: available and held, not what is pending; what is 0 is left out. */
  readonly balances: Readonly<Record<string, number>>
  readonly visits: number
  /** As of `Standing`; null: the one that is stored with the member counts. */
  readonly tier: string | null
}

export interface HintedMember extends Omit<StoredMember, 'loyaltyIds'> {
  readonly hints: MemberHints
}

export interface AdminMembers {
  findById(memberId: string): Promise<StoredMember | null>
  findByLoyaltyId(loyaltyId: string): Promise<StoredMember | null>
  /**
   * Stores members, all or none. Programmes no longer change them from then on; a forgotten one is a new member. Rows of merged members are
   * passed over: their new loyalty ids are enrolled for the member that they were merged into.
   */
  store(
    command: Command,
    members: readonly MemberChange[],
    options?: {
      /** Loyalty ids of other members move. Default: false, and `card_taken` is the reply. */
      readonly moveCards?: boolean
      /** Says what would change, changes nothing and keeps no request id. Default: false. */
      readonly isDryRun?: boolean
    },
  ): Promise<StoringReply | CommandConflict>
  block(
    command: Command,
    memberId: string,
    blocked: boolean,
  ): Promise<{ readonly kind: 'done' } | { readonly kind: 'unknown_member' } | CommandConflict>
  /** Members whose id begins so, ascending by its bytes. */
  listById(prefix: string, rows: Rows<string>): Promise<readonly StoredMember[]>
  /** Members with a loyalty id that begins so, ascending by the bytes of that. */
  listByLoyaltyId(
    prefix: string,
    rows: Rows<string>,
  ): Promise<readonly { readonly loyaltyId: string; readonly member: StoredMember }[]>
  findStanding(memberId: string): Promise<Standing>
  setTier(command: Command, setting: TierSetting): Promise<TierReply>

  /**
   * Merges a member into another, all or nothing: value with its dates, totals of earning rules, uses of limits, calculations and loyalty
   * ids move and add up; debts are paid at once from what is free. The other keeps its own tier, segments and block.
   */
  merge(command: Command, merge: Merge): Promise<MergeReply>
  /** The member that this one was merged into; null: it was not. */
  findMergedInto(memberId: string): Promise<string | null>

  /**
   * Takes a member, with those merged into it and every loyalty id it ever had, out of members, calculations, sales, counters and audit
   * records; sums stay. Bodies that name it are deleted. A loyalty id that another member has now stays there. `venueLimits`: limits whose
   * counters belong to venues, since a venue may be called like the member.
   */
  forget(
    command: Command,
    memberId: string,
    venueLimits: readonly string[],
  ): Promise<ForgettingReply | { readonly kind: 'unknown_member' }>
  /** Forgets, in the same way, the member that has this loyalty id; where nobody has it, the loyalty id by itself. */
  forgetLoyaltyId(command: Command, loyaltyId: string, venueLimits: readonly string[]): Promise<ForgettingReply>
  /** Which of these ids are forgotten. Only digests of them are kept, so that nobody can list them. */
  findForgotten(named: MemberIds): Promise<MemberIds>
  /** Who was forgotten at least so long ago and may have left something behind; null: nobody. */
  findErasure(ageMs: number): Promise<Erasure | null>
  /** Erases what arrived after the member was forgotten, and ends the erasure; the last one of a request completes its forgetting. */
  finishErasure(erasure: Pick<Erasure, 'requestId' | 'memberId'>, venueLimits: readonly string[]): Promise<void>
  /** How far a request to forget somebody is; null: there was no such request. */
  findForgetting(requestId: string): Promise<ForgettingProgress | null>
}

/** Left to do for a request to forget a member, of itself or of one that was merged into it. */
export interface Erasure {
  readonly requestId: string
  readonly memberId: string
  readonly loyaltyIds: readonly string[]
}

/** Milliseconds since the epoch; it names nobody. */
export interface ForgettingProgress {
  readonly askedAt: number
  /** null: some of its erasures are left. */
  readonly completedAt: number | null
}

export interface StoredMember {
  readonly memberId: string
  readonly loyaltyIds: readonly string[]
  readonly tier: string | null
  readonly segments: readonly string[]
  readonly blocked: boolean
  /** `MM-DD`. Absent: not known. */
  readonly birthday?: string
  /** `YYYY-MM-DD`. Absent: not known. */
  readonly joinedOn?: string
}

export interface Standing {
  /** Recorded sales: applied, unchanged or failed. */
  readonly visits: number
  /** By the tiers of the programme; null: the one that is stored with the member counts. */
  readonly tier: {
    readonly tierId: string
    /** Milliseconds since the epoch, exclusive: until then if nothing more is earned. */
    readonly until: number
    /** Why somebody gave it; null: it was earned. */
    readonly reason: string | null
  } | null
}

export interface TierSetting {
  readonly member: MemberName
  /** null: ends what was given. */
  readonly given: { readonly tierId: string; readonly until: number } | null
  readonly reason: string
}

/** `unknown_tier`: the programme in force has none of this name. */
export type TierReply = { readonly kind: 'done' | 'unknown_member' | 'unknown_tier' | 'past_end' } | CommandConflict

export interface Merge {
  readonly from: MemberName
  readonly into: MemberName
  /** Limits whose counters belong to venues: a venue may be called like the member. */
  readonly venueLimits: readonly string[]
  /** Says what would move, changes nothing and keeps no request id. */
  readonly isDryRun: boolean
}

export type MergeReply =
  | {
      readonly kind: 'done'
      /** By the bytes of their currency ids. */
      readonly accounts: readonly MergedAccount[]
      readonly calculations: number
      readonly loyaltyIds: number
      /** Counters of both members that changed. */
      readonly counters: readonly CounterName[]
      readonly visits: number
      /** The tier that SetTier gave and that moves, until a moment in milliseconds; null: none does. */
      readonly given: { readonly tierId: string; readonly until: number } | null
    }
  /** Place 0: from, 1: into. */
  | { readonly kind: 'unknown_member'; readonly place: number }
  | { readonly kind: 'same_member' }
  /** The account of this currency would pass 2^53 - 1. */
  | { readonly kind: 'out_of_range'; readonly currencyId: string }
  | CommandConflict

/** What moved with one account, in the smallest units of its currency. */
export interface MergedAccount {
  readonly currencyId: string
  /** Available, pending and held. */
  readonly amount: number
  readonly debt: number
  /** Of the debts of both: what was free has paid. */
  readonly paid: number
  /** Given because the totals of both members complete units of earning rules together. */
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

/** A member to be stored. A field that is absent stays as it is; null, or an empty list of segments, clears it. */
export interface MemberChange {
  readonly memberId: string
  /** Not absent for a new member. */
  readonly loyaltyIds?: readonly string[]
  readonly tier?: string | null
  readonly segments?: readonly string[]
  readonly blocked?: boolean
  readonly birthday?: string | null
  readonly joinedOn?: string | null
}

/** What became of members to be stored; except for done nothing is stored. */
export type StoringReply =
  | {
      readonly kind: 'done'
      readonly created: number
      readonly changed: number
      readonly unchanged: number
      /** Rows passed over. */
      readonly merged: number
      readonly movedCards: number
      /** Of a dry run: the first 100 of them. */
      readonly moved: readonly TakenCard[]
    }
  /** How many, and the first 100 of them. */
  | { readonly kind: 'card_taken'; readonly cards: number; readonly taken: readonly TakenCard[] }
  /** Rows of new members without loyalty ids, from 0. */
  | { readonly kind: 'no_card'; readonly places: readonly number[] }

/** A loyalty id that a row names and another member has. */
export interface TakenCard {
  /** Of the row, and of the loyalty id in it, from 0. */
  readonly place: number
  readonly item: number
  readonly loyaltyId: string
  readonly memberId: string
}
