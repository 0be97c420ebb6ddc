import type { ReturnPolicy } from '../core/base/earning.js'
import { digitsOf } from './currency-digits.js'
import { benefitsBeaten } from './lint-beaten.js'
import { limitsNeverReached } from './lint-limits.js'
import { audiencesUnknown, goodsUnknown, type KnownNames } from './lint-names.js'
import { basketsFree, giftsUnknown, pricesWithoutEffect } from './lint-prices.js'
import { benefitsNeverApplied, valueBought } from './lint-reach.js'
import { flagsWithoutEffect, measuresOfPieces, thresholdsOnAll } from './lint-selectors.js'
import type { Naming } from './outline.js'
import { createPriceLists } from './price-lists.js'
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
