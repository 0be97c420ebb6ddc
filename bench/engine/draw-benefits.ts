import type { EarningRule } from '../../engine/core/base/earning.js'
import { percentageWhole, quantityOne } from '../../engine/core/base/money.js'
import type { Benefit, Limit, Reward, RewardOf, Selector } from '../../engine/core/base/programme.js'
import type { Dice } from '../../test/support/dice.js'
import type { Product, Shop } from './shop.js'

type RewardKind = Reward['kind']

const usualKinds: readonly (readonly [kind: RewardKind, share: number])[] = [
  ['line_percentage', 30],
  ['member_price', 22],
  ['line_amount', 12],
  ['buy_get', 12],
  ['bundle_price', 8],
  ['volume_percentage', 6],
  ['price_override', 4],
  ['order_percentage', 3],
  ['order_amount', 2],
  ['free_product', 1],
]

const shelfPercentages = [10, 15, 20, 25, 30, 40, 50]

export function buildBenefit(benefitId: string, reward: Reward, overrides: Partial<Benefit> = {}): Benefit {
  return {
    benefitId,
    text: `Text of ${benefitId}`,
    campaign: null,
    priority: 0,
    sequence: 0,
    group: null,
    validFrom: null,
    validUntil: null,
    schedule: null,
    venueIds: null,
    channels: null,
    audience: null,
    conditions: null,
    existingDiscounts: 'replace',
    combination: 'normal',
    limits: [],
    costs: null,
    ...overrides,
    reward,
  }
}

export function buildRule(ruleId: string, per: EarningRule['per'], overrides: Partial<EarningRule> = {}): EarningRule {
  return {
    ruleId,
    currencyId: 'points',
    give: 1,
    select: null,
    includeNoDiscount: false,
    minimumSpend: null,
    cooldownMinutes: null,
    maximum: null,
    multipliers: [],
    audience: null,
    venueIds: null,
    channels: null,
    schedule: null,
    validFrom: null,
    validUntil: null,
    opensAfterDays: 0,
    onReturn: 'to_zero',
    expires: null,
    ...overrides,
    per,
  }
}

/**
 * Drawn benefits as the JSON array of a programme document, or with the currencies that they cost as an object: percentages in
 * percent, no empty lists.
 */
export function publishedBenefits(drawn: readonly Benefit[]): string {
  const benefits = drawn.map(({ limits, reward, ...benefit }) => {
    return { ...benefit, reward: publishedReward(reward), ...(limits.length > 0 ? { limits } : {}) }
  })
  const currencyIds = new Set(drawn.flatMap(({ costs }) => (costs === null ? [] : [costs.currencyId])))
  const currencies = [...currencyIds].map((currencyId) => ({ currencyId, name: currencyId, scale: 0 }))
  const published = currencies.length === 0 ? benefits : { benefits, currencies }
  return JSON.stringify(published, (key, value) => (key === 'percentage' ? (value * 100) / percentageWhole : value))
}

function publishedReward(reward: Reward) {
  if (reward.kind === 'bundle_discount') {
    const { off, ...rest } = reward
    return { ...rest, ...off }
  }
  if (reward.kind !== 'volume_percentage' || !reward.measure) return reward
  return { ...reward, tiers: reward.tiers.map((tier) => ({ ...tier, quantity: tier.quantity / quantityOne })) }
}

/** 20 % is `percent(20)`. */
export function percent(value: number): number {
  return Math.round((value * percentageWhole) / 100)
}

export function selectorOf(products: readonly Product[]): Selector {
  const masters = products.flatMap(({ productMasterId }) => productMasterId ?? [])
  const eans = products.flatMap(({ productMasterId, ean }) => (productMasterId === null ? (ean ?? []) : []))
  const own = products.flatMap(({ productMasterId, ean, productId }) =>
    productMasterId === null && ean === null ? productId : [],
  )
  return {
    ...(masters.length > 0 ? { productMasterIds: masters } : {}),
    ...(eans.length > 0 ? { eans } : {}),
    ...(own.length > 0 ? { productIds: own } : {}),
  }
}

/** Draws a programme's benefits like a retailer's: each on a product or two, or on a group; a tenth limited. */
export function drawBenefits(dice: Dice, shop: Shop, count: number, name = 'benefit'): Benefit[] {
  return Array.from({ length: count }, (_, at) => drawBenefit(dice, shop, `${name}-${String(at).padStart(5, '0')}`))
}

/** A programme with exact shares of each kind: every programme of a case has the same rewards on other products. */
export function drawMix(dice: Dice, shop: Shop, count: number, name = 'benefit'): Benefit[] {
  const total = usualKinds.reduce((sum, [, share]) => sum + share, 0)
  const kinds: RewardKind[] = []
  let owed = 0
  for (const [kind, share] of usualKinds) {
    owed += (share / total) * count
    while (kinds.length < Math.round(owed)) kinds.push(kind)
  }
  return kinds.map((kind, at) => buildDrawn(dice, shop, { kind, benefitId: `${name}-${String(at).padStart(5, '0')}` }))
}

