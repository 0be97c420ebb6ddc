import { type CalculationInput, everyCounter } from '../../engine/core/base/input.js'
import { quantityOne, quantityTimes } from '../../engine/core/base/money.js'
import type { Benefit, Reward } from '../../engine/core/base/programme.js'
import { type CompiledProgramme, compileProgramme } from '../../engine/core/index.js'
import type { Dice } from '../../test/support/dice.js'
import { buildBasket, type OrderPick, type Pick } from './build-basket.js'
import { drawBenefits, percent } from './draw-benefits.js'
import { inputOf } from './engine-case.js'
import { createShop, type Shop } from './shop.js'

export interface RealisticPricing {
  readonly programme: CompiledProgramme
  readonly input: CalculationInput
  readonly discounts: 'none' | 'lines' | 'one order discount' | 'two order discounts'
}

/**
 * How baskets and programmes are drawn. No published shares are known to us; these make every situation of the contract
 * frequent enough to count in 2,000 baskets:
 *
 * - A quarter of the baskets are large (40 to 200 lines): rare at a POS, but decisive for latency. The others have 1 to
 *   30 lines, mostly few.
 * - Half of the baskets have POS line discounts, on a fifth of their lines.
 * - A third have order discounts of the POS, a third of those two. Most are a percentage or an amount over all lines
 *   that may be discounted, a quarter are on one part of the basket.
 * - Programmes have 20 to 1,000 benefits, evenly in the logarithm. The assortment grows with them, so that a product
 *   takes part in about as many benefits in every programme.
 * - A programme has at most three benefits on the whole order.
 * - One benefit in fifty is exclusive, one in ten of the kinds that may be is stackable (`draw-benefits`), one in ten
 *   is limited; in a fifth of the baskets every limit has one unit left. One in a hundred adds a free product.
 * - One product in twenty is weighed, one in forty takes no discount and one in forty no percentage (`shop`).
 * - Cafés sell extras below drinks: one line in ten, and a third of the percentages on lines take what is below. A third of
 *   the bundles take something off in place of a price; a fifth of `buy_get` are of one product; one reward on units in
 *   fifteen has a maximum of units, one volume in six is by weight, one free product in two is `per` units, and one
 *   benefit in twenty-five is in one of ten groups.
 */
const shares = {
  large: 1 / 4,
  lineDiscounts: 1 / 2,
  discountedLines: 1 / 5,
  orderDiscounts: 1 / 3,
  secondOrder: 1 / 3,
  partialOrder: 1 / 4,
  exclusive: 1 / 50,
  scarce: 1 / 5,
  below: 1 / 10,
  children: 1 / 3,
  bundlesOff: 1 / 3,
  sameProduct: 1 / 5,
  maximumUnits: 1 / 15,
  measured: 1 / 6,
  per: 1 / 2,
  grouped: 1 / 25,
}
const smallBasket = { least: 1, most: 30 }
const largeBasket = { least: 40, most: 200 }
const benefitCounts = { least: 20, most: 1000 }
const orderBenefitsMax = 3
const productsMin = 120
const groups = 10
const productsPerBenefit = 2
const productsPerGroup = 10

export function realisticPricing(dice: Dice, stepsMax: number): RealisticPricing {
  const count = Math.round(benefitCounts.least * (benefitCounts.most / benefitCounts.least) ** dice.next())
  const products = Math.max(productsMin, productsPerBenefit * count)
  const shop = createShop(dice, { name: 'shop', products, groups: Math.ceil(products / productsPerGroup) })
  const benefits = drawProgramme(dice, shop, count)
  const { least, most } = dice.next() < shares.large ? largeBasket : smallBasket
  const lineCount = least + Math.floor(dice.next() ** 2 * (most - least + 1))
  const hasOwn = dice.next() < shares.lineDiscounts
  const picks = Array.from({ length: lineCount }, () => drawPick(dice, shop, hasOwn))
  const orders = drawOrders(dice, picks)
  const available: Record<string, number> = dice.next() < shares.scarce ? { [everyCounter]: 1 } : {}
  const nested = picks.map((pick, at) => (at > 0 && dice.next() < shares.below ? { ...pick, parent: at - 1 } : pick))
  const input = inputOf(buildBasket(nested, orders), shop.venue, stepsMax)
  const isOwn = picks.some(({ own }) => own !== undefined)
  const discounts = (['none', 'one order discount', 'two order discounts'] as const)[orders.length]!
  return {
    programme: compileProgramme(benefits.map((benefit) => withRules(dice, benefit))),
    input: { ...input, available },
    discounts: discounts === 'none' && isOwn ? 'lines' : discounts,
  }
}

function drawProgramme(dice: Dice, shop: Shop, count: number): Benefit[] {
  let orderLevel = 0
  return drawBenefits(dice, shop, count).flatMap((benefit) => {
    const { kind } = benefit.reward
    const isOrder = kind === 'order_percentage' || kind === 'order_amount'
    if (isOrder && ++orderLevel > orderBenefitsMax) return []
    const reward = isOrder ? drawOrderReward(dice, shop, kind) : benefit.reward
    const isExclusive = benefit.combination === 'normal' && dice.next() < shares.exclusive
    return [{ ...benefit, reward, combination: isExclusive ? 'exclusive' : benefit.combination }]
  })
}

