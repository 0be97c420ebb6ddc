import type { MemberFacts, VenueFacts } from './core/base/basket.js'
import type { Money } from './core/base/money.js'
import type { Reason, Want } from './core/base/outcome.js'
import type { Benefit, Experiment, Limit } from './core/base/programme.js'
import type { OpeningTerm } from './core/match/open.js'

/** Stored with each calculation. Raised when the same basket may get another outcome of the same value. */
export const engineVersion = 3

export interface Refusal {
  readonly code: 'invalid_request' | 'too_many_lines' | 'arithmetic_mismatch'
  readonly message: string
  readonly details: FieldFault & {
    readonly faults?: readonly FieldFault[]
  }
}

export interface FieldFault {
  readonly field: string
  readonly expected: string
  readonly received: string
}

export interface Ticket {
  readonly thread: number
  readonly id: number
}

export interface BasketFacts {
  readonly calculationId: string
  readonly supersedesCalculationId: string | null
  readonly loyaltyId: string | null
  readonly currency: string
  readonly requestedAt: string
  readonly venueId: string
  readonly baxId: string
  readonly cashRegisterId: string
  readonly channel: string
  readonly lineCount: number
  readonly netBefore: Money
  readonly digest: Uint8Array
}

export type BasketRead =
  | { readonly kind: 'refused'; readonly refusal: Refusal }
  | {
      readonly kind: 'read'
      readonly ticket: Ticket
      readonly facts: BasketFacts
      /** Checks 11 and 14, worked out while reading; the use case answers them in their place, after the stored answer. */
      readonly tooManyLines: Refusal | null
      readonly arithmetic: Refusal | null
      /** Priced in the same message; null: not requested, or the basket differs from the assumed one. */
      readonly ahead: Priced | null
    }

export interface PricingFacts {
  readonly programmeVersion: number
  readonly member: MemberFacts | null
  readonly venue: VenueFacts
  readonly available: Readonly<Record<string, number>>
  readonly arms?: Readonly<Record<string, string>> | undefined
  readonly discountCode?: string
  readonly stepsMax?: number
  readonly paidTotal?: Money
}

export interface PricingAhead {
  readonly loyaltyId: string
  readonly venueId: string
  readonly facts: PricingFacts
}

export interface ReadingHow {
  /** `performance.now()` after which the caller no longer waits: a call that has not begun by then is dropped. */
  readonly untilMs: number
  readonly ahead: PricingAhead | null
}

export interface Priced {
  readonly status: 'applied' | 'unchanged' | 'member_not_found'
  readonly reason: Reason | null
  readonly answer: Uint8Array
  readonly packed: Uint8Array
  /** The benefit reports, packed: `unpackReports` gives them back. */
  readonly explanation: Uint8Array
  readonly wants: readonly Want[]
  readonly netAfter: Money
  readonly loyaltyDiscountTotal: Money
  readonly value: Money
  readonly optimal: boolean
  readonly gap: Money
  readonly steps: number
  /** True: a counter in `available` bounded a benefit; without it the price may differ. */
  readonly bounded: boolean
  readonly carried: Money
  readonly spending: string | null
  readonly earning: string | null
  readonly gave: string | null
  /** JSON rows of [experimentId, armId, 1 if it withholds an open benefit, else 0]; null: the basket is in no experiment. */
  readonly entered: string | null
}

export interface SaleEvent {
  readonly calculationId: string
  readonly status: 'applied' | 'unchanged' | 'member_not_found' | 'failed' | 'cancelled'
  readonly failureReason: string | null
  readonly transactionId: string | null
  readonly receiptNumber: number | null
  readonly loyaltyId: string | null
  readonly currency: string
  readonly paidTotal: Money | null
  readonly loyaltyDiscountTotal: Money | null
  readonly occurredAt: string
  readonly venueId: string
  readonly baxId: string
  readonly cashRegisterId: string
  readonly terminalId: string | null
  readonly clerkNumber: number | null
  readonly channel: string
  readonly digest: Uint8Array
}

export type SaleRead =
  | { readonly kind: 'refused'; readonly refusal: Refusal }
  | { readonly kind: 'read'; readonly event: SaleEvent }

export interface UnknownSale {
  readonly occurredAt: string
  readonly channel: string
  readonly paidTotal: Money
}

export interface SaleCount {
  readonly earning: string | null
  readonly isPartial: boolean
}

export interface SentBasket {
  readonly requestedAt: string
  readonly channel: string
}

export interface ClosedBenefit {
  readonly benefitId: string
  readonly terms: readonly (OpeningTerm | 'experiment')[]
  readonly withheldBy?: readonly { readonly name: string; readonly armId: string }[]
}

export interface ChargedBasket {
  readonly facts: PricingFacts
  /** The stored answer that was charged; null: the basket as sent. */
  readonly answer: Uint8Array | null
}

export interface ProgrammeOutline {
  readonly freeProductIds: readonly string[]
  readonly limits: readonly LimitOfBenefit[]
  readonly needsHints: boolean
  readonly costed: readonly Benefit[]
  readonly experiments: readonly Experiment[]
}

export interface LimitOfBenefit extends Limit {
  readonly venueIds: readonly string[] | null
}

/** Reads, prices and writes on pricing threads. Rejects with `EngineFault` when a thread died or the queue is full (503). */
export interface PricingEngine {
  /** @param how  absent: only read, whenever it comes to it */
  readBasket(body: Uint8Array, idempotencyKey: string, how?: ReadingHow): Promise<BasketRead>
  /**
   * Prices the basket read; may be called again for the same ticket with other facts, until `forget`.
   *
   * @param untilMs  as in `ReadingHow`; absent: no deadline
   */
  priceBasket(ticket: Ticket, facts: PricingFacts, untilMs?: number): Promise<Priced>
  forget(ticket: Ticket): void
  readSale(body: Uint8Array, idempotencyKey: string): Promise<SaleRead>
  countSale(sale: UnknownSale, facts: PricingFacts): Promise<SaleCount>
  /** Benefits that are not open to the member, in the order of benefitId; none without a member. */
  closedBenefits(sent: SentBasket, facts: PricingFacts): Promise<readonly ClosedBenefit[]>
  /** JSON of the sale for returns (`Ladder`, and the `policy` of the programme); the programme as of `priceBasket`. */
  ladder(ticket: Ticket, charged: ChargedBasket): Promise<string>
  sameValue(left: Uint8Array, right: Uint8Array): Promise<boolean>
  unpack(packed: Uint8Array): Promise<{ readonly request: Uint8Array; readonly answer: Uint8Array }>
  /** Every thread can price with this version afterwards; earlier ones stay while in use. Benefits are read there: 10 MB take 70 ms. */
  loadProgramme(version: number, benefits: string): Promise<ProgrammeOutline>
  readonly waiting: number
  close(): Promise<void>
}

/** The engine could not do the work, through no fault of the request: a thread died, too much is queued, or the time was over before it began. */
export class EngineFault extends Error {
  constructor(
    readonly kind: 'queue_full' | 'thread_lost' | 'closed' | 'ticket_unknown' | 'too_late',
    options?: { cause?: unknown },
  ) {
    super(`pricing engine: ${kind}`, options)
    this.name = 'EngineFault'
  }
}
