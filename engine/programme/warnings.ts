import type { ReturnPolicy } from '../core/base/earning.js'
import { type Money, percentageWhole } from '../core/base/money.js'
import type { Benefit, Limit, Reward, Selector } from '../core/base/programme.js'
import { digitsOf } from './currency-digits.js'
import { benefitsBeaten } from './lint-beaten.js'
import { audiencesUnknown, goodsUnknown, type KnownNames } from './lint-names.js'
import { benefitsNeverApplied, valueBought } from './lint-reach.js'
import { hasLists, rewardSelections } from './matching.js'
import type { NamedSelector, Naming } from './outline.js'
import { createPriceLists, type Listed, type PriceLists } from './price-lists.js'
import type { ListedBenefit } from './read-benefit.js'
import type { ProgrammeVenue } from './read-venue.js'
import { saidOnce, type Warning } from './warning.js'

/**
 * The warnings on a programme without faults, by kind of warning, then in document order.
 *
 * @param benefits  the enabled ones
 * @param namings   names in them and in the earning rules
 */
export function warningsFromProgramme(
  benefits: readonly ListedBenefit[],
  namings: readonly Naming[],
  known: KnownNames,
): readonly Warning[] {
  const prices = createPriceLists(known.venues)
  const goods = goodsUnknown(namings, known.venues)
  return [
    ...benefitsNeverApplied(benefits),
    ...benefitsBeaten(benefits),
    ...sequencesWithoutEffect(benefits),
    ...pricesWithoutEffect(benefits, prices),
    ...saidOnce([...giftsUnknown(benefits, prices), ...goods.filter(({ word }) => word === 'product_unknown')]),
    ...limitsNeverReached(benefits),
    ...costsWithoutWorth(benefits),
    ...worthNearValue(benefits),
    ...amountsBelowOne(benefits, known.venues),
    ...birthdaysWithoutLimit(benefits),
    ...audiencesUnknown(namings, known),
    ...goods.filter(({ word }) => word !== 'product_unknown'),
    ...basketsFree(benefits, prices),
    ...flagsWithoutEffect(benefits, namings),
    ...thresholdsOnAll(benefits),
    ...measuresOfPieces(benefits, prices),
  ]
}

function birthdaysWithoutLimit(benefits: readonly ListedBenefit[]): Warning[] {
  return benefits.flatMap(({ benefit: { audience, limits, costs }, path }): Warning[] => {
    const around = audience?.birthday ?? audience?.anniversary
    if (around === undefined || costs !== null || limits.some(({ scope }) => scope === 'member')) return []
    const days = around.daysBefore + around.daysAfter + 1
    const within = days === 1 ? 'that day' : `${days} days`
    const message = `a member gets it on every visit of ${within}: a limit of scope member and period birthday gives it once`
    return [{ path, word: 'birthday_without_limit', message }]
  })
}

function sequencesWithoutEffect(benefits: readonly ListedBenefit[]): Warning[] {
  return benefits.flatMap(({ benefit: { sequence, combination }, path }): Warning[] => {
    if (sequence === 0 || combination === 'stackable') return []
    const message = `a sequence orders stackable benefits only; this one is ${combination}`
    return [{ path: `${path}.sequence`, word: 'sequence_without_effect', message }]
  })
}

/** Costs that are worth nothing to their holder: any discount, however small, spends them (page 4, section 9). */
function costsWithoutWorth(benefits: readonly ListedBenefit[]): Warning[] {
  return benefits.flatMap(({ benefit: { costs }, path }): Warning[] => {
    if (costs === null || costs.worth > 0) return []
    const message = `costs have no worth: the smallest discount spends ${costs.amount} ${costs.currencyId}`
    return [{ path: `${path}.costs`, word: 'cost_without_worth', message }]
  })
}

