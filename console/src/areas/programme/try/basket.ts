import { readScaled } from '../../../parts/scaled.js'

export interface TypedLine {
  readonly productId: string
  /** Units, or a weight with at most 3 decimals. */
  readonly quantity: string
  /** The POS's own discount on the line, in the currency; '' for none. */
  readonly discount: string
}

export type Buyer =
  | { readonly kind: 'nobody' }
  | { readonly kind: 'known'; readonly loyaltyId: string }
  /** A member that need not exist. */
  | {
      readonly kind: 'anyone'
      /** '' for none. */
      readonly tier: string
      readonly segment: string
      /** Sales before; '' for none. */
      readonly visits: string
      readonly balances: Readonly<Record<string, string>>
    }

export interface TriedBasket {
  readonly venueId: string
  readonly lines: readonly TypedLine[]
  readonly buyer: Buyer
  /** On the clock of the venue, `YYYY-MM-DDTHH:MM`; '' for now. */
  readonly at: string
  readonly ignoreLimits: boolean
}

export const anyone: Buyer = { kind: 'anyone', tier: '', segment: '', visits: '', balances: {} }
export const emptyBasket: TriedBasket = { venueId: '', lines: [], buyer: anyone, at: '', ignoreLimits: false }

export interface PricedVenue {
  readonly venueId: string
  readonly currency: string
  readonly baxIds: readonly string[]
  readonly products: readonly PricedProduct[]
}

export interface PricedProduct {
  readonly productId: string
  readonly unitPrice: bigint
  readonly productGroupId?: string | undefined
  readonly productMasterId?: string | undefined
  readonly ean?: string | undefined
  readonly noDiscount: boolean
  readonly noPercentageDiscount: boolean
}

export interface LineSum {
  readonly product: PricedProduct
  readonly quantity: number
  /** Minor units. */
  readonly gross: number
  readonly discount: number
}

const quantityScale = 3
const quantityUnit = 1_000n

/**
 * The sum of a line at list price, rounded half up as in the contract; null: its quantity is invalid, its discount is more than its price,
 * or the price list does not have it.
 *
 * @param digits  decimals of the currency
 */
export function sumOfLine(
  { productId, quantity, discount }: TypedLine,
  venue: PricedVenue,
  digits: number,
): LineSum | null {
  const product = venue.products.find((one) => one.productId === productId)
  const thousandths = readScaled(quantity, quantityScale)
  const off = discount.trim() === '' ? 0n : readScaled(discount, digits)
  if (product === undefined || thousandths === null || thousandths <= 0n || off === null || off < 0n) return null
  const gross = (thousandths * product.unitPrice * 2n + quantityUnit) / (2n * quantityUnit)
  if (off > gross || gross > BigInt(Number.MAX_SAFE_INTEGER)) return null
  return { product, quantity: Number(thousandths) / Number(quantityUnit), gross: Number(gross), discount: Number(off) }
}

interface Sent {
  readonly calculationId: string
  /** RFC 3339. */
  readonly requestedAt: string
}

/** The body of `POST /v1/pos/basket` for a basket whose lines all have sums. */
export function bodyOf(sums: readonly LineSum[], venue: PricedVenue, { calculationId, requestedAt }: Sent): string {
  const totals = (gross: number, discount: number) => ({
    gross,
    lineDiscount: discount,
    orderDiscount: 0,
    net: gross - discount,
  })
  const lines = sums.map(({ product, quantity, gross, discount }, at) => {
    const { productId, productGroupId, productMasterId, ean, unitPrice, noDiscount, noPercentageDiscount } = product
    return {
      lineId: String(at + 1),
      productId,
      ...(productGroupId === undefined ? {} : { productGroupId }),
      ...(productMasterId === undefined ? {} : { productMasterId }),
      ...(ean === undefined ? {} : { ean }),
      quantity,
      unitPrice: Number(unitPrice),
      noDiscount,
      ...(noPercentageDiscount ? { noPercentageDiscount } : {}),
      ...(discount === 0 ? {} : { discounts: [{ type: 'amount', amount: discount, text: 'POS' }] }),
      totals: totals(gross, discount),
    }
  })
  const sum = (name: 'gross' | 'discount') => sums.reduce((total, line) => total + line[name], 0)
  return JSON.stringify({
    ...{ calculationId, currency: venue.currency, requestedAt },
    context: { venueId: venue.venueId, baxId: venue.baxIds[0] ?? '', cashRegisterId: '1', channel: 'pos' },
    lines,
    totals: totals(sum('gross'), sum('discount')),
  })
}

