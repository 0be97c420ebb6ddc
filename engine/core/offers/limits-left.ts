import type { BasisLine } from '../base/basis.js'
import type { Dropped } from '../base/outcome.js'
import type { Limit } from '../base/programme.js'
import { giftWithin, type LimitLeft, maximumUnitsOf, type Offer, orderTimesOf } from './offer.js'
import { orderAmount } from './rewards.js'
import { unitsWithin } from './units-within.js'

export function unlimited(offer: Offer, lines: readonly BasisLine[]): Offer {
  const wished = withoutLimits(offer, lines)
  const { cost } = wished
  return cost === null || cost.free >= cost.balance ? wished : { ...wished, cost: { ...cost, free: cost.balance } }
}

function withoutLimits(offer: Offer, lines: readonly BasisLine[]): Offer {
  const isEnough = ({ counts, left }: LimitLeft) => {
    if (counts === 'baskets') return left >= 1
    return counts === 'amount' ? left >= amountUpTo(offer, lines) : left >= unitsUpTo(offer, lines, left + 1)
  }
  return offer.limits.every(isEnough) ? offer : limitedBy(offer, [], lines)
}

function unitsUpTo({ shape, lines: own }: Offer, lines: readonly BasisLine[], most: number): number {
  if (shape.kind === 'free') return shape.had + shape.missing
  let pieces = 0
  for (let index = 0; index < own.length && pieces < most; index++) pieces += lines[own[index]!]!.pieces
  return pieces
}

function amountUpTo({ lines: own, benefit, followers }: Offer, lines: readonly BasisLine[]): number {
  let gross = 0
  for (let index = 0; index < own.length; index++) gross += lines[own[index]!]!.gross
  for (const each of followers?.values() ?? []) for (const at of each) gross += lines[at]!.gross
  return benefit.reward.kind === 'order_amount' ? orderAmount(orderTimesOf(benefit.reward))(gross) : gross
}

/** Replaces the offer's limits (3-benefits 5, 4-member-value 2). No units are left if one of baskets or money is exhausted. */
export function limitedBy(offer: Offer, limits: readonly LimitLeft[], lines: readonly BasisLine[]): Offer {
  const amount = leftOf(limits, 'amount')
  const isOpen = limits.every(({ counts, left }) => counts === 'units' || left > 0)
  const units = isOpen ? Math.min(leftOf(limits, 'units'), maximumUnitsOf(offer.benefit)) : 0
  const { reward } = offer.benefit
  switch (reward.kind) {
    case 'line_percentage':
    case 'order_percentage':
      return { ...offer, unitsMax: units, maximumAmount: Math.min(amount, reward.maximumAmount ?? amount) }
    case 'order_amount': {
      const times = orderTimesOf(reward, amount)
      const shape = { kind: 'order' as const, takes: orderAmount(times), times: reward.maximumTimes ? times : null }
      return { ...offer, unitsMax: units, shape }
    }
    case 'line_amount':
      return reward.per === 'line'
        ? { ...offer, unitsMax: units, maximumAmount: amount }
        : onWholeUnits(offer, { units, amount }, lines)
    default:
      return onWholeUnits(offer, { units, amount }, lines)
  }
}

interface Left {
  readonly units: number
  readonly amount: number
}

function onWholeUnits(offer: Offer, { units, amount }: Left, lines: readonly BasisLine[]): Offer {
  const { shape, benefit } = offer
  if (shape.kind === 'free') return giftWithin(offer, shape, { ...shape, units })
  const fitting = amount === Number.POSITIVE_INFINITY ? amount : unitsWithin(offer, amount, lines)
  const amountMax = fitting === null ? amount : Number.POSITIVE_INFINITY
  const left = Math.min(units, fitting ?? units)
  if (shape.kind !== 'buy_get' && shape.kind !== 'bundle') return { ...offer, unitsMax: left, amountMax }
  const each = shape.kind === 'buy_get' ? shape.get : 1
  const maximum = 'maximumTimes' in benefit.reward ? benefit.reward.maximumTimes : undefined
  const timesMax = Math.min(maximum ?? Number.POSITIVE_INFINITY, Math.floor(left / each))
  return { ...offer, unitsMax: timesMax * each, amountMax, shape: { ...shape, timesMax } }
}

function leftOf(limits: readonly LimitLeft[], counted: Limit['counts']): number {
  let least = Number.POSITIVE_INFINITY
  for (const { counts, left } of limits) if (counts === counted) least = Math.min(least, left)
  return least
}

interface Wanted {
  readonly units: number
  readonly amount: number | null
  readonly lines: readonly BasisLine[]
}

/**
 * The limit that alone prevents a gain for longest; if none does, the one short for longest. Null: none is short.
 *
 * @param wanted  units, above 0, and money; `amount` null: not known
 * @param gains   whether an offer alone would gain
 */
export function shortLimit(
  offer: Offer,
  { units, amount, lines }: Wanted,
  gains: (limited: Offer) => boolean,
): Dropped | null {
  const wantedBy = { baskets: 1, units, amount: amount ?? amountUpTo(offer, lines) }
  const wantedOf = ({ counts }: LimitLeft) => wantedBy[counts]
  const endOf = (limit: LimitLeft) => limit.backAt() ?? Number.MAX_VALUE
  const short = offer.limits.filter((limit) => limit.left < wantedOf(limit))
  const keeps = new Set(short.filter((limit) => short.length === 1 || !gains(limitedBy(offer, [limit], lines))))
  const [last] = short.sort((a, b) => Number(keeps.has(b)) - Number(keeps.has(a)) || endOf(b) - endOf(a))
  if (last === undefined) return null
  const { limitId, period, counts, left } = last
  return { stage: 'limit_exhausted', limitId, period, counts, left, wanted: wantedOf(last), backAt: last.backAt() }
}
