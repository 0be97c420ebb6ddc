import type { Basis } from '../base/basis.js'
import { type CalculationFacts, everyCounter } from '../base/input.js'
import { percentageOf, quantityOne, sumOf } from '../base/money.js'
import { type CounterName, counterKey, type Dropped } from '../base/outcome.js'
import type { Benefit, Limit, RewardOf } from '../base/programme.js'
import type { Periods } from '../match/calendar.js'
import type { CompiledBenefit } from '../match/compile.js'
import { missingConditions } from '../match/conditions.js'
import type { Matched } from '../match/matched-lines.js'
import { birthdayPeriod } from '../match/yearly-date.js'
import { costOf, missingValue } from './costs-left.js'
import { flagged, kept, lackingUnits, withoutOwn } from './dropped.js'
import { followersOf, withFollowers } from './following.js'
import { giftOf } from './gift.js'
import { limitedBy } from './limits-left.js'
import {
  type AmountOn,
  type BundlePart,
  type BundlePay,
  dearestTime,
  isPercentageReward,
  type LimitLeft,
  maximumUnitsOf,
  type Offer,
  type Offered,
  orderTimesOf,
  type ShapeOf,
} from './offer.js'
import {
  lineAmount,
  linePercentage,
  memberPrice,
  orderAmount,
  orderPercentage,
  priceOverride,
  quantityOf,
  tierFor,
} from './rewards.js'
import { type Usable, usableOf } from './usable-units.js'

export interface OfferSource {
  readonly basis: Basis
  readonly matched: Matched
  readonly facts: CalculationFacts
  readonly periods: Periods
  readonly hasOrderDiscounts: boolean
}

/**
 * The offer of an open benefit, or why it drops out before any choice (wire decisions 2).
 *
 * @param named  basis lines that its leading selector's lists name (`touchedBy`)
 */
export function offerOf(compiled: CompiledBenefit, named: readonly number[], source: OfferSource): Offered {
  const missing = [...missingConditions(compiled, source), ...missingValue(compiled.benefit, source.facts)]
  const offered = rewardOf(compiled, named, source)
  if (missing.length === 0) return offered
  const { dropped } = offered
  const others = dropped?.stage === 'conditions_not_met' ? dropped.missing : []
  return droppedOf({ stage: 'conditions_not_met', missing: [...missing, ...others] })
}

function rewardOf(compiled: CompiledBenefit, named: readonly number[], source: OfferSource): Offered {
  const { reward } = compiled.benefit
  switch (reward.kind) {
    case 'free_product':
      return freeOffer(compiled, reward, source)
    case 'buy_get':
      return buyGetOffer(compiled, reward, source)
    case 'bundle_price':
    case 'bundle_discount':
      return bundleOffer(compiled, reward, source)
    case 'order_percentage':
    case 'order_amount':
      return orderOffer(compiled, named, { reward, source })
    default:
      return lineOffer(compiled, named, { reward, source })
  }
}

type LineReward = RewardOf<'line_percentage' | 'line_amount' | 'member_price' | 'price_override' | 'volume_percentage'>
type BundleReward = RewardOf<'bundle_price' | 'bundle_discount'>

