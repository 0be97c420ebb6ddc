import { buildBasket, type Pick } from '../../clients/demo/build-basket.js'
import type { PosBasket, PosDiscount, PosLine, PosTotals } from '../../clients/pos-js/basket.js'
import type { ProgrammeVenue } from '../../engine/programme/read-venue.js'
import type { Dice } from '../../test/support/dice.js'
import type { Catalogue } from './catalogue.js'

/** Shares, out of 1, of a basket's features besides its lines. */
export interface BasketMix {
  /** Sizes, chosen evenly, `drawn`: mostly around 8, up to 200, or `each`: every product of the venue once. */
  readonly lines: readonly number[] | 'drawn' | 'each'
  /** Baskets with a member; half of the others have no loyaltyId, half an unknown one. */
  readonly memberShare: number
  /** Baskets with one line that has a limited benefit. */
  readonly couponShare: number
  readonly discountShare: number
  readonly orderDiscountShare: number
}

/** Members only, without limits and POS discounts: for figures by size. */
export const plainMix: Omit<BasketMix, 'lines'> = {
  memberShare: 1,
  couponShare: 0,
  discountShare: 0,
  orderDiscountShare: 0,
}

export const everydayMix: BasketMix = {
  lines: 'drawn',
  memberShare: 0.9,
  couponShare: 0.1,
  discountShare: 0.05,
  orderDiscountShare: 0.03,
}

export interface DrawnBasket {
  readonly basket: PosBasket
  readonly venue: ProgrammeVenue
}

/** The time of every basket, fixed so that a seed always sends the same bytes: a Saturday noon in Oslo. */
const requestedAt = new Date('2026-11-21T11:00:00.000Z')

const typicalLines = 8
/** Spread of the logarithm of the size: one basket in a hundred has 60 lines or more. */
const linesSpread = 0.87
const linesMax = 200

export function drawBasket(dice: Dice, catalogue: Catalogue, mix: BasketMix): DrawnBasket {
  const venue = catalogue.venues[dice.below(catalogue.venues.length)]!
  const picks =
    mix.lines === 'each'
      ? venue.products.map(({ productId }) => ({ productId, quantity: 1 }))
      : Array.from({ length: drawLines(dice, mix.lines) }, () => drawPick(dice, venue, catalogue))
  if (dice.next() < mix.couponShare) {
    picks[0] = { productId: catalogue.coupons[dice.below(catalogue.coupons.length)]!, quantity: 1 + dice.below(2) }
  }
  const basket = buildBasket(venue, {
    calculationId: '',
    supersedesCalculationId: null,
    loyaltyId: drawLoyaltyId(dice, catalogue, mix.memberShare),
    requestedAt,
    channel: dice.below(4) === 0 ? 'mpos' : 'pos',
    picks,
  })
  return { basket: discounted(dice, basket, mix), venue }
}

function drawLines(dice: Dice, lines: readonly number[] | 'drawn'): number {
  return lines === 'drawn' ? drawSize(dice) : lines[dice.below(lines.length)]!
}

/** Log-normal around eight, at most the contract's maximum. */
function drawSize(dice: Dice): number {
  const normal = Math.sqrt(-2 * Math.log(1 - dice.next())) * Math.cos(2 * Math.PI * dice.next())
  return Math.min(linesMax, Math.max(1, Math.round(typicalLines * Math.exp(linesSpread * normal))))
}

/** Popularity is skewed: some products are bought far more often. */
function drawPick(dice: Dice, { products }: ProgrammeVenue, { weighed, coupons }: Catalogue): Pick {
  const open = products.length - coupons.length
  const { productId } = products[Math.floor(dice.next() ** 2 * open)]!
  const quantity = weighed.has(productId) ? (1 + dice.below(2_000)) / 1_000 : 1 + dice.below(3) * dice.below(2)
  return { productId, quantity }
}

function drawLoyaltyId(dice: Dice, catalogue: Catalogue, memberShare: number): string | null {
  if (dice.next() < memberShare) return catalogue.loyaltyId(dice)
  return dice.below(2) === 0 ? null : `NOBODY-${dice.below(1_000_000)}`
}

function discounted(dice: Dice, basket: PosBasket, mix: BasketMix): PosBasket {
  const lines = basket.lines.map((line) =>
    !line.noDiscount && dice.next() < mix.discountShare ? withDiscount(line) : line,
  )
  const onOrder = dice.next() < mix.orderDiscountShare
  const allocated = onOrder ? lines.map(withAllocation) : lines
  const orderAmount = allocated.reduce((sum, { totals }) => sum + totals.orderDiscount, 0)
  return {
    ...basket,
    lines: allocated,
    ...(orderAmount > 0
      ? { orderDiscounts: [{ orderDiscountId: 'staff', ...ownDiscount('percentage', orderAmount, 5) }] }
      : {}),
    totals: sumOf(allocated),
  }
}

function withDiscount(line: PosLine): PosLine {
  const amount = Math.floor(line.totals.net / 10)
  if (amount === 0) return line
  const totals = { ...line.totals, lineDiscount: amount, net: line.totals.net - amount }
  return { ...line, discounts: [ownDiscount('percentage', amount, 10)], totals }
}

function withAllocation(line: PosLine): PosLine {
  const amount = line.noDiscount ? 0 : Math.floor(line.totals.net / 20)
  if (amount === 0) return line
  const totals = { ...line.totals, orderDiscount: amount, net: line.totals.net - amount }
  return { ...line, orderDiscountAllocations: [{ orderDiscountId: 'staff', amount }], totals }
}

function ownDiscount(type: PosDiscount['type'], amount: number, percentage: number): PosDiscount {
  return { type, percentage, amount, text: 'Staff', campaign: 'house' }
}

function sumOf(lines: readonly PosLine[]): PosTotals {
  const sum = (name: keyof PosTotals) => lines.reduce((all, { totals }) => all + totals[name], 0)
  return {
    gross: sum('gross'),
    lineDiscount: sum('lineDiscount'),
    orderDiscount: sum('orderDiscount'),
    net: sum('net'),
  }
}
