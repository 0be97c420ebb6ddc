import type { Command, CommandConflict, Rows } from './calls.js'

export interface PosValue {
  /** Events of lots that open or expire within 7 days, and of tiers that ended, at most `max` of each; 0 at the end. */
  announce(max: number): Promise<number>
  /** Writes expiries of at most `max` lots; resolves to the number of accounts with any. Reads include the others too. */
  expire(max: number): Promise<number>
}

/** Accounts for internal services. Amounts are 0 to 2^53 - 1; times are milliseconds since the epoch. */
export interface AdminValue {
  findAccounts(memberId: string): Promise<readonly AccountState[]>
  /** Changes of a member's accounts, newest first; expired lots are included before their expiry is written. */
  listMovements(
    filter: { readonly memberId: string; readonly currencyId: string },
    rows: Rows<MovementCursor>,
  ): Promise<readonly MovementState[]>
  adjust(command: Command, adjustment: Adjustment): Promise<AdjustmentReply>
  /** Moves value with its dates, from the lot that expires first. All or nothing. */
  transfer(command: Command, transfer: Transfer): Promise<TransferReply>
  /** Adds balances, all or none; debt is not paid. The reply names the first faulty row. */
  importBalances(command: Command, balances: readonly ImportedBalance[]): Promise<ImportReply>
  reportLiability(): Promise<readonly Liability[]>
  /** The earnings of a sale now, by ruleId, in the smallest units. `memberId` null: a member without value or sales. */
  quoteEarning(memberId: string | null, earning: string): Promise<Readonly<Record<string, number>>>
}

export interface StoredCurrency {
  readonly currencyId: string
  readonly name: string
  readonly scale: number
}

/** As the ledger stores it: with its expiry, for value that no sale gives. */
export interface PublishedCurrency extends StoredCurrency {
  readonly expires?: Expires | null
}

/** After months or days, at the end of a day, week, month or year. */
interface Expires {
  readonly unit: string
  readonly after: number
  readonly atEndOf: string | null
}

/** An earning rule as the ledger stores it; currency, give and per are fixed once published. */
export interface StoredRule {
  readonly ruleId: string
  readonly currencyId: string
  readonly give: number
  readonly per: { readonly kind: 'amount' | 'units'; readonly every: number } | { readonly kind: 'visit' }
  /** For value that no sale gives. Absent: open at once, never expires, no maximum. */
  readonly opensAfterDays?: number
  readonly expires?: Expires | null
  readonly maximum?: { readonly amount: number; readonly period: string } | null
}

/** A member by its own id or by one of its loyalty ids. */
export type MemberName = { readonly memberId: string } | { readonly loyaltyId: string }

export interface AccountState extends StoredCurrency {
  readonly available: number
  readonly pending: number
  readonly held: number
  readonly debt: number
  /** The first to expire first, at most `lotsMax`. */
  readonly lots: readonly LotState[]
}

export const lotsMax = 1_000

export interface LotState {
  readonly amount: number
  readonly held: number
  readonly opensAt: number
  readonly expiresAt: number | null
}

/** Microseconds since the epoch, movement, currency and system account of the last row read. */
export type MovementCursor = readonly [atUs: number, movementId: number, currencyId: string, against: string]

export interface MovementState {
  readonly movementId: number
  readonly kind: string
  readonly cause: string
  readonly currencyId: string
  readonly amount: number
  readonly at: number
  readonly reason: string
  readonly actor: string
  readonly cursor: MovementCursor
}

export interface Adjustment {
  readonly member: MemberName
  readonly currencyId: string
  readonly amount: number
  readonly reason: string
  readonly opensAt: number | null
  /** null: by the rule of its currency, as if earned now. */
  readonly expiresAt: number | 'never' | null
}

export interface Transfer {
  readonly from: MemberName
  readonly to: MemberName
  readonly currencyId: string
  readonly amount: number
  readonly reason: string
}

export interface ImportedBalance {
  readonly member: MemberName
  readonly currencyId: string
  readonly amount: number
  readonly opensAt: number | null
  readonly expiresAt: number | null
  /** Once per currency, ever. */
  readonly reference: string
}

/** Nothing was done, because of the row at this place, from 0; for a transfer 0 is the giver and 1 the receiver. */
type Refused<Kind extends string> = Kind extends string ? { readonly kind: Kind; readonly place: number } : never

interface Done {
  readonly kind: 'done'
}

interface Insufficient {
  readonly kind: 'insufficient'
  readonly available: number
}

export type AdjustmentReply =
  | Done
  | Insufficient
  | Refused<'unknown_member' | 'unknown_currency' | 'past_expiry' | 'out_of_range'>
  /** The rule of its currency lets it expire before it opens. */
  | { readonly kind: 'opens_after_expiry'; readonly expiresAt: number }
  | CommandConflict

export type TransferReply =
  | Done
  | Insufficient
  | { readonly kind: 'same_member' }
  | Refused<'unknown_member' | 'unknown_currency' | 'out_of_range'>
  | CommandConflict

export type ImportReply =
  | Done
  | Refused<'unknown_member' | 'unknown_currency' | 'past_expiry' | 'already_imported' | 'out_of_range'>
  | CommandConflict

/** Value of all members in one currency, by the month (UTC) of the last moment before it expires. */
export interface Liability {
  readonly currencyId: string
  /** Such as `2026-12`; empty: it never expires. */
  readonly expiryMonth: string
  /** It may be larger than a double holds exactly. */
  readonly amount: bigint
}
