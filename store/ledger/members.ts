import type { Command, CommandConflict } from './command.js'

/** Members, as POS calls need them. */
export interface PosMembers {
  lookUp(loyaltyId: string): Promise<StoredMember | null>
  /** Asked in the same statement as a look-up of the same moment; null: nobody has this loyalty id. */
  findHints(loyaltyId: string): Promise<NamedHints | null>
}

/** What prices depend on of a member's value, as the ledger has it now. */
export interface MemberHints {
  /** By currencyId: available and held, not what is pending; what is 0 is left out. */
  readonly balances: Readonly<Record<string, number>>
}

export interface NamedHints extends MemberHints {
  readonly memberId: string
}

/** Members, as internal services read and change them. */
export interface AdminMembers {
  findById(memberId: string): Promise<StoredMember | null>
  findByLoyaltyId(loyaltyId: string): Promise<StoredMember | null>
  /** Stores members, all or none. Programmes no longer change them from then on; one that was forgotten is a new member. */
  store(
    command: Command,
    members: readonly MemberChange[],
  ): Promise<
    | { readonly kind: 'done'; readonly created: number; readonly changed: number; readonly unchanged: number }
    | CommandConflict
  >
  block(
    command: Command,
    memberId: string,
    blocked: boolean,
  ): Promise<{ readonly kind: 'done' } | { readonly kind: 'unknown_member' } | CommandConflict>

  /**
   * Takes a member, with every loyalty id it ever had, out of members, calculations, sales, counters and audit records; sums stay.
   * Bodies that name it go whole. A loyalty id that somebody else has now stays there.
   *
   * @param venueLimits  limits whose counters belong to venues: a venue may be called like the member
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
  findErasure(ageMs: number): Promise<{ readonly memberId: string; readonly loyaltyIds: readonly string[] } | null>
  /** Erases what arrived after the member was forgotten, and ends the erasure. */
  finishErasure(memberId: string, venueLimits: readonly string[]): Promise<void>
}

export interface StoredMember {
  readonly memberId: string
  readonly loyaltyIds: readonly string[]
  readonly tier: string | null
  readonly segments: readonly string[]
  readonly blocked: boolean
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
  | CommandConflict

/** A member to be stored; `blocked` null: as it is, false for a new one. */
export interface MemberChange extends Omit<StoredMember, 'blocked'> {
  readonly blocked: boolean | null
}
