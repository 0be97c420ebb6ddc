import type { Command, CommandConflict } from './calls.js'
import type { MemberName } from './value.js'

/** Vouchers, codes and exchanges (4-member-value, section 6). Amounts are 1 to 2^53 - 1; times are milliseconds since the epoch. */
export interface AdminRewards {
  issue(command: Command, vouchers: Vouchers): Promise<IssueReply>
  /** Stores codes, all or none. The reply names those that are stored already. A dry run only checks them; it stores no request id. */
  importCodes(command: Command, codes: ImportedCodes, isDryRun?: boolean): Promise<CodesReply>
  /** Once. After `wrongCodesMax` wrong codes in an hour every code is refused; a repeated request counts once. */
  claim(command: Command, claim: { readonly member: MemberName; readonly code: string }): Promise<ClaimReply>
  voidCode(command: Command, code: string): Promise<VoidReply>
  /** Exchanges value by the programme in force, from the lot that expires first. All or nothing. */
  activate(command: Command, activation: Activation): Promise<ActivationReply>
  /** As many whole times as are free and not expired, and whose value taken has not expired. The old dates hold. */
  cancel(command: Command, activationId: number): Promise<CancellationReply>
}

export interface StoredExchange {
  readonly exchangeId: string
  readonly from: { readonly currencyId: string; readonly amount: number }
  readonly to: { readonly currencyId: string; readonly amount: number }
  /** The value it gives expires this many times 24 hours after the activation; null: never. */
  readonly validDays: number | null
}

export const wrongCodesMax = 10

/** Members of a segment that one call credits at most: each account is locked until all are. */
export const segmentPageMax = 1_000

export interface Activation {
  readonly member: MemberName
  readonly fromCurrencyId: string
  readonly toCurrencyId: string
  readonly times: number
}

interface Worth {
  readonly currencyId: string
  readonly amount: number
  readonly expiresAt: number | null
}

export interface Vouchers extends Worth {
  readonly to: readonly MemberName[] | SegmentPage
}

export interface SegmentPage {
  readonly segment: string
  readonly after: string
  /** Members that got vouchers under this name are passed over; null: none are. */
  readonly grant: string | null
}

export interface ImportedCodes extends Worth {
  /** Each once. The ledger stores only keyed digests. */
  readonly codes: readonly string[]
}

type Refused<Kind extends string> = Kind extends string ? { readonly kind: Kind } : never

/** Nothing was done, because of the member or code at this place, from 0. */
type RefusedAt<Kind extends string> = Kind extends string ? { readonly kind: Kind; readonly place: number } : never

export type IssueReply =
  /** `last`: the member after which the segment may have more; null: it has no more. */
  | { readonly kind: 'done'; readonly members: number; readonly last: string | null }
  | Refused<'unknown_currency' | 'past_expiry'>
  | RefusedAt<'unknown_member' | 'same_member' | 'out_of_range'>
  | CommandConflict

export type CodesReply =
  | { readonly kind: 'done' }
  | Refused<'unknown_currency' | 'past_expiry'>
  /** `places`: from 0, ascending. */
  | { readonly kind: 'already_imported'; readonly places: readonly number[] }
  | CommandConflict

interface NotOpen<State extends string> {
  readonly kind: 'code_not_open'
  readonly state: State
}

export type ClaimReply =
  | { readonly kind: 'done'; readonly currencyId: string; readonly amount: number }
  | Refused<'unknown_member' | 'blocked_member' | 'unknown_code' | 'out_of_range'>
  | NotOpen<'claimed' | 'void' | 'expired'>
  /** Until the first of the wrong codes is an hour old. */
  | { readonly kind: 'too_many_wrong_codes'; readonly retryAfterMs: number }
  | CommandConflict

export type VoidReply = { readonly kind: 'done' } | Refused<'unknown_code'> | NotOpen<'claimed'> | CommandConflict

export type ActivationReply =
  | {
      readonly kind: 'done'
      readonly activation: number
      readonly fromAmount: number
      readonly toAmount: number
      readonly expiresAt: number | null
    }
  | { readonly kind: 'insufficient'; readonly available: number }
  | Refused<'unknown_member' | 'blocked_member' | 'unknown_exchange' | 'out_of_range'>
  | CommandConflict

export type CancellationReply =
  /** `fromAmount` came back, `toAmount` was taken. */
  | { readonly kind: 'done'; readonly times: number; readonly fromAmount: number; readonly toAmount: number }
  | Refused<'unknown_activation' | 'nothing_unused' | 'out_of_range'>
  | CommandConflict