function lineOffer(
  compiled: CompiledBenefit,
  named: readonly number[],
  { reward, source }: { reward: LineReward; source: OfferSource },
): Offered {
  const { basis } = source
  const { benefit } = compiled
  const select = compiled.selects[0]!
  const matched = source.matched.own(select, true, named)
  const unitsMax = maximumUnitsOf(benefit)
  const hasMaximum = unitsMax !== Number.POSITIVE_INFINITY
  const wholeOnly =
    hasMaximum || benefit.costs?.per === 'unit' || benefit.limits.some(({ counts }) => counts === 'units')
  const fitting = wholeOnly ? matched.filter((at) => basis.lines[at]!.units > 0) : matched
  let percentage = reward.kind === 'line_percentage' ? reward.percentage : null
  if (reward.kind === 'volume_percentage') {
    const counted = quantityOf(reward, source.matched.own(select, select.includeNoDiscount, named), basis)
    const tier = tierFor(reward.tiers, counted)
    if (tier === null) {
      const isFlagged = fitting.length > 0 && tierFor(reward.tiers, quantityOf(reward, matched, basis)) !== null
      const lacking = reward.tiers[0]!.quantity - counted
      if (isFlagged) return droppedOf(flagged(matched, basis))
      return droppedOf(lackingUnits(reward.measure ? Math.ceil(lacking / quantityOne) : lacking))
    }
    percentage = tier.percentage
  }
  if (fitting.length === 0) return droppedOf(lackingUnits(1))
  const unflagged = source.matched.unflagged(fitting, isPercentageReward(benefit))
  if (unflagged.length === 0) return droppedOf(flagged(fitting, basis))
  const lines = benefit.existingDiscounts === 'keep' ? withoutOwn(unflagged, basis) : unflagged
  if (lines.length === 0) return droppedOf(kept(unflagged, basis))
  const followers = percentage === null ? null : followersOf(compiled, select, source)
  const isStacked = benefit.combination === 'stackable'
  return offered(compiled, source, {
    shape: { kind: 'line' },
    lines: isStacked && followers !== null ? withFollowers(lines, followers) : lines,
    followers: isStacked ? null : followers,
    unflagged,
    amountOn: amountOnOf(reward, percentage),
    percentage,
    wholeLine: isStacked || (reward.kind === 'line_amount' && reward.per === 'line'),
    unitsMax,
    maximumAmount: (reward.kind === 'line_percentage' ? reward.maximumAmount : undefined) ?? Number.POSITIVE_INFINITY,
  })
}

function amountOnOf(reward: LineReward, percentage: number | null): AmountOn {
  switch (reward.kind) {
    case 'line_percentage':
    case 'volume_percentage':
      return linePercentage(percentage!)
    case 'line_amount':
      return lineAmount(reward.amount, reward.per)
    case 'member_price':
      return memberPrice(reward.unitPrice)
    case 'price_override':
      return priceOverride(reward.unitPrice)
  }
}

function orderOffer(
  compiled: CompiledBenefit,
  named: readonly number[],
  { reward, source }: { reward: RewardOf<'order_percentage' | 'order_amount'>; source: OfferSource },
): Offered {
  const { benefit } = compiled
  const select = compiled.selects[0]!
  const own = source.matched.own(select, true, named)
  const followers = reward.kind === 'order_percentage' ? [...source.matched.leaders(select, false).keys()] : []
  const matched = followers.length === 0 ? own : [...own, ...followers].sort((a, b) => a - b)
  if (matched.length === 0) return droppedOf(lackingUnits(1))
  const isPercentage = isPercentageReward(benefit)
  const lines = source.matched.unflagged(matched, isPercentage)
  if (lines.length === 0) return droppedOf(flagged(matched, source.basis))
  if (benefit.existingDiscounts === 'keep' && source.hasOrderDiscounts) return droppedOf(kept(lines, source.basis))
  const percentage = reward.kind === 'order_percentage' ? reward.percentage : null
  const maximum = reward.kind === 'order_percentage' ? reward.maximumAmount : undefined
  return offered(compiled, source, {
    shape: orderShape(reward),
    lines,
    unflagged: lines,
    amountOn: wholePart,
    percentage,
    wholeLine: true,
    unitsMax: Number.POSITIVE_INFINITY,
    maximumAmount: maximum ?? Number.POSITIVE_INFINITY,
  })
}

function orderShape(reward: RewardOf<'order_percentage' | 'order_amount'>): ShapeOf<'order'> {
  if (reward.kind === 'order_percentage')
    return { kind: 'order', takes: orderPercentage(reward.percentage), times: null }
  const times = orderTimesOf(reward)
  return { kind: 'order', takes: orderAmount(times), times: reward.maximumTimes === undefined ? null : times }
}

