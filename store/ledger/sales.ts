import type { CounterName } from '../../engine/core/base/outcome.js'
import type { SaleEvent } from '../../engine/index.js'
import type { StoredLadder } from '../../engine/value/ladder.js'
import type { ReturnPlan } from '../../engine/value/returns.js'
import type { Command, CommandConflict, Rows } from './calls.js'
import type { ReturnedValue } from './returns.js'
import type { MemberName } from './value.js'

export interface PosSales {
  /**
   * Records a sale event exactly once (contract 4.1, wire decisions 5) and gives the member its earnings (4-member-value 4); durable when
   * it resolves. `recounted`: after `paid_less` or `uncounted`, the earning rules' counts of the amount paid.
   */
  record(event: SaleEvent, body: Uint8Array, recounted?: Recounted): Promise<SaleReply>
}

export interface AdminSales {
  /** Newest first; looks at `lookedMax` sales at most. The cursor is the last one's `recordedAtUs` and id. */
  list(filter: SaleFilter, rows: Rows<readonly [number, string]>): Promise<readonly InspectedSale[]>
  /** The cursor of the last sale that `list` would look at after this one; null: it looks at everything. */
  findLookedTo(filter: SaleFilter, after: readonly [number, string] | null): Promise<readonly [number, string] | null>
  find(calculationId: string): Promise<{ readonly sale: InspectedSale; readonly event: Uint8Array } | null>
  /** Oldest first: of its calculations, and of its loyalty ids without a calculation. The cursor is `recordedAtUs` and id. */
  listOf(
    memberId: string,
    rows: Rows<readonly [number, string]>,
  ): Promise<readonly { readonly sale: InspectedSale; readonly event: Uint8Array }[]>
  /** Gives at most `max` committed sales their places in the feed; resolves to their number. Places become visible in their order. */
  place(max: number): Promise<number>
  readFeed(after: number, limit: number): Promise<readonly InspectedSale[]>
  lastPlace(): Promise<number>
  listAt(calculationIds: readonly string[]): Promise<readonly InspectedSale[]>
  sumOf(memberId: string): Promise<MemberSales>
  /** Request and answer, packed, of a member's newest charged sales whose bodies are stored. */
  listPacked(memberId: string, max: number): Promise<readonly Uint8Array[]>
  settle(command: Command, calculationId: string, discrepancies: readonly string[]): Promise<SettlementReply>
  /** Gives a sale to a member, once to each (4-member-value 5 and 6). */
  claim<IsMove extends boolean>(command: Command, claim: SaleClaim<IsMove>): Promise<SaleClaimReply<IsMove>>
}

export interface MemberSales {
  readonly sums: readonly {
    readonly currency: string
    readonly sales: number
    readonly paid: number
    readonly given: number
    readonly refunded: number
  }[]
  readonly venues: readonly { readonly venueId: string; readonly sales: number }[]
  readonly since: number | null
}

export type SettlementReply =
  | { readonly kind: 'done' }
  | { readonly kind: 'unknown_sale' | 'nothing_to_settle' }
  | CommandConflict

export interface SaleClaim<IsMove extends boolean = boolean> {
  readonly member: MemberName
  readonly calculationId: string
  /** `unknown`: the basket is no longer kept. */
  readonly counted: ClaimCount | 'unknown'
  readonly isMove: IsMove
  readonly isDryRun: boolean
}

/** A basket as it was charged, for the member that gets its sale. */
export interface ClaimCount {
  /** JSON as `CalculationRecord.earning`; by rule, `sent` counts the units kept, and `all` those bought; null: nothing. */
  readonly earning: string | null
  /** Becomes the ladder of the sale, unless that cannot be returned. */
  readonly ladder: StoredLadder
  readonly returns: number
  /** For a move: the return of everything for the other member; `seen` as of `PlannedReturn`. */
  readonly back?: { readonly seen: string; readonly plan: ReturnPlan }
}

