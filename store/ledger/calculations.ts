import type { CounterName, Want } from '../../engine/core/base/outcome.js'
import type { Command, CommandConflict, Rows } from './calls.js'

export interface PosCalculations {
  findAnswer(calculationId: string): Promise<AnswerLookup>
  /**
   * Stores a calculation with its holds on limits and accounts, all or nothing; releases the calculation that it supersedes (an open one
   * of the same venue). Expired reservations and holds in the way are released first. Commits only within `withinMs`.
   */
  confirm(record: CalculationRecord, withinMs: number): Promise<ConfirmReply>
  /** A confirmed calculation whose answer was never sent; `replayed`: a repeat was answered from it, or it is no longer open. */
  withdraw(calculationId: string): Promise<'withdrawn' | 'replayed' | 'unknown'>
  /** Calculations without holds; stored ones stay. Resolves to the ids under which another answer was stored. */
  store(records: readonly CalculationRecord[]): Promise<readonly string[]>
  /** Marks expired calculations and releases their holds, at most `max` at a time; resolves to their number. */
  expire(max: number): Promise<number>
}

export interface AdminCalculations {
  /** Newest first; looks at `lookedMax` calculations at most. The cursor is the last one's `answeredAtUs` and id. */
  list(filter: CalculationFilter, rows: Rows<readonly [number, string]>): Promise<readonly CalculationSummary[]>
  /** The cursor of the last calculation that `list` would look at after this one; null: it looks at everything. */
  findLookedTo(
    filter: CalculationFilter,
    after: readonly [number, string] | null,
  ): Promise<readonly [number, string] | null>
  find(calculationId: string): Promise<InspectedCalculation | null>
  /** Ends an open calculation as if its time had passed, and releases its holds. */
  release(command: Command, release: Release): Promise<ReleaseReply>
  count(fromUs: number, untilUs: number): Promise<number>
  read(untilUs: number, rows: Rows<readonly [number, string]>): Promise<readonly PastCalculation[]>
}

export interface Release {
  readonly calculationId: string
  readonly reason: string
  readonly isDryRun: boolean
}

export type ReleaseReply =
  | {
      readonly kind: 'done'
      /** Without subjects in the reply to a repeat. */
      readonly reservations: readonly (CounterName & { readonly units: number })[]
      readonly value: readonly { readonly currencyId: string; readonly amount: number }[]
    }
  | { readonly kind: 'unknown_calculation' }
  | { readonly kind: 'calculation_not_open'; readonly state: string }
  | CommandConflict

/** One answered calculation (wire decisions 5), with everything that Postgres stores of it. */
export interface CalculationRecord {
  readonly calculationId: string
  readonly supersedesCalculationId: string | null
  readonly status: 'applied' | 'unchanged' | 'member_not_found'
  readonly reason: string | null
  readonly venueId: string
  readonly baxId: string
  readonly cashRegisterId: string
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
  /** Minor units that a better outcome could gain at most; 0 where it is optimal. */
  readonly gap: number
  readonly digest: Uint8Array
  readonly packed: Uint8Array
  /** JSON of the PricingFacts and the engineVersion it was priced with, for replay. */
  readonly inputs: string
  readonly explanation: Uint8Array
  readonly earning: string | null
  /** JSON of its benefits' discounts (`givenFromText`); null: none applies. */
  readonly gave: string | null
  readonly entered: string | null
  readonly carried: number
  /** JSON of its benefits' cost to the member (`spendingFromText`), held in his accounts; null: nothing. Only on the ledger path. */
  readonly spending: string | null
  readonly holds: readonly Want[]
  readonly answeredAt: number
}

export interface StoredAnswer {
  readonly digest: Uint8Array
  readonly packed: Uint8Array
}

export type AnswerLookup =
  | { readonly kind: 'stored'; readonly answer: StoredAnswer }
  /** Stored, but its answer's time (LOYALTY_IDEMPOTENCY_S) is over: a basket call answers 409. */
  | { readonly kind: 'outlived' }
  | { readonly kind: 'unknown' }

export type ConfirmReply =
  | { readonly kind: 'confirmed' }
  /** Not enough left: nothing was written. `left` by counterKey, for every counter of the record; if all have enough, by accountKey. */
  | { readonly kind: 'short'; readonly left: Readonly<Record<string, number>> }
  | { readonly kind: 'known'; readonly lookup: AnswerLookup }
  | { readonly kind: 'too_late' }

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
  readonly cashRegisterId: string
  readonly receiptNumber: number | null
  readonly transactionId: string
  readonly benefitId: string
}

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
  readonly gap: number
  readonly answeredAt: number
  readonly expiresAt: number
  readonly answeredAtUs: number
  readonly gave: string | null
}

export interface InspectedCalculation {
  readonly summary: CalculationSummary
  readonly body: CalculationBody | null
  readonly reservations: readonly InspectedReservation[]
  readonly spending: string | null
  readonly holds: readonly InspectedHold[]
  readonly earning: string | null
  /** Value that its sale earned, by ruleId, in the smallest units of the currency. */
  readonly given: Readonly<Record<string, number>>
  /** Value that a sale of it now would earn, as `given`; 0 for a rule without an entry. null: it was sold. */
  readonly due: Readonly<Record<string, number>> | null
  readonly soldAt: number | null
  readonly superseder: { readonly calculationId: string; readonly at: number } | null
}

export interface PastCalculation extends Pick<CalculationRecord, 'earning' | 'spending'> {
  readonly summary: CalculationSummary
  readonly body: CalculationBody | null
}

export interface CalculationBody {
  readonly packed: Uint8Array
  readonly inputs: string
  readonly explanation: Uint8Array
}

export interface InspectedHold {
  readonly currencyId: string
  readonly amount: number
  /** As in `InspectedReservation`; `late`: used after it was released. */
  readonly state: InspectedReservation['state']
  readonly heldUntil: number | null
}

export interface InspectedReservation extends CounterName {
  readonly units: number
  /** `released` as soon as its time is over. */
  readonly state: 'open' | 'used' | 'late' | 'released'
  readonly heldUntil: number | null
}
