import type { Money, Percentage, Quantity } from './money.js'

export interface LineDiscount {
  readonly type: 'amount' | 'percentage'
  /** Present if `type` is `percentage`; on a POS discount information only. */
  readonly percentage: Percentage | null
  readonly amount: Money
  readonly lineDiscountCode: string | null
  readonly text: string | null
  readonly campaign: string | null
}

export interface OrderDiscount extends LineDiscount {
  readonly orderDiscountId: string
}

export interface OrderDiscountAllocation {
  readonly orderDiscountId: string
  readonly amount: Money
}

export interface Totals {
  readonly gross: Money
  readonly lineDiscount: Money
  readonly orderDiscount: Money
  readonly net: Money
}

export interface Line {
  readonly lineId: string
  /** Position of the parent in `basket.lines`, or -1. */
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
  /** The quantity is a measure, even when it is whole. Absent: false. */
  readonly weighed?: boolean
  readonly discounts: readonly LineDiscount[]
  readonly orderDiscountAllocations: readonly OrderDiscountAllocation[]
  readonly addedByLoyalty: boolean
  readonly splitFromLineId: string | null
  readonly totals: Totals
}

/** The basket as sent (wire decisions 1), reduced to what pricing needs. */
export interface Basket {
  readonly currency: string
  readonly requestedAt: number
  readonly channel: string
  readonly venueId: string
  /** A calculation whose reservations are free for the basket. Absent or null: none. */
  readonly supersedes?: string | null
  readonly lines: readonly Line[]
  readonly orderDiscounts: readonly OrderDiscount[]
  readonly totals: Totals
  /** The value of a line's member of the POS's own (`fieldValueOf`), by position. Absent: there are none. */
  readonly fieldOf?: ((line: number, name: string) => string | undefined) | undefined
}

export interface MemberFacts {
  readonly memberId: string
  readonly tier: string | null
  readonly segments: readonly string[]
  readonly visits?: number
  /** When the last of them was sold, milliseconds since the epoch; null: there is none. Absent: not looked up. */
  readonly lastVisitAt?: number | null
  readonly birthday?: string
  readonly joinedOn?: string
  /** By currencyId: the member's value, less what is pending; absent: nothing, or not known. The ledger decides when the basket is kept. */
  readonly balances?: Readonly<Record<string, number>>
  /** Parts of `balances` that open calculations hold. */
  readonly holds?: readonly ValueHeld[]
  /** By limitId: the name of the last birthday period in which the member used it. */
  readonly birthdayPeriods?: Readonly<Record<string, string>>
}

export interface ValueHeld {
  readonly calculationId: string
  readonly currencyId: string
  readonly amount: number
}

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

export interface VenueTime {
  readonly timeZone: string
  readonly dayStartsAt?: number
}

export interface VenueFacts extends VenueTime {
  readonly venueId: string
  readonly currency: string
  readonly products: readonly VenueProduct[]
}
