import type { Venue, VenueProduct } from '../../../../gateway/gen/loyalty/v1/venue_service_pb.js'
import { nowMs } from '../../api/clock.js'
import { newId } from '../../api/new-id.js'

interface Totals {
  readonly gross: number
  readonly lineDiscount: number
  readonly orderDiscount: number
  readonly net: number
}

/** What is read of the body of `POST /v1/pos/basket`. */
export interface Body {
  readonly currency: string
  readonly context: { readonly venueId: string }
  readonly lines: readonly { readonly totals: Totals }[]
}

/** The body as it is typed; null: it is no JSON, or no basket. */
export function readBody(text: string): Body | null {
  try {
    const body = JSON.parse(text) as Partial<Body> | null
    const isBasket = Array.isArray(body?.lines) && typeof body.context?.venueId === 'string'
    return isBasket ? (body as Body) : null
  } catch {
    return null
  }
}

/** A basket at a venue, now, without lines. */
export function emptyBody(venue: Venue): string {
  return written({
    calculationId: newId(),
    currency: venue.currency,
    requestedAt: new Date(nowMs()).toISOString(),
    context: { venueId: venue.venueId, baxId: venue.baxIds[0] ?? '', cashRegisterId: '1', channel: 'pos' },
    lines: [],
    totals: sumOf([]),
  })
}

/** The body with one line more, of whole units of a product, and its totals anew. */
export function withProduct(text: string, product: VenueProduct, quantity: number): string {
  const body = JSON.parse(text) as Body
  const gross = Number(product.unitPrice) * quantity
  const { productId, productGroupId, productMasterId, ean } = product
  const line = {
    lineId: `line-${body.lines.length + 1}`,
    productId,
    ...(productGroupId === undefined ? {} : { productGroupId }),
    ...(productMasterId === undefined ? {} : { productMasterId }),
    ...(ean === undefined ? {} : { ean }),
    quantity,
    unitPrice: Number(product.unitPrice),
    noDiscount: product.noDiscount,
    ...(product.noPercentageDiscount ? { noPercentageDiscount: true } : {}),
    totals: { gross, lineDiscount: 0, orderDiscount: 0, net: gross },
  }
  const lines = [...body.lines, line]
  return written({ ...body, lines, totals: sumOf(lines) })
}

function sumOf(lines: readonly { readonly totals: Totals }[]): Totals {
  const sum = (name: keyof Totals) => lines.reduce((total, { totals }) => total + totals[name], 0)
  return {
    gross: sum('gross'),
    lineDiscount: sum('lineDiscount'),
    orderDiscount: sum('orderDiscount'),
    net: sum('net'),
  }
}

function written(body: object): string {
  return JSON.stringify(body, null, 2)
}