/** Costs worth nearly their discount: a card is spent to save a minor unit more than it is worth. */
function worthNearValue(benefits: readonly ListedBenefit[]): Warning[] {
  return benefits.flatMap(({ benefit, path }): Warning[] => {
    const { costs } = benefit
    const value = valueBought(benefit)
    if (costs === null || value === null || costs.worth >= value) return []
    const advised = Math.floor(value * worthAdvised)
    if (costs.worth <= advised) return []
    const message = `worth ${costs.worth} is so near to the ${value} that it buys that a card is spent to save ${value - costs.worth}: write ${advised}, four fifths`
    return [{ path: `${path}.costs.worth`, word: 'worth_near_value', message }]
  })
}

const worthAdvised = 0.8

/** Amounts off the order that are less than one of the currency: most are written in its main unit by mistake. */
function amountsBelowOne(benefits: readonly ListedBenefit[], venues: readonly ProgrammeVenue[]): Warning[] {
  return benefits.flatMap(({ benefit: { reward, venueIds }, path }): Warning[] => {
    if (reward.kind !== 'order_amount' || reward.amount === 0) return []
    const amount = reward.amount * (reward.maximumTimes ?? 1)
    const open = venues.filter(({ venueId }) => venueIds?.includes(venueId) ?? true)
    const low = open.find(({ currency }) => amount < 10 ** digitsOf(currency))
    if (low === undefined) return []
    const message = `${amount} is ${(amount / 10 ** digitsOf(low.currency)).toFixed(digitsOf(low.currency))} ${low.currency}: amounts are in minor units`
    return [{ path: `${path}.reward.amount`, word: 'amount_below_one', message }]
  })
}

/** Under `as_paid` a guest keeps a discount that the kept basket would not get. */
export function returnsAsPaid(policy: ReturnPolicy, benefits: readonly ListedBenefit[]): Warning[] {
  if (policy === 'reprice') return []
  return benefits.flatMap(({ benefit: { reward, conditions }, path }): Warning[] => {
    const isByUnits = ['buy_get', 'bundle_price', 'bundle_discount', 'volume_percentage'].includes(reward.kind)
    const isFromThreshold = conditions?.minimumSpend !== undefined || conditions?.requires !== undefined
    if (!isByUnits && !isFromThreshold) return []
    const message = 'returns are refunded as_paid: who returns what it required keeps the discount on the rest'
    return [{ path, word: 'returned_as_paid', message }]
  })
}

const scopesAround = {
  everyone: ['everyone'],
  member: ['member', 'everyone'],
  venue: ['venue', 'everyone'],
} as const

/** The periods that contain each period, itself included. Weeks overlap months and years, birthdays all: neither contains the other. */
const periodsAround = {
  ever: ['ever'],
  birthday: ['birthday', 'ever'],
  year: ['year', 'ever'],
  month: ['month', 'year', 'ever'],
  week: ['week', 'ever'],
  day: ['day', 'week', 'month', 'year', 'ever'],
} as const

/** Another limit of the same benefit is exhausted first (benefits 5: all must have room). */
function limitsNeverReached(benefits: readonly ListedBenefit[]): Warning[] {
  return benefits.flatMap(({ benefit, path }) =>
    benefit.limits.flatMap((limit, at): Warning[] => {
      const tighter = benefit.limits.find((other) => other !== limit && keepsBelow(benefit.reward, other, limit))
      if (tighter === undefined) return []
      return [
        {
          path: `${path}.limits[${at}]`,
          word: 'limit_never_reached',
          message: `limit ${limit.limitId} is never reached: ${tighter.limitId} is exhausted before`,
        },
      ]
    }),
  )
}

/** True: `other` is always exhausted before `limit` reaches its maximum. */
function keepsBelow(reward: Reward, other: Limit, limit: Limit): boolean {
  const scopes: readonly string[] = scopesAround[limit.scope]
  const periods: readonly string[] = periodsAround[limit.period]
  if (!scopes.includes(other.scope) || !periods.includes(other.period)) return false
  return other.maximum * countedPerUse(reward, other, limit) < limit.maximum
}