interface ValueGiven {
  readonly currencyId: string
  readonly amount: number
}

export type SaleClaimReply<IsMove extends boolean = boolean> =
  | {
      readonly kind: 'done'
      readonly given: readonly ValueGiven[]
      readonly takenBack?: readonly ReturnedValue[]
      readonly givenBack?: readonly ReturnedValue[]
    }
  | { readonly kind: 'unknown_member' | 'blocked_member' | 'body_gone' }
  /** There is none, or it was cancelled, or a move of one that cannot be returned. */
  | { readonly kind: 'unknown_sale' }
  | (IsMove extends true ? NotMoved : NotClaimed)
  /** The sale was returned, or its member's value changed: count again. */
  | { readonly kind: 'changed' }
  | CommandConflict

/** `unknown_calculation`: its basket never came. */
type NotClaimed = { readonly kind: 'already_claimed' | 'has_member' | 'unknown_calculation' }

/** `already_moved`: it is this member's, or was moved to it before. `out_of_range`: an account would pass 2^53 - 1. */
type NotMoved = { readonly kind: 'already_moved' | 'no_member' | 'out_of_range' }

export interface PaidCount {
  readonly earning: string | null
  /** For a sale that failed for an unknown calculation: the member who earns. */
  readonly memberId?: string
  /** For such a sale: some rules cannot be counted without its basket. */
  readonly isPartial?: boolean
}

/** `unknown`: nothing to count from. */
export type Recounted = PaidCount | 'unknown'

export type SaleReply =
  | {
      readonly kind: 'recorded' | 'unknown_calculation'
      readonly discrepancies: readonly string[]
      readonly freed: readonly CounterName[]
    }
  /** Stored within LOYALTY_IDEMPOTENCY_S under this key; `body` is the stored event, `result` the answer to it. */
  | {
      readonly kind: 'stored'
      readonly digest: Uint8Array
      readonly body: Uint8Array
      readonly result: 'recorded' | 'unknown_calculation'
    }
  /** Stored longer ago than that. */
  | { readonly kind: 'duplicate' }
  /** Nothing was written: earning has to be counted anew, by the amount paid or with the calculation that has come. */
  | { readonly kind: 'paid_less' }
  /** Nothing was written: it failed for an unknown calculation, so its earning is not counted yet. */
  | { readonly kind: 'uncounted' }

export interface SaleFilter {
  readonly fromUs: number
  readonly untilUs: number
  readonly venueId: string
  readonly status: string
  /** Only sales that disagree with their calculation; a word: in this. */
  readonly discrepancy: string | 'any' | null
  readonly receiptNumber: number | null
  readonly transactionId: string
  readonly cashRegisterId: string
  /** Only sales with a discrepancy that is not settled. Default: false. */
  readonly isOpen?: boolean
}

export interface InspectedSale {
  readonly calculationId: string
  readonly status: string
  readonly failureReason: string | null
  readonly transactionId: string | null
  readonly receiptNumber: number | null
  readonly loyaltyId: string | null
  readonly currency: string
  readonly paidTotal: number | null
  readonly loyaltyDiscountTotal: number | null
  /** Minor units that benefits gave; 0 where the basket was not charged as answered. */
  readonly givenTotal: number
  readonly refundTotal: number
  readonly occurredAt: string
  readonly venueId: string | null
  readonly baxId: string | null
  readonly cashRegisterId: string | null
  readonly channel: string
  readonly result: string
  readonly recordedAt: number
  readonly joinedAt: number | null
  readonly claimedAt: number | null
  readonly discrepancies: readonly string[]
  /** Minor units above those of the calculation; null: not comparable. */
  readonly paidDifference: number | null
  readonly discountDifference: number | null
  /** null: it has no discrepancy, or one that is not settled. */
  readonly settled: { readonly at: number; readonly actor: string; readonly note: string } | null
  readonly recordedAtUs: number
  readonly feedPlace: number | null
}