function withRules(dice: Dice, benefit: Benefit): Benefit {
  const { reward, combination, limits } = benefit
  const group = dice.next() < shares.grouped ? `group-${dice.below(groups)}` : null
  const isOnLines = 'select' in reward && !reward.kind.startsWith('order_') && combination !== 'stackable'
  const isCapped = dice.next() < shares.maximumUnits && isOnLines && limits.length === 0
  const maximumUnits = isCapped ? { maximumUnits: 1 + dice.below(6) } : {}
  return { ...benefit, group, reward: { ...ruledReward(dice, reward), ...maximumUnits } }
}

function ruledReward(dice: Dice, reward: Reward): Reward {
  const isRuled = (share: number) => dice.next() < share
  switch (reward.kind) {
    case 'line_percentage':
      return isRuled(shares.children) ? { ...reward, select: { ...reward.select, children: true } } : reward
    case 'volume_percentage': {
      if (!isRuled(shares.measured)) return reward
      const tiers = reward.tiers.map((tier) => ({ ...tier, quantity: tier.quantity * quantityOne }))
      return { ...reward, tiers, measure: true }
    }
    case 'buy_get':
      return isRuled(shares.sameProduct) ? { ...reward, sameProduct: true } : reward
    case 'bundle_price': {
      const off = [{ amount: 1000 }, { percentage: percent(15) }][dice.below(2)]!
      return isRuled(shares.bundlesOff) ? { kind: 'bundle_discount', components: reward.components, off } : reward
    }
    case 'free_product':
      return isRuled(shares.per) ? { ...reward, per: { quantity: 5 } } : reward
    default:
      return reward
  }
}

// Mostly on everything, one in ten on some product groups; half of the percentages have a maximum amount.
function drawOrderReward(dice: Dice, { groups }: Shop, kind: 'order_percentage' | 'order_amount'): Reward {
  const isPart = dice.below(10) === 0
  const select = isPart
    ? { productGroupIds: [...new Set([groups[0]!, ...groups.filter(() => dice.below(4) === 0)])] }
    : undefined
  const of = select === undefined ? {} : { select }
  if (kind === 'order_amount') return { kind, amount: [2500, 5000, 10_000][dice.below(3)]!, ...of }
  const maximumAmount = [5000, 10_000, 20_000][dice.below(3)]!
  const percentage = percent([3, 5, 10][dice.below(3)]!)
  return { kind, percentage, ...(dice.below(2) === 0 ? { maximumAmount } : {}), ...of }
}

function drawPick(dice: Dice, { products }: Shop, hasOwn: boolean): Pick {
  const product = products[dice.below(products.length)]!
  const quantity = product.weighed ? 100 + dice.below(2000) : (1 + dice.below(3) * dice.below(2)) * quantityOne
  if (!hasOwn || product.noDiscount || dice.next() >= shares.discountedLines) return { product, quantity }
  const percentage = [10, 20, 30, 50][dice.below(4)]!
  return { product, quantity, own: [Math.floor((quantityTimes(quantity, product.unitPrice) * percentage) / 100)] }
}

function drawOrders(dice: Dice, picks: readonly Pick[]): OrderPick[] {
  const room = picks.map(roomOf)
  const drawn = dice.next() >= shares.orderDiscounts ? 0 : dice.next() < shares.secondOrder ? 2 : 1
  const orders: OrderPick[] = []
  let taken = 0
  for (let each = 0; each < drawn; each++) {
    const wanted = dice.next() < shares.partialOrder ? partOf(dice, picks) : picks.map((_, at) => at)
    const lines = wanted.filter((at) => room[at]! > 0)
    // Subtracts earlier order discounts: together they take at most half of the lines' worth.
    const held = Math.max(0, Math.floor(lines.reduce((sum, at) => sum + room[at]!, 0) / 2) - taken)
    const share = [5, 10, 15, 20][dice.below(4)]!
    const amount = dice.below(2) === 0 ? Math.floor((held * 2 * share) / 100) : [2500, 5000, 10_000][dice.below(3)]!
    if (Math.min(amount, held) === 0) continue
    orders.push({ amount: Math.min(amount, held), lines })
    taken += Math.min(amount, held)
  }
  return orders
}

function partOf(dice: Dice, picks: readonly Pick[]): number[] {
  const price = picks[dice.below(picks.length)]!.product.unitPrice
  const isCheap = dice.below(2) === 0
  return picks.flatMap(({ product }, at) =>
    (isCheap ? product.unitPrice <= price : product.unitPrice >= price) ? [at] : [],
  )
}

function roomOf({ product, quantity, own }: Pick): number {
  if (product.noDiscount) return 0
  return quantityTimes(quantity, product.unitPrice) - (own ?? []).reduce((sum, each) => sum + each, 0)
}
