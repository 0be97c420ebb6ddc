import type { StoredLadder } from '../../engine/value/ladder.js'
import type { ReturnBasis, ReturnedLines, ReturnPlan } from '../../engine/value/returns.js'
import type { CalculationBody } from './calculations.js'
import type { Command, CommandConflict, Rows } from './calls.js'

/** Returns of sales (4-member-value, section 5). Quantities are thousandths, refunds minor units, times milliseconds since the epoch. */
export interface SaleReturns {
  find(calculationId: string): Promise<ReturnState>
  /**
   * Stores the ladder of a sale; the first one that is stored stays.
   *
   * @param facts  JSON of the facts to price the kept units anew, for which the basket is stored; absent or null: it is not
   */
  storeLadder(calculationId: string, ladder: StoredLadder, facts?: string | null): Promise<void>
  /** The basket that was kept for returns; null: none was, or its member is forgotten. */
  findBasket(calculationId: string): Promise<ReturnBasket | null>
  quote(calculationId: string, planned: PlannedReturn): Promise<QuoteReply>
  findBody(calculationId: string): Promise<StoredBody | null>
}

export type StoredBody = Pick<CalculationBody, 'packed' | 'inputs'>

export interface PosReturns extends SaleReturns {
  findStored(returnId: string): Promise<StoredPosReturn | null>
  /** Sales of the venue with this calculation or transaction, two at most; repeated transactions left out. */
  findSales(sold: SoldAt): Promise<readonly string[]>
  /** As `AdminReturns.record`, with `returnId` as the reference; `stored`: one was recorded under this id meanwhile. */
  recordSent(sent: SentReturn, asked: Omit<AskedReturn, 'reference'>): Promise<PosRecordReply>
}

export interface AdminReturns extends SaleReturns {
  /** Records a return and moves its value as planned: first spent value comes back, then earned value is taken back. */
  record(command: Command, asked: AskedReturn): Promise<RecordReply>
  /** The baskets kept of a member, by calculation id, which is the cursor. */
  listBaskets(memberId: string, rows: Rows<string>): Promise<readonly ReturnBasket[]>
  list(filter: ReturnFilter, rows: Rows<readonly [number, number]>): Promise<readonly ListedReturn[]>
  /** Leases the next `max` sales recorded at least an hour ago, the oldest first, to store their ladders; `passed` ends the lease. */
  sweep(max: number): Promise<LadderSweep>
  passed(last: SweptSale): Promise<void>
}

export type ReturnState =
  | { readonly kind: 'unknown_calculation' }
  | { readonly kind: 'not_sold' }
  /** Its ladder is not stored yet. */
  | { readonly kind: 'sold'; readonly sale: ChargedSale }
  /** `seen` names the basis as it is now. */
  | { readonly kind: 'laddered'; readonly basis: ReturnBasis; readonly seen: string }

export interface ChargedSale {
  readonly asReturned: boolean
  /** The amount paid, where it is less than the net of that basket; null: the net. */
  readonly paidTotal: number | null
  /** Value that the sale spent of its member's accounts, as `CalculationRecord.spending`; null: nothing. */
  readonly spending: string | null
  /** The calculation by which the kept units are priced anew; null: its lines stay as sent. */
  readonly pricedAs: string | null
}

export interface ReturnBasket {
  readonly calculationId: string
  readonly packed: Uint8Array
  readonly facts: string
}

export interface ReturnedValue {
  readonly currencyId: string
  readonly amount: number
  /** Part of `amount`: of withdrawn value, the part that became debt; of value given back, the part that paid debt. */
  readonly debt: number
  /** Not in `amount`. */
  readonly forgiven: number
}

export interface PlannedReturn {
  readonly lines: ReturnedLines
  /** Names the basis by which it was planned. */
  readonly seen: string
  /** null: it was refused, and only a return that was recorded before is answered. */
  readonly plan: ReturnPlan | null
}

export interface AskedReturn extends PlannedReturn {
  readonly calculationId: string
  readonly reference: string
  readonly occurredAt: number
}

export interface SoldAt {
  readonly venueId: string
  readonly by: { readonly calculationId: string } | { readonly transactionId: string }
}

export interface SentReturn {
  readonly returnId: string
  readonly digest: Uint8Array
  readonly body: Uint8Array
  readonly actor: string
}

export interface StoredPosReturn extends Pick<SentReturn, 'digest' | 'body'> {
  /** Recorded within LOYALTY_IDEMPOTENCY_S. */
  readonly isFresh: boolean
  readonly made: ListedReturn
}

export interface RecordedReturn {
  readonly returnId: number
  readonly calculationId: string
  readonly reference: string
  readonly lines: ReturnedLines
  readonly refund: number
  /** Parts of `refund`, in the order of `lines`. */
  readonly lineRefunds: readonly number[]
  readonly asPaidRefund: number
  readonly keptRefund: number | null
  readonly takenBack: readonly ReturnedValue[]
  readonly givenBack: readonly ReturnedValue[]
  readonly occurredAt: number
  readonly recordedAt: number
  readonly actor: string
  readonly recordedAtUs: number
}

export interface ListedReturn extends Omit<RecordedReturn, 'lines'> {
  /** By place in the ladder. */
  readonly lines: readonly (readonly [lineId: string, quantity: number])[]
}

export type QuoteReply =
  | ({ readonly kind: 'done' } & RecordedReturn)
  | { readonly kind: 'not_sold' }
  /** The basis is another one now: plan it again. */
  | { readonly kind: 'changed' }
  | { readonly kind: 'refused' }
  | { readonly kind: 'out_of_range' }

/** `reference_conflict`: the reference was recorded with other lines. */
export type RecordReply = QuoteReply | { readonly kind: 'reference_conflict' } | CommandConflict

export type PosRecordReply = QuoteReply | { readonly kind: 'reference_conflict' | 'stored' }

export interface ReturnFilter {
  readonly fromUs: number
  readonly untilUs: number
  readonly calculationId: string
  readonly memberId?: string
}

export interface SweptSale {
  readonly recordedAtUs: number
  readonly calculationId: string
}

export interface LadderSweep {
  /** Charged sales without a ladder. */
  readonly calculationIds: readonly string[]
  readonly last: SweptSale | null
}
