import { randomUUID } from 'node:crypto'

/** Lines of ordinary and of thorough baskets, in turn; every `benefitLineEvery`th line of an ordinary basket has a product of a benefit. */
const ordinarySizes = [2, 20, 8]
const thoroughSizes = [2, 20, 8, 60]
const benefitLineEvery = 4
/** Ids of one kind taken from a programme, and the part of its text that is read, in characters. */
const idsMax = 200
const searchedMax = 500_000
/** Price of the cheapest product, least and highest price of the dearest one, and a discount of the POS, in minor units. */
const cheapest = 100
const dearestMin = 1_000
const dearestMax = 1e13
const posDiscount = 9
const prices = 29

export interface Shelf {
  readonly productIds: readonly string[]
  readonly productGroupIds: readonly string[]
  readonly productMasterIds: readonly string[]
  readonly tier: string | null
  readonly segments: readonly string[]
  /** Price of the dearest product, in minor units: the largest amount in a benefit, so that amounts matter. */
  readonly dearest: number
}

/** @param benefits  JSON; searched, not parsed: parsing the largest takes longer than a start may */
export function shelfOf(benefits: string): Shelf {
  const text = benefits.slice(0, searchedMax)
  const listed = (name: string) => {
    const lists = text.matchAll(new RegExp(`"${name}"\\s*:\\s*\\[([^\\]]*)\\]`, 'g'))
    return [...lists].flatMap(([, list]) => list!.match(/[^",\s]+/g) ?? []).slice(0, idsMax)
  }
  const amounts = [...text.matchAll(/"(?:\w*[aA]mount|\w*[pP]rice)"\s*:\s*(\d+)/g)].map(([, amount]) => Number(amount))
  return {
    productIds: listed('productIds'),
    productGroupIds: listed('productGroupIds'),
    productMasterIds: listed('productMasterIds'),
    tier: listed('tiers')[0] ?? null,
    segments: listed('segments').slice(0, 1),
    dearest: Math.min(
      dearestMax,
      amounts.reduce((most, each) => Math.max(most, each), dearestMin),
    ),
  }
}

/**
 * One basket of a fixed series. Every third one is ordinary, as POS callers send them; the others are thorough: every line is one that
 * benefits select, several times, with discounts of the POS.
 */
export function warmUpBasket(
  shelf: Shelf,
  { venueId, currency }: { readonly venueId: string; readonly currency: string },
  number: number,
) {
  const ordinary = number % 3 === 0
  const at = ordinary ? number / 3 : number - Math.ceil(number / 3)
  const sizes = ordinary ? ordinarySizes : thoroughSizes
  const place = { onLines: !ordinary && at % 2 === 1, onOrder: !ordinary && at % 3 === 2, ordinary }
  const lines = Array.from({ length: sizes[at % sizes.length]! }, (_, index) =>
    lineOf(shelf, number * 7 + index, { index, ...place }),
  )
  const sum = (name: keyof Line['totals']) => lines.reduce((all, { totals }) => all + totals[name], 0)
  const orderDiscount = sum('orderDiscount')
  return {
    calculationId: randomUUID(),
    currency,
    requestedAt: '2026-01-01T12:00:00Z',
    context: { venueId, baxId: 'warm-up', cashRegisterId: 'warm-up', channel: 'pos' },
    lines,
    ...(orderDiscount > 0 && { orderDiscounts: [{ orderDiscountId: 'staff', type: 'amount', amount: orderDiscount }] }),
    totals: { gross: sum('gross'), lineDiscount: sum('lineDiscount'), orderDiscount, net: sum('net') },
  }
}

type Line = ReturnType<typeof lineOf>

interface Place {
  readonly index: number
  readonly ordinary: boolean
  readonly onLines: boolean
  readonly onOrder: boolean
}

function lineOf(shelf: Shelf, at: number, { index, ordinary, onLines, onOrder }: Place) {
  const quantity = ordinary ? 1 : 1 + (at % 4)
  const unitPrice = cheapest + Math.floor(((at % prices) / prices) * shelf.dearest)
  const gross = unitPrice * quantity
  const lineDiscount = onLines && index % 4 === 0 ? posDiscount : 0
  const orderDiscount = onOrder ? posDiscount : 0
  return {
    lineId: `line-${index}`,
    ...(ordinary && index % benefitLineEvery !== 0 ? { productId: `product-${at}` } : productOf(shelf, at)),
    quantity,
    unitPrice,
    noDiscount: false,
    ...(lineDiscount > 0 && { discounts: [{ type: 'amount', amount: lineDiscount }] }),
    ...(orderDiscount > 0 && { orderDiscountAllocations: [{ orderDiscountId: 'staff', amount: orderDiscount }] }),
    totals: { gross, lineDiscount, orderDiscount, net: gross - lineDiscount - orderDiscount },
  }
}

function productOf({ productIds, productGroupIds, productMasterIds }: Shelf, at: number) {
  const id = (ids: readonly string[]) => ids[at % ids.length]
  return {
    productId: id(productIds) ?? `product-${at}`,
    ...(productGroupIds.length > 0 && { productGroupId: id(productGroupIds) }),
    ...(productMasterIds.length > 0 && at % 2 === 0 && { productMasterId: id(productMasterIds) }),
  }
}
