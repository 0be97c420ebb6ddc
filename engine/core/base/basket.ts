import type { Money, Percentage, Quantity } from './money.js'

/** A discount on a line, the POS's or ours (wire decisions 1, LineDiscount). */
export interface LineDiscount {
  readonly type: 'amount' | 'percentage'
  /** Present when `type` is `percentage`; of a POS discount it is information only. */
  readonly percentage: Percentage | null
  /** What the discount takes off the line. */
  readonly amount: Money
  readonly lineDiscountCode: string | null
  readonly text: string | null
  readonly campaign: string | null
}

/** An order discount: a LineDiscount with an id; its amount is the sum of its allocations on the lines. */
export interface OrderDiscount extends LineDiscount {
  readonly orderDiscountId: string
}

export interface OrderDiscountAllocation {
  readonly orderDiscountId: string
  readonly amount: Money
}

/** Sums of a line, or over the lines of a basket (arithmetic identities 1 to 6). */
export interface Totals {
  readonly gross: Money
  readonly lineDiscount: Money
  readonly orderDiscount: Money
  readonly net: Money
}

/** One line as the POS sent it; absent and null optional fields are both null here (wire decisions 9). */
export interface Line {
  readonly lineId: string
  /** Position in `basket.lines` of the parent, or -1. */
  readonly parent: number
  readonly productId: string
  readonly productGroupId: string | null
  readonly productMasterId: string | null
  readonly ean: string | null
  readonly quantity: Quantity
  readonly unitPrice: Money
  readonly overrideUnitPrice: Money | null
  readonly noDiscount: boolean
  readonly noPercentageDiscount: boolean
  readonly discounts: readonly LineDiscount[]
  readonly orderDiscountAllocations: readonly OrderDiscountAllocation[]
  readonly addedByLoyalty: boolean
  readonly splitFromLineId: string | null
  readonly totals: Totals
}

/** The basket as sent (wire decisions 1), reduced to what pricing needs. */
export interface Basket {
  readonly currency: string
  /** The moment at which benefits are judged: milliseconds since the epoch. */
  readonly requestedAt: number
  readonly channel: 'pos' | 'mpos'
  readonly venueId: string
  readonly lines: readonly Line[]
  readonly orderDiscounts: readonly OrderDiscount[]
  readonly totals: Totals
}

/** What the engine receives about the member (benefits 1). */
export interface MemberFacts {
  readonly memberId: string
  readonly tier: string | null
  readonly segments: readonly string[]
}

/** One entry of a venue's price list (benefits 1). */
export interface VenueProduct {
  readonly productId: string
  readonly name: string
  readonly unitPrice: Money
  readonly productGroupId: string | null
  readonly productMasterId: string | null
  readonly ean: string | null
  readonly noDiscount: boolean
  readonly noPercentageDiscount: boolean
}

/**
 * What the engine receives about the venue: of its price list only the products that the programme's benefits can add.
 */
export interface VenueFacts {
  readonly venueId: string
  readonly currency: string
  /** IANA name. */
  readonly timeZone: string
  readonly products: readonly VenueProduct[]
}
