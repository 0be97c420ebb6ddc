import type { CounterName } from '../engine/core/outcome.js'

/**
 * What internal services look into, beside the path of baskets and sales: on connections of its own, so that a slow list holds
 * up no POS. Every method rejects with `StoreFault` when the ledger cannot answer; lists read `limit` rows behind `after`.
 */
export interface Inspection {
  /** Counters from which something was taken, by limit, subject and period, ascending by their bytes. */
  listCounters(filter: CounterFilter, rows: Rows<readonly [string, string, string]>): Promise<readonly CounterState[]>
  /** null: nobody has taken from it yet. */
  findCounter(name: CounterName): Promise<CounterState | null>
  /** What open calculations hold of a counter, the first to expire first. */
  findHolds(name: CounterName, limit: number): Promise<readonly Hold[]>
  /** Calculations, newest first. The cursor is the last one's `answeredAtUs` and id. */
  listCalculations(
    filter: CalculationFilter,
    rows: Rows<readonly [number, string]>,
  ): Promise<readonly CalculationSummary[]>
  /** null: there is none. */
  findCalculation(calculationId: string): Promise<InspectedCalculation | null>
  /** How many were answered from one time to before another, microseconds since the epoch. */
  countCalculations(fromUs: number, untilUs: number): Promise<number>
  /** Calculations with their bodies, oldest first, answered before `untilUs`. The cursor is the last one's `answeredAtUs` and id. */
  readCalculations(untilUs: number, rows: Rows<readonly [number, string]>): Promise<readonly PastCalculation[]>
  /** Sales, newest first. The cursor is the last one's `recordedAtUs` and id. */
  listSales(filter: SaleFilter, rows: Rows<readonly [number, string]>): Promise<readonly InspectedSale[]>
  /** null: there is none. `event` as it arrived. */
  findSale(calculationId: string): Promise<{ readonly sale: InspectedSale; readonly event: Uint8Array } | null>
  /**
   * Gives places in the feed to sales that are committed and have none, at most `max`; resolves to how many got one. Places become
   * visible in their order, so that reading behind a place never misses one.
   */
  placeSales(max: number): Promise<number>
  /** Sales that have a place behind this one, by place. */
  readFeed(after: number, limit: number): Promise<readonly InspectedSale[]>
  /** The last place that was given; 0: none yet. */
  lastPlace(): Promise<number>
}

/** Which rows of a list: the cursor of the last one that was seen, null at the beginning, and how many at most. */
export interface Rows<Cursor> {
  readonly after: Cursor | null
  readonly limit: number
}

/** Empty: any. */
export interface CounterFilter {
  readonly limitId: string
  readonly subject: string
  readonly period: string
}

/** A counter as the ledger knows it now, expired reservations already taken off `open`. Times in milliseconds since the epoch. */
export interface CounterState extends CounterName {
  /** As the last calculation that took from it knew it. */
  readonly maximum: number
  readonly used: number
  readonly late: number
  readonly open: number
  /** null: nothing is open. */
  readonly nextExpiryAt: number | null
  readonly lastExpiryAt: number | null
}

export interface Hold {
  readonly calculationId: string
  readonly units: number
  readonly expiresAt: number
}

/** Empty or null: any. Times in microseconds since the epoch, `fromUs` inclusive, `untilUs` exclusive. */
export interface CalculationFilter {
  readonly fromUs: number
  readonly untilUs: number
  readonly venueId: string
  readonly memberId: string
  readonly loyaltyId: string
  readonly status: string
  readonly state: string
  readonly programmeVersion: number | null
}

/** The facts of a calculation as the ledger knows it now; times in milliseconds since the epoch. */
export interface CalculationSummary {
  readonly calculationId: string
  readonly supersedesCalculationId: string | null
  readonly status: string
  readonly reason: string | null
  /** `expired` as soon as its time is over. */
  readonly state: string
  readonly venueId: string
  readonly baxId: string
  readonly cashRegisterId: string | null
  readonly channel: string
  readonly loyaltyId: string | null
  readonly memberId: string | null
  readonly currency: string
  readonly requestedAt: string
  readonly programmeVersion: number
  readonly netBefore: number
  readonly netAfter: number
  readonly loyaltyDiscountTotal: number
  readonly optimal: boolean
  readonly answeredAt: number
  readonly expiresAt: number
  readonly answeredAtUs: number
}

/** A calculation, whole. */
export interface InspectedCalculation {
  readonly summary: CalculationSummary
  /** null: no longer kept. */
  readonly body: CalculationBody | null
  readonly reservations: readonly InspectedReservation[]
  /** When a sale met it, milliseconds since the epoch; null: none has. */
  readonly soldAt: number | null
  /** The calculation that replaced it. */
  readonly superseder: { readonly calculationId: string; readonly at: number } | null
}

/** A calculation to be priced again. */
export interface PastCalculation {
  readonly summary: CalculationSummary
  /** null: no longer kept. */
  readonly body: CalculationBody | null
}

/** What was stored of a calculation for days: as in `CalculationRecord`. */
export interface CalculationBody {
  readonly packed: Uint8Array
  readonly inputs: string
  readonly explanation: Uint8Array
}

export interface InspectedReservation extends CounterName {
  readonly units: number
  /** `released` as soon as its time is over. */
  readonly state: 'open' | 'used' | 'late' | 'released'
  /** Milliseconds since the epoch; null: it is not open. */
  readonly heldUntil: number | null
}

/** Empty: any. Times as in `CalculationFilter`. */
export interface SaleFilter {
  readonly fromUs: number
  readonly untilUs: number
  readonly venueId: string
  readonly status: string
  /** Only sales that disagree with their calculation; a word: in this. */
  readonly discrepancy: string | 'any' | null
}

/** A recorded sale; times in milliseconds since the epoch; null: not sent, or not storable as text. */
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
  readonly occurredAt: string
  readonly venueId: string | null
  readonly baxId: string | null
  readonly cashRegisterId: string | null
  readonly channel: string
  readonly result: string
  readonly recordedAt: number
  readonly joinedAt: number | null
  readonly discrepancies: readonly string[]
  readonly recordedAtUs: number
  /** null: it has none yet. */
  readonly feedPlace: number | null
}