/** The most that `limit` counts where `other` counts one; a basket uses at least one unit or minor unit. */
function countedPerUse(reward: Reward, other: Limit, limit: Limit): number {
  if (other.counts === limit.counts || limit.counts === 'baskets') return 1
  return limit.counts === 'units' ? unitsPerBasketMax(reward) : amountMax(reward, other.counts)
}

function amountMax(reward: Reward, per: Limit['counts']): number {
  if (reward.kind === 'order_amount') return reward.amount * (reward.maximumTimes ?? 1)
  if (reward.kind === 'line_amount' && per === 'units') return reward.amount
  if (reward.kind === 'line_amount') return reward.amount * unitsPerBasketMax(reward)
  return ('maximumAmount' in reward ? reward.maximumAmount : undefined) ?? Number.POSITIVE_INFINITY
}

function unitsPerBasketMax(reward: Reward): number {
  switch (reward.kind) {
    case 'free_product':
      return reward.per === undefined ? reward.quantity : Number.POSITIVE_INFINITY
    case 'bundle_price':
    case 'bundle_discount':
      return reward.maximumTimes ?? Number.POSITIVE_INFINITY
    case 'buy_get':
      return (reward.maximumTimes ?? Number.POSITIVE_INFINITY) * reward.get.quantity
    default:
      return ('maximumUnits' in reward ? reward.maximumUnits : undefined) ?? Number.POSITIVE_INFINITY
  }
}

function giftsUnknown(benefits: readonly ListedBenefit[], prices: PriceLists): Warning[] {
  return benefits.flatMap(({ benefit, path }): Warning[] => {
    const { reward } = benefit
    if (reward.kind !== 'free_product' || prices.matched(benefit, undefined).length === 0) return []
    if (prices.named(benefit, reward.productId).length > 0) return []
    const message = `no venue of this benefit has ${reward.productId} in its price list`
    return [{ path: `${path}.reward.productId`, word: 'product_unknown', message }]
  })
}

function pricesWithoutEffect(benefits: readonly ListedBenefit[], prices: PriceLists): Warning[] {
  return benefits.flatMap(({ benefit, ...listed }): Warning[] => {
    const path = `${listed.path}.reward`
    const { reward } = benefit
    if (reward.kind !== 'price_override' && reward.kind !== 'member_price') return []
    return priceNotBelowList(prices.matched(benefit, reward.select), reward.unitPrice, `${path}.unitPrice`)
  })
}

function priceNotBelowList(matched: readonly Listed[], price: Money, path: string): Warning[] {
  const [first, ...others] = matched.filter(({ product }) => price >= product.unitPrice && !product.noDiscount)
  if (first === undefined) return []
  const { productId, unitPrice } = first.product
  const more = others.length > 0 ? ` and ${others.length} more` : ''
  const message = `unitPrice ${price} is not below the list price of ${productId} at ${first.venueId} (${unitPrice})${more}`
  return [{ path, word: 'price_not_below_list', message }]
}

/** A basket of one listed product becomes free without any other condition. Benefits with a cost, or that name their free products, may. */
function basketsFree(benefits: readonly ListedBenefit[], prices: PriceLists): Warning[] {
  return benefits.flatMap(({ benefit, path }): Warning[] => {
    if (benefit.costs !== null || asksForMore(benefit) || namesProducts(benefit)) return []
    const off = amountOff(benefit)
    if (off === null) return []
    if (off === 'everything') return [{ path, word: 'basket_free', message: 'every basket it applies to is free' }]
    const [free] = prices
      .matched(benefit, undefined)
      .filter(({ product }) => product.unitPrice > 0 && product.unitPrice <= off && !product.noDiscount)
    if (free === undefined) return []
    const { venueId, product } = free
    const message = `a basket of one ${product.productId} at ${venueId} (${product.unitPrice}) is free`
    return [{ path, word: 'basket_free', message }]
  })
}