function drawBenefit(dice: Dice, shop: Shop, benefitId: string): Benefit {
  return buildDrawn(dice, shop, { kind: drawKind(dice), benefitId })
}

function drawKind(dice: Dice): RewardKind {
  let left = dice.below(usualKinds.reduce((sum, [, share]) => sum + share, 0))
  return usualKinds.find(([, share]) => {
    left -= share
    return left < 0
  })![0]
}

interface Drawn {
  readonly kind: RewardKind
  readonly benefitId: string
}

function buildDrawn(dice: Dice, shop: Shop, { kind, benefitId }: Drawn): Benefit {
  const reward = drawReward(dice, shop, kind)
  const stacks =
    kind === 'line_percentage' || kind === 'line_amount' || kind === 'order_percentage' || kind === 'order_amount'
  const stackable = stacks && dice.below(10) === 0
  const orderLevel = kind === 'order_percentage' || kind === 'order_amount'
  return buildBenefit(benefitId, reward, {
    priority: dice.below(3),
    combination: stackable ? 'stackable' : 'normal',
    existingDiscounts:
      kind !== 'price_override' && dice.below(5) === 0 ? 'add' : dice.below(5) === 0 ? 'keep' : 'replace',
    conditions: orderLevel ? { minimumSpend: { amount: 20_000 + dice.below(5) * 10_000 } } : null,
    limits: dice.below(10) === 0 ? [drawLimit(dice, benefitId, orderLevel || stackable)] : [],
  })
}

function drawLimit(dice: Dice, benefitId: string, basketsOnly: boolean): Limit {
  const scope = dice.below(2) === 0 ? 'member' : 'everyone'
  if (basketsOnly || dice.below(2) === 0) {
    return { limitId: `limit-${benefitId}`, scope, period: 'day', counts: 'baskets', maximum: 1 }
  }
  return { limitId: `limit-${benefitId}`, scope, period: 'week', counts: 'units', maximum: 1 + dice.below(6) }
}

function drawReward(dice: Dice, shop: Shop, kind: RewardKind): Reward {
  const percentage = percent(shelfPercentages[dice.below(shelfPercentages.length)]!)
  const { product, select } = drawTarget(dice, shop)
  switch (kind) {
    case 'line_percentage':
      return { kind, select, percentage, ...(dice.below(8) === 0 ? { maximumAmount: 5000 } : {}) }
    case 'line_amount':
      return { kind, select, amount: 500 + dice.below(5) * 100, per: 'unit' }
    case 'member_price':
      return { kind, select: selectorOf([product]), unitPrice: Math.round(product.unitPrice * 0.8) }
    case 'price_override':
      return { kind, select: selectorOf([product]), unitPrice: Math.round(product.unitPrice * 0.75) }
    case 'volume_percentage':
      return {
        kind,
        select,
        tiers: [
          { quantity: 2, percentage: percent(10) },
          { quantity: 5, percentage: percent(25) },
        ],
      }
    case 'buy_get':
      return {
        kind,
        buy: { select, quantity: 1 + dice.below(2) },
        get: { select, quantity: 1, percentage: percent([50, 100][dice.below(2)]!) },
      }
    case 'bundle_price':
      return drawBundle(dice, shop)
    case 'bundle_discount': {
      const { components } = drawBundle(dice, shop)
      return { kind, components, off: { amount: 1000 } }
    }
    case 'order_percentage':
      return { kind, percentage: percent(5), maximumAmount: 20_000 }
    case 'order_amount':
      return { kind, amount: 2500 }
    case 'free_product':
      return { kind, productId: product.productId, quantity: 1 }
  }
}

function drawTarget(dice: Dice, { products }: Shop): { product: Product; select: Selector } {
  const product = products[dice.below(products.length)]!
  const width = dice.below(4)
  if (width === 3) return { product, select: { productGroupIds: [product.productGroupId] } }
  const others = Array.from({ length: width }, () => products[dice.below(products.length)]!)
  return { product, select: selectorOf([...new Set([product, ...others])]) }
}

function drawBundle(dice: Dice, { products }: Shop): RewardOf<'bundle_price'> {
  const parts = [...new Set(Array.from({ length: 2 + dice.below(2) }, () => products[dice.below(products.length)]!))]
  const list = parts.reduce((sum, { unitPrice }) => sum + unitPrice, 0)
  return {
    kind: 'bundle_price',
    components: parts.map((product) => ({ select: selectorOf([product]), quantity: 1 })),
    price: Math.round(list * 0.85),
  }
}
