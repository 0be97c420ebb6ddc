import type { Basket } from '../../engine/core/base/basket.js'
import type {
  Benefit,
  Limit,
  Reward,
  ScheduleWindow,
  SelectedUnits,
  Selector,
  Weekday,
} from '../../engine/core/base/programme.js'
import type { Dice } from '../support/dice.js'

/** Kinds that are drawn; a `bundle_discount` is drawn in place of a `bundle_price` (draw-rules.ts). */
export type RewardKind = Exclude<Reward['kind'], 'bundle_discount'>

const ids = ['b1', 'b2', 'b10', 'B', 'a', 'ｚ', '😀', 'zz']
const percentages = [1, 100_000, 125_000, 150_000, 250_000, 333_333, 500_000, 750_000, 1_000_000]
const days: readonly Weekday[] = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun']
const stackableKinds: readonly Reward['kind'][] = ['line_percentage', 'line_amount', 'order_percentage', 'order_amount']

/** A random benefit of one of the kinds, valid by benefits 1, 2 and 5, that usually matches the basket. */
export function generateBenefit(
  dice: Dice,
  so: { kinds: readonly RewardKind[]; number: number; basket: Basket },
): Benefit {
  const reward = drawReward(dice, dice.pick(so.kinds), so.basket)
  const combination = drawCombination(dice, reward)
  const limits = dice.chance(0.35) ? drawLimits(dice, { reward, combination, number: so.number }) : []
  const modes =
    reward.kind === 'price_override' ? (['replace', 'keep'] as const) : (['replace', 'keep', 'add'] as const)
  const isTimed = dice.chance(0.12)
  return {
    benefitId: dice.chance(0.8) ? ids[so.number]! : `${ids[so.number]!}${ids[so.number]!}`,
    text: `Benefit ${so.number}`,
    campaign: dice.maybe(0.2, () => 'Autumn'),
    priority: dice.chance(0.7) ? 0 : dice.between(-1, 2),
    sequence: 0,
    group: null,
    validFrom: isTimed ? dice.maybe(0.3, () => so.basket.requestedAt + dice.between(-1, 1)) : null,
    validUntil: isTimed ? dice.maybe(0.3, () => so.basket.requestedAt + dice.between(0, 2)) : null,
    schedule: isTimed ? dice.maybe(0.7, () => drawSchedule(dice)) : null,
    venueIds: dice.maybe(0.04, () => dice.some(['V1', 'V2'])),
    channels: dice.maybe(0.04, () => dice.some(['pos', 'mpos'])),
    audience: dice.maybe(0.06, () => ({
      [dice.pick(['tiers', 'segments', 'memberIds'])]: dice.some(['gold', 'young', 'm1', 'm2']),
    })),
    conditions: dice.maybe(0.15, () => drawConditions(dice, so.basket)),
    existingDiscounts: dice.pick(modes),
    combination,
    reward,
    limits,
    costs: null,
  }
}

function drawCombination(dice: Dice, reward: Reward): Benefit['combination'] {
  if (stackableKinds.includes(reward.kind) && dice.chance(0.35)) return 'stackable'
  return dice.chance(0.08) ? 'exclusive' : 'normal'
}

function drawSelector(dice: Dice, basket: Basket, deep = true): Selector {
  const lists = {
    productGroupIds: () => dice.some(['G1', 'G2']),
    productIds: () => [dice.pick(basket.lines).productId],
    eans: () => dice.some(['700', '701']),
    productMasterIds: () => dice.some(['M1', 'M2']),
  }
  const select: { -readonly [key in keyof Selector]: Selector[key] } = {}
  if (dice.chance(0.55)) select.productGroupIds = lists.productGroupIds()
  if (dice.chance(0.4)) select.productIds = lists.productIds()
  if (dice.chance(0.15)) select.eans = lists.eans()
  if (dice.chance(0.2)) select.productMasterIds = lists.productMasterIds()
  if (dice.chance(0.2)) select.children = true
  if (deep && dice.chance(0.15)) select.not = drawSelector(dice, basket, false)
  return select
}

function drawSelect(dice: Dice, basket: Basket): { select?: Selector } {
  return dice.chance(0.4) ? {} : { select: drawSelector(dice, basket) }
}

