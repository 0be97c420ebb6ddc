import type { Basket, Line, LineDiscount, OrderDiscount } from '../../engine/core/base/basket.js'
import { code } from '../engine/core/builders.js'
import type { Dice } from '../support/dice.js'
import { roundOf, sumOf } from './spread.js'
import { withTotals } from './with-totals.js'

/** Products of baskets and selectors; their prices cause ties and uneven roundings. */
export const shelf = [
  { productId: 'A', productGroupId: 'G1', productMasterId: null, ean: null, unitPrice: 100 },
  { productId: 'B', productGroupId: 'G1', productMasterId: null, ean: null, unitPrice: 33 },
  { productId: 'C', productGroupId: 'G2', productMasterId: null, ean: '700', unitPrice: 99 },
  { productId: 'D', productGroupId: null, productMasterId: 'M1', ean: '701', unitPrice: 7 },
  { productId: 'E', productGroupId: 'G2', productMasterId: 'M2', ean: null, unitPrice: 250 },
] as const

const prices = [0, 1, 2, 3, 5, 10, 33, 50, 99, 100, 100, 101, 199, 250, 333, 1999]

/** Prices so high that products with them exceed the whole numbers of a double. */
const dearPrices = 99_999_999_977

/** Moments around which calendars differ: both changes of summer time, midnights, turns of year and month. */
const moments = [
  '2026-03-29T00:59:00Z',
  '2026-10-25T00:30:00Z',
  '2026-12-31T23:30:00Z',
  '2027-01-01T00:10:00Z',
  '2026-11-21T10:00:00Z',
]

/** How large a generated basket may be. */
export interface Size {
  /** Upper bound of the product over the lines of (slots + 1). */
  readonly ways: number
  readonly linesMax: number
  readonly unitsMax: number
}

/** A random basket in which the identities hold. */
export function generateBasket(dice: Dice, size: Size): Basket {
  for (;;) {
    const basket = withTotals(draftBasket(dice, size))
    if (basket !== null) return basket
  }
}

function draftBasket(dice: Dice, { ways, linesMax, unitsMax }: Size): Basket {
  const lines: Line[] = []
  const wanted = dice.between(1, linesMax)
  const flags = dice.chance(0.4)
  const discounted = dice.chance(0.4)
  const nested = dice.chance(0.25)
  const dearness = dice.chance(0.03) ? dearPrices : 1
  for (let left = ways; lines.length < wanted && left >= 2; ) {
    const line = draftLine(dice, {
      position: lines.length,
      slotsMax: Math.min(unitsMax, left - 1),
      flags,
      discounted,
      nested,
      dearness,
    })
    lines.push(line)
    left = Math.floor(left / (line.quantity % 1000 === 0 ? line.quantity / 1000 + 1 : 2))
  }
  const orders = dice.chance(0.2) ? draftOrders(dice, lines) : { orderDiscounts: [], lines }
  const totals = { gross: 0, lineDiscount: 0, orderDiscount: 0, net: 0 }
  const requestedAt = Date.parse(dice.pick(moments)) + dice.between(-90, 90) * 60_000
  const channel = dice.chance(0.7) ? ('pos' as const) : ('mpos' as const)
  return { currency: 'NOK', requestedAt, channel, venueId: 'V1', ...orders, totals }
}

interface LineWish {
  readonly position: number
  readonly slotsMax: number
  readonly flags: boolean
  readonly discounted: boolean
  readonly nested: boolean
  readonly dearness: number
}

function draftLine(dice: Dice, { position, slotsMax, flags, discounted, nested, dearness }: LineWish): Line {
  const { unitPrice: listPrice, ...product } = dice.pick(shelf)
  const weighed = dice.chance(0.12)
  const quantity = weighed ? dice.pick([125, 333, 500, 1250, 2718, 999]) : dice.between(1, slotsMax) * 1000
  const unitPrice = dearness * (dice.chance(0.6) ? listPrice : dice.pick(prices))
  const bySplit = dice.chance(0.02)
  const override = dice.chance(0.08) ? dice.pick(prices) : null
  // The service's price of a split line was lower.
  const overrideUnitPrice = bySplit && override !== null ? Math.min(override, unitPrice) : override
  const gross = roundOf(quantity, overrideUnitPrice ?? unitPrice, 1000)
  return {
    lineId: dice.chance(0.05) ? `loyalty-${position + 1}` : `l${position + 1}`,
    parent: nested && position > 0 && dice.chance(0.6) ? dice.between(0, position - 1) : -1,
    ...product,
    quantity,
    unitPrice,
    overrideUnitPrice,
    noDiscount: flags && dice.chance(0.25),
    noPercentageDiscount: flags && dice.chance(0.25),
    discounts: discounted && dice.chance(0.5) ? draftDiscounts(dice, gross) : [],
    orderDiscountAllocations: [],
    addedByLoyalty: position > 0 && dice.chance(0.01),
    splitFromLineId: bySplit ? 'l1' : null,
    totals: { gross, lineDiscount: 0, orderDiscount: 0, net: 0 },
  }
}

function draftDiscounts(dice: Dice, gross: number): LineDiscount[] {
  const count = dice.chance(0.2) ? 2 : 1
  let left = gross
  return Array.from({ length: count }, () => {
    const amount = Math.min(left, dice.pick([0, 1, 2, 5, 10, 30, Math.floor(gross / 2), Math.floor(gross / 3), left]))
    left -= amount
    return draftDiscount(dice, amount)
  })
}

function draftDiscount(dice: Dice, amount: number): LineDiscount {
  const type = dice.chance(0.5) ? 'amount' : 'percentage'
  const lineDiscountCode = dice.chance(0.06) ? code : dice.maybe(0.3, () => 'STAFF')
  const percentage = type === 'percentage' ? 100_000 : null
  return { type, percentage, amount, lineDiscountCode, text: dice.maybe(0.5, () => 'Staff'), campaign: null }
}

function draftOrders(dice: Dice, lines: readonly Line[]): Pick<Basket, 'lines' | 'orderDiscounts'> {
  const room = lines.map((line) => line.totals.gross - sumOf(line.discounts.map((discount) => discount.amount)))
  const orderDiscounts: OrderDiscount[] = []
  let loaded = [...lines]
  for (let order = 1; order <= (dice.chance(0.3) ? 2 : 1); order += 1) {
    const orderDiscountId = dice.chance(0.1) ? `loyalty-${order}` : `o${order}`
    loaded = loaded.map((line, at) => {
      const most = room[at]!
      const amount = Math.min(most, dice.pick([0, 1, 5, 20, Math.floor(most / 2), Math.floor(most / 10), most]))
      if (amount === 0) return line
      room[at] = most - amount
      const orderDiscountAllocations = [...line.orderDiscountAllocations, { orderDiscountId, amount }]
      return { ...line, orderDiscountAllocations }
    })
    const amount = sumOf(
      loaded.flatMap((line) =>
        line.orderDiscountAllocations
          .filter((part) => part.orderDiscountId === orderDiscountId)
          .map((part) => part.amount),
      ),
    )
    if (amount > 0) orderDiscounts.push({ ...draftDiscount(dice, amount), orderDiscountId })
  }
  return { lines: loaded, orderDiscounts }
}