function freeOffer(compiled: CompiledBenefit, reward: RewardOf<'free_product'>, source: OfferSource): Offered {
  const found = giftOf(compiled, reward, source)
  if ('stage' in found) return droppedOf(found)
  const { shape, lines, unflagged } = found
  return offered(compiled, source, {
    shape,
    lines,
    unflagged,
    amountOn: wholePart,
    percentage: null,
    wholeLine: false,
    unitsMax: shape.there,
    maximumAmount: Number.POSITIVE_INFINITY,
  })
}

function buyGetOffer(compiled: CompiledBenefit, reward: RewardOf<'buy_get'>, source: OfferSource): Offered {
  const { benefit } = compiled
  const [buying, getting] = compiled.selects
  const buys = source.matched.whole(buying!, true)
  const gets = getting === buying ? buys : source.matched.whole(getting!, true)
  const bought = {
    lines: buys,
    quantity: reward.buy.quantity,
    isFixed: true,
    withNoDiscount: buying!.includeNoDiscount,
  }
  const usable = usableOf(benefit, [bought, { lines: gets, quantity: reward.get.quantity, isFixed: false }], source)
  if ('stage' in usable) return droppedOf(usable)
  const timesMax = reward.maximumTimes ?? Number.POSITIVE_INFINITY
  const { quantity: get, percentage } = reward.get
  const [buyLines, lines] = usable.lists as [readonly number[], readonly number[]]
  return offered(compiled, source, {
    shape: { kind: 'buy_get', buy: reward.buy.quantity, get, buyLines, timesMax, products: usable.products },
    lines,
    followers: followersOf(compiled, getting!, source),
    unflagged: usable.unflagged ?? lines,
    amountOn: linePercentage(percentage),
    percentage: null,
    wholeLine: false,
    unitsMax: timesMax * get,
    maximumAmount: Number.POSITIVE_INFINITY,
  })
}

function bundleOffer(compiled: CompiledBenefit, reward: BundleReward, source: OfferSource): Offered {
  const parts = bundleParts(compiled, reward, source)
  if ('stage' in parts) return droppedOf(parts)
  const timesMax = reward.maximumTimes ?? Number.POSITIVE_INFINITY
  return offered(compiled, source, {
    shape: {
      kind: 'bundle',
      components: parts.parts,
      pays: bundlePay(reward, parts.parts, source),
      timesMax,
      products: parts.products,
    },
    lines: parts.lines,
    unflagged: parts.unflagged,
    amountOn: 'off' in reward && 'percentage' in reward.off ? linePercentage(reward.off.percentage) : wholePart,
    percentage: null,
    wholeLine: false,
    unitsMax: timesMax,
    maximumAmount: Number.POSITIVE_INFINITY,
  })
}

function bundlePay(reward: BundleReward, parts: readonly BundlePart[], { basis: { lines } }: OfferSource): BundlePay {
  if (reward.kind === 'bundle_price') return { kind: 'price', money: reward.price }
  if ('percentage' in reward.off) return { kind: 'percentage' }
  const money = Math.min(
    reward.off.amount,
    dearestTime(parts, (at) => lines[at]!.price),
  )
  const heldOn = (at: number) => Math.floor((lines[at]!.gross - lines[at]!.own) / lines[at]!.pieces)
  const least = parts.reduce((sum, each) => sum + each.quantity * Math.min(...each.lines.map(heldOn)), 0)
  return { kind: 'amount', money, isSure: money <= least }
}

