/**
 * The basket object (wire decisions 1): every field of the contract; null in an optional one counts as absent. Fields of the POS's own
 * come back as well: callers add them to these types, or let their objects' types be inferred (`PosClient.calculate`).
 */
export interface PosBasket {
  readonly calculationId: string
  readonly supersedesCalculationId?: string | null
  readonly loyaltyId?: string | null
  readonly currency: string
  readonly requestedAt: string
  readonly context: PosContext
  readonly lines: readonly PosLine[]
  readonly orderDiscounts?: readonly PosOrderDiscount[] | null
  readonly totals: PosTotals
}

export interface PosContext {
  readonly venueId: string
  readonly baxId: string
  readonly cashRegisterId: string
  readonly terminalId?: string | null
  readonly clerkNumber?: number | null
  /** `pos`, `mpos`, or a name agreed on with the service. */
  readonly channel: string
}

/** A returned basket: the POS's own fields are in their places; a line that the service has added has none of them. */
export type ChargedBasket<Basket extends PosBasket> = PosBasket &
  OwnFields<Basket, PosBasket> & {
    readonly lines: readonly (PosLine & Partial<OwnFields<Basket['lines'][number], PosLine>>)[]
  }

type OwnFields<Object, Contract> = Omit<Object, keyof Contract>

export interface PosLine {
  readonly lineId: string
  readonly parentLineId?: string | null
  readonly productId: string
  readonly productGroupId?: string | null
  readonly productMasterId?: string | null
  readonly ean?: string | null
  /** The POS's own field: printed on its receipt. */
  readonly name?: string
  readonly quantity: number
  readonly unitPrice: number
  readonly overrideUnitPrice?: number | null
  readonly noDiscount: boolean
  readonly noPercentageDiscount?: boolean | null
  /** The quantity is a measure, even when it is whole. */
  readonly weighed?: boolean | null
  readonly discounts?: readonly PosDiscount[] | null
  readonly orderDiscountAllocations?: readonly PosAllocation[] | null
  readonly addedByLoyalty?: boolean | null
  readonly splitFromLineId?: string | null
  readonly totals: PosTotals
}

export interface PosDiscount {
  readonly type: 'amount' | 'percentage'
  readonly percentage?: number | null
  readonly amount: number
  readonly lineDiscountCode?: string | null
  readonly text?: string | null
  readonly campaign?: string | null
}

export interface PosOrderDiscount extends PosDiscount {
  readonly orderDiscountId: string
}

export interface PosAllocation {
  readonly orderDiscountId: string
  readonly amount: number
}

export interface PosTotals {
  readonly gross: number
  readonly lineDiscount: number
  readonly orderDiscount: number
  readonly net: number
}

/** `round(quantity x unitPrice)`, half up to a whole minor unit (identity 1); null where the quantity has more than 3 decimals. */
export function grossOf(quantity: number, unitPrice: number): bigint | null {
  const thousandths = Math.round(quantity * 1000)
  if (thousandths / 1000 !== quantity) return null
  return (BigInt(thousandths) * BigInt(unitPrice) + 500n) / 1000n
}

/** RFC 3339 with an offset, as the contract wants its moments. */
export function dateTime(moment: Date): string {
  return moment.toISOString()
}