function amountOff({ reward }: Benefit): number | 'everything' | null {
  switch (reward.kind) {
    case 'line_percentage':
    case 'order_percentage':
      return reward.percentage < percentageWhole ? null : (reward.maximumAmount ?? 'everything')
    case 'volume_percentage':
      return reward.tiers.some(({ percentage }) => percentage >= percentageWhole) ? 'everything' : null
    case 'line_amount':
    case 'order_amount':
      return reward.amount
    case 'member_price':
    case 'price_override':
      return reward.unitPrice === 0 ? 'everything' : null
    default:
      return null
  }
}

function asksForMore({ conditions }: Benefit): boolean {
  return (conditions?.minimumSpend?.amount ?? 0) > 0 || (conditions?.requires ?? []).length > 0
}

function namesProducts({ reward }: Benefit): boolean {
  return 'select' in reward && reward.select !== undefined
}

/** Paths where `includeNoDiscount` has effect (benefits 1): lines bought or counted, and lines left out. */
const countingPath = /\.(buy|per)\.select$|\.conditions\.|\.minimumSpend\.|\.not(\.|$)/

function flagsWithoutEffect(benefits: readonly ListedBenefit[], namings: readonly Naming[]): Warning[] {
  const tiered = new Set(
    benefits.flatMap(({ benefit, path }) =>
      benefit.reward.kind === 'volume_percentage' ? [`${path}.reward.select`] : [],
    ),
  )
  const hasEffect = ({ path }: NamedSelector) => countingPath.test(path) || tiered.has(path)
  return namings.flatMap(({ selectors }) =>
    selectors
      .filter((named) => named.selector.includeNoDiscount === true && !hasEffect(named))
      .map(({ path }): Warning => {
        const message = 'includeNoDiscount has no effect here: noDiscount lines never get anything'
        return { path: `${path}.includeNoDiscount`, word: 'flag_without_effect', message }
      }),
  )
}

/** Thresholds over the whole basket for a reward on some lines: others reach them too. */
function thresholdsOnAll(benefits: readonly ListedBenefit[]): Warning[] {
  return benefits.flatMap(({ benefit: { conditions, reward }, path }): Warning[] => {
    if (rewardSelections(reward).every((select) => select === undefined)) return []
    const { minimumSpend, requires = [] } = conditions ?? {}
    const open = [
      ...(minimumSpend !== undefined && minimumSpend.amount > 0 && minimumSpend.select === undefined
        ? ['minimumSpend']
        : []),
      ...requires.flatMap(({ select }, at) => (select === undefined ? [`requires[${at}]`] : [])),
    ]
    const message = 'counts all goods, also those that the reward does not select; write select: {} if that is meant'
    return open.map((field) => ({ path: `${path}.conditions.${field}`, word: 'threshold_on_all', message }))
  })
}

/** Barcodes with a price or a weight in them, printed by scales (GS1: prefixes 02 and 20 to 29). */
const scaleBarcode = /^0?2/

function measuresOfPieces(benefits: readonly ListedBenefit[], prices: PriceLists): Warning[] {
  return benefits.flatMap(({ benefit, path }): Warning[] => {
    const { reward, conditions } = benefit
    const measured: (readonly [string, Selector | undefined])[] = [
      ...(reward.kind === 'volume_percentage' && reward.measure === true
        ? [[`${path}.reward.measure`, reward.select] as const]
        : []),
      ...(conditions?.requires ?? []).flatMap(({ select, measure }, at) =>
        measure === true ? [[`${path}.conditions.requires[${at}].measure`, select] as const] : [],
      ),
    ]
    return measured.flatMap(([at, select]): Warning[] => {
      const listed = select !== undefined && hasLists(select) ? prices.matched(benefit, select) : []
      const first = listed.find(({ product: { ean } }) => ean !== null && !scaleBarcode.test(ean))
      if (first === undefined) return []
      const message = `${first.product.productId} is sold by the piece at ${first.venueId}: its units count as kilograms do`
      return [{ path: at, word: 'measure_of_pieces', message }]
    })
  })
}