function bundleParts(
  { benefit, selects }: CompiledBenefit,
  { components }: BundleReward,
  source: OfferSource,
): Parts | Dropped {
  const { matched } = source
  const wants = selects.map((select, position) => ({
    lines: matched.whole(select, true),
    quantity: components[position]!.quantity,
    isFixed: false,
  }))
  const usable = usableOf(benefit, wants, source)
  if ('stage' in usable) return usable
  const lines = matched.union(usable.lists)
  return {
    parts: usable.lists.map((lines, position) => ({ lines, quantity: components[position]!.quantity })),
    lines,
    unflagged: usable.unflagged ?? lines,
    products: usable.products,
  }
}

interface Parts extends Pick<Usable, 'products'> {
  readonly parts: readonly BundlePart[]
  readonly lines: readonly number[]
  readonly unflagged: readonly number[]
}

// Savings of a bundle are spread later; other such offers are on no line.
const wholePart: AmountOn = (_line, _pieces, part) => part

function limitsOf(benefit: Benefit, { facts, periods }: OfferSource): LimitLeft[] {
  if (benefit.limits.length === 0) return noLimits
  const isCounted = hasCounters(facts)
  return benefit.limits.map(({ limitId, scope, period: of, counts, maximum }) => {
    const period =
      of === 'birthday'
        ? birthdayPeriod(benefit.audience, facts.member, { last: facts.member.birthdayPeriods?.[limitId], periods })
        : periods.named(of)
    const subject = subjectOf(scope, facts)
    const counted = isCounted ? countedOf(facts, { limitId, subject, period: period.name }) : undefined
    const left = Math.max(0, counted ?? maximum)
    return { limitId, subject, period: period.name, counts, maximum, left, backAt: period.end }
  })
}

const noLimits: LimitLeft[] = []

function hasCounters({ available }: CalculationFacts): boolean {
  for (const _ in available) return true
  return false
}

function countedOf({ available }: CalculationFacts, name: CounterName): number | undefined {
  return available[counterKey(name)] ?? available[everyCounter]
}

function subjectOf(scope: Limit['scope'], { member, venue }: CalculationFacts): string {
  if (scope === 'everyone') return ''
  return scope === 'member' ? member.memberId : venue.venueId
}

// Spreading all properties costs several times as much.
function offered(
  compiled: CompiledBenefit,
  source: OfferSource,
  rest: Omit<
    Offer,
    'compiled' | 'benefit' | 'rank' | 'turn' | 'amountMax' | 'limits' | 'cost' | 'worthEach' | 'followers'
  > &
    Partial<Pick<Offer, 'followers'>>,
): Offered {
  const { benefit, rank, turn } = compiled
  const { shape, lines, followers = null, unflagged, amountOn, percentage, wholeLine, unitsMax, maximumAmount } = rest
  const limits = limitsOf(benefit, source)
  const cost = costOf(benefit, source.facts)
  const offer = {
    compiled,
    benefit,
    rank,
    turn,
    shape,
    lines,
    followers,
    unflagged,
    amountOn,
    percentage,
    worthEach: 0,
    wholeLine,
    unitsMax,
    maximumAmount,
    amountMax: Number.POSITIVE_INFINITY,
    limits,
    cost,
  }
  const { lines: all } = source.basis
  const limited = limits.length === 0 ? offer : limitedBy(offer, limits, all)
  return {
    offer: isIdle(limited, all) ? { ...limited, maximumAmount: Number.POSITIVE_INFINITY } : limited,
    dropped: null,
  }
}

// Where lines follow others, a maximum would keep lines from being searched with what follows them: one that is never reached is left out.
function isIdle({ maximumAmount, percentage, lines, followers }: Offer, all: OfferSource['basis']['lines']): boolean {
  if (maximumAmount === Number.POSITIVE_INFINITY || percentage === null) return false
  if (all.every(({ parent }) => parent === -1)) return false
  const taking = followers === null ? lines : withFollowers(lines, followers)
  // A rounding for each line.
  return percentageOf(percentage, sumOf(taking.map((at) => all[at]!.gross))) + taking.length <= maximumAmount
}

function droppedOf(dropped: Dropped): Offered {
  return { offer: null, dropped }
}
