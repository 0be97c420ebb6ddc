import type { Command, CommandConflict, Rows } from './calls.js'

/** Returns of sales (4-member-value, section 5). Quantities are thousandths, refunds minor units, times milliseconds since the epoch. */
export interface AdminReturns {
  find(calculationId: string): Promise<ReturnState>
  /** Stores the ladder of a sale; the first one that is stored stays. */
  storeLadder(calculationId: string, ladder: StoredLadder): Promise<void>
  /** The result that `record` would have now. */
  quote(calculationId: string, lines: ReturnedLines): Promise<QuoteReply>
  /** Records a return and moves its value: first spent value is given back, then earned value is withdrawn. */
  record(command: Command, asked: AskedReturn): Promise<RecordReply>
  /** Newest first. The cursor is the last one's `recordedAtUs` and id. */
  list(filter: ReturnFilter, rows: Rows<readonly [number, number]>): Promise<readonly ListedReturn[]>
  /** Leases the next `max` sales recorded at least an hour ago, the oldest first, to store their ladders; `passed` ends the lease. */
  sweep(max: number): Promise<LadderSweep>
  passed(last: SweptSale): Promise<void>
}

/** The facts of a sale that returns need, as the ledger stores them (`textOfLadder`). */
export interface StoredLadder {
  /** lineId, quantity, net paid, net of the basket, free units. */
  readonly lines: readonly (readonly [lineId: string, quantity: number, net: number, due: number, free: number])[]
  readonly rules: readonly unknown[]
  /** Value that the sale spent of its member's accounts, by benefitId. */
  readonly spent: readonly LadderSpent[]
}

/** As `Spent`, with positions in the ladder. */
interface LadderSpent {
  readonly currencyId: string
  readonly per: 'unit' | 'times' | 'basket'
  readonly amount: number
  readonly times: number
  readonly lines: readonly (readonly [position: number, units: number])[]
}

/** By position in the ladder, ascending, each once. */
export type ReturnedLines = readonly (readonly [position: number, quantity: number])[]

export type ReturnState =
  | { readonly kind: 'unknown_calculation' }
  /** No sale of it was charged. */
  | { readonly kind: 'not_sold' }
  /** Its ladder is not stored yet. */
  | { readonly kind: 'sold'; readonly sale: ChargedSale }
  | {
      readonly kind: 'laddered'
      readonly ladder: StoredLadder
      /** By position in the ladder. */
      readonly returned: readonly number[]
      /** Minor units, by position in the ladder. */
      readonly refunded: readonly number[]
    }

export interface ChargedSale {
  /** The basket as returned, else the one as sent. */
  readonly asReturned: boolean
  /** The amount paid, where it is less than the net of that basket; null: the net. */
  readonly paidTotal: number | null
  /** Value that the sale spent of its member's accounts, as `CalculationRecord.spending`; null: nothing. */
  readonly spending: string | null
}

export interface ReturnedValue {
  readonly currencyId: string
  readonly amount: number
  /** Part of `amount`: of withdrawn value, the part that became debt; of value given back, the part that paid debt. */
  readonly debt: number
  /** Not in `amount`. */
  readonly forgiven: number
}

export interface AskedReturn {
  readonly calculationId: string
  readonly lines: ReturnedLines
  /** The refund if the kept basket were priced anew; null: unknown. */
  readonly keptRefund: number | null
  readonly reference: string
  readonly occurredAt: number
}

export interface RecordedReturn {
  readonly returnId: number
  readonly calculationId: string
  readonly reference: string
  readonly lines: ReturnedLines
  readonly refund: number
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
  /** `storeLadder` first. */
  | { readonly kind: 'no_ladder' }
  /** The line at this place of the request has less left. */
  | { readonly kind: 'too_much'; readonly place: number; readonly left: number }
  /** An account would pass 2^53 - 1. */
  | { readonly kind: 'out_of_range' }

/** `reference_conflict`: the reference was recorded with other lines. */
export type RecordReply = QuoteReply | { readonly kind: 'reference_conflict' } | CommandConflict

/** Empty: any. Times in microseconds since the epoch, `fromUs` inclusive, `untilUs` exclusive. */
export interface ReturnFilter {
  readonly fromUs: number
  readonly untilUs: number
  readonly calculationId: string
}

export interface SweptSale {
  readonly recordedAtUs: number
  readonly calculationId: string
}

export interface LadderSweep {
  /** Charged sales without a ladder. */
  readonly calculationIds: readonly string[]
  /** null: nothing is due, or another gateway is sweeping. */
  readonly last: SweptSale | null
}