function drawUnits(dice: Dice, basket: Basket): SelectedUnits {
  return { ...drawSelect(dice, basket), quantity: dice.pick([1, 1, 1, 2, 2, 3]) }
}

function drawReward(dice: Dice, kind: RewardKind, basket: Basket): Reward {
  const select = drawSelect(dice, basket)
  const percentage = dice.pick(percentages)
  const amount = dice.pick([1, 2, 3, 5, 10, 33, 50, 100, 250, 1000])
  const unitPrice = dice.pick([0, 1, 5, 25, 32, 50, 99, 150])
  const maximum = dice.chance(0.3) ? { maximumAmount: dice.pick([1, 2, 3, 7, 20, 50, 101]) } : {}
  const times = dice.chance(0.4) ? { maximumTimes: dice.between(1, 2) } : {}
  switch (kind) {
    case 'line_percentage':
    case 'order_percentage':
      return { kind, ...select, percentage, ...maximum }
    case 'line_amount':
      return { kind, ...select, amount, per: dice.chance(0.7) ? 'unit' : 'line' }
    case 'member_price':
    case 'price_override':
      return { kind, ...select, unitPrice }
    case 'volume_percentage':
      return { kind, ...select, tiers: drawTiers(dice) }
    case 'buy_get':
      return {
        kind,
        buy: drawUnits(dice, basket),
        get: { ...drawUnits(dice, basket), percentage: dice.chance(0.5) ? 1_000_000 : percentage },
        ...times,
      }
    case 'bundle_price':
      return {
        kind,
        components: Array.from({ length: dice.between(1, 3) }, () => drawUnits(dice, basket)),
        price: dice.pick([0, 1, 50, 100, 150, 200, 333]),
        ...times,
      }
    case 'order_amount':
      return { kind, ...select, amount }
    case 'free_product':
      return { kind, productId: dice.pick(['F1', 'F2', 'F3', 'F4']), quantity: dice.between(1, 3) }
  }
}

function drawTiers(dice: Dice): { quantity: number; percentage: number }[] {
  let quantity = 0
  return Array.from({ length: dice.between(1, 3) }, () => {
    quantity += dice.between(1, 3)
    return { quantity, percentage: dice.pick(percentages) }
  })
}

function drawConditions(dice: Dice, basket: Basket): NonNullable<Benefit['conditions']> {
  const near = dice.pick([basket.totals.net, basket.totals.net + 1, 1, 100])
  const minimumSpend = { amount: Math.max(1, near), ...drawSelect(dice, basket) }
  const requires = [drawUnits(dice, basket), ...(dice.chance(0.3) ? [drawUnits(dice, basket)] : [])]
  return dice.pick([{ minimumSpend }, { requires }, { minimumSpend, requires }])
}

function drawSchedule(dice: Dice): ScheduleWindow[] {
  const clock = () => dice.pick([0, 1, 60, 120, 150, 180, 660, 690, 1380, 1439, dice.between(0, 1439)])
  return Array.from({ length: dice.between(1, 2) }, () => {
    const from = clock()
    return { days: dice.some(days), from, until: dice.chance(0.15) ? from : clock() }
  })
}

/** Benefits 5: limits of such a benefit may count units. */
export function countsUnits({ reward, combination }: Pick<Benefit, 'reward' | 'combination'>): boolean {
  const isPerLine = reward.kind === 'line_amount' && reward.per === 'line'
  return combination !== 'stackable' && !isPerLine && !['order_percentage', 'order_amount'].includes(reward.kind)
}

function drawLimits(dice: Dice, so: { reward: Reward; combination: Benefit['combination']; number: number }): Limit[] {
  return Array.from({ length: dice.chance(0.2) ? 2 : 1 }, (_, at) => ({
    limitId: `limit-${so.number}-${at}`,
    scope: dice.pick(['everyone', 'member', 'venue'] as const),
    period: dice.pick(['ever', 'day', 'week', 'month'] as const),
    counts: !countsUnits(so) || dice.chance(0.3) ? 'baskets' : 'units',
    maximum: dice.pick([1, 1, 2, 3, 4, 1000]),
  }))
}