export interface BasketSearch {
  readonly venue?: string
  /** Product, quantity and, if the POS gives one, discount. */
  readonly lines?: readonly (readonly string[])[]
  /** A loyalty id; '' for no member; else a member that need not exist. */
  readonly buyer?: string | Omit<Extract<Buyer, { readonly kind: 'anyone' }>, 'kind'>
  readonly at?: string
  readonly unlimited?: true
}

/** A longer address would be cut by some mail programs: the basket is left out. */
const searchCharactersMax = 1_500

/** A basket in the form of an address; empty: none, or too long. */
export function searchOf({ venueId, lines, buyer, at, ignoreLimits }: TriedBasket): BasketSearch {
  if (venueId === '') return {}
  const { kind, ...described } = buyer
  const search: BasketSearch = {
    venue: venueId,
    lines: lines.map(({ productId, quantity, discount }) => [
      productId,
      quantity,
      ...(discount === '' ? [] : [discount]),
    ]),
    ...(isSameBuyer(buyer, anyone)
      ? {}
      : { buyer: buyer.kind === 'anyone' ? (described as typeof buyer) : loyaltyIdOf(buyer) }),
    ...(at === '' ? {} : { at }),
    ...(ignoreLimits ? { unlimited: true } : {}),
  }
  return JSON.stringify(search).length <= searchCharactersMax ? search : {}
}

/** The basket of an address; null: none. Invalid parts are left out. */
export function basketOf(search: Readonly<Record<string, unknown>>): TriedBasket | null {
  const { venue, lines, buyer, at, unlimited } = search
  if (typeof venue !== 'string' || venue === '') return null
  const typed = (Array.isArray(lines) ? lines : []).flatMap((line: unknown) => {
    const [productId, quantity = '1', discount = ''] = Array.isArray(line) ? line.map(String) : []
    return productId === undefined ? [] : [{ productId, quantity, discount }]
  })
  return {
    venueId: venue,
    lines: typed,
    buyer: buyerOf(buyer),
    at: typeof at === 'string' && /^\d{4}-\d\d-\d\dT\d\d:\d\d$/.test(at) ? at : '',
    ignoreLimits: unlimited === true,
  }
}

function buyerOf(buyer: unknown): Buyer {
  if (typeof buyer === 'string') return buyer === '' ? { kind: 'nobody' } : { kind: 'known', loyaltyId: buyer }
  if (typeof buyer !== 'object' || buyer === null) return anyone
  const { tier, segment, visits, balances } = buyer as Readonly<Record<string, unknown>>
  const text = (value: unknown) => (typeof value === 'string' || typeof value === 'number' ? String(value) : '')
  const entries = typeof balances === 'object' && balances !== null ? Object.entries(balances) : []
  return {
    kind: 'anyone',
    ...{ tier: text(tier), segment: text(segment), visits: text(visits) },
    balances: Object.fromEntries(entries.map(([id, amount]) => [id, text(amount)])),
  }
}

function loyaltyIdOf(buyer: Exclude<Buyer, { readonly kind: 'anyone' }>): string {
  return buyer.kind === 'nobody' ? '' : buyer.loyaltyId
}

function isSameBuyer(left: Buyer, right: Buyer): boolean {
  return JSON.stringify(left) === JSON.stringify(right)
}
