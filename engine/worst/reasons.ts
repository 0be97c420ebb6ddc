import { percentageWhole } from '../core/base/money.js'
import type { Benefit } from '../core/base/programme.js'
import { rewardSelections } from '../programme/matching.js'
import type { Reason, Remedy } from './finding.js'
import type { Measured } from './measures.js'
import { matches } from './needs.js'
import { linesOf, type TrialItem } from './trial.js'

const dearFrom = 10
const nearlyAll = 0.97
const nearShare = percentageWhole / 2
const boundedShare = percentageWhole / 3
const farBelowShare = percentageWhole / 4

export interface ReasonRules {
  readonly benefits: ReadonlyMap<string, Benefit>
  readonly currencies: readonly string[]
}

export function reasonOf(rules: ReasonRules, measured: Measured): Reason {
  switch (measured.objective) {
    case 'guards':
      return 'guard_broken'
    case 'paid_for_more':
      return 'cheaper_with_more'
    case 'split':
      return 'cheaper_on_two_receipts'
    case 'value_for_nothing':
      return 'earned_pays_for_itself'
    case 'too_often':
      return 'again_at_once'
    default:
      return reasonOfOff(rules, measured)
  }
}

function reasonOfOff({ benefits, currencies }: ReasonRules, { trial, price, benefitIds }: Measured): Reason {
  const giving = benefitIds.flatMap((id) => benefits.get(id) ?? [])
  const { items } = trial
  if (giving.some((benefit) => countsExcluded(benefit, items))) return 'excluded_goods_count'
  if (giving.some((benefit) => givesDear(benefit, items, price))) return 'cheap_goods_give_dear'
  if (giving.filter(({ reward }) => reward.kind === 'free_product').length > 1) return 'gifts_add_up'
  const { currency } = trial.setting.venue
  const isOther = currencies.length > 1 && currency !== currencies[0]
  if (isOther && giving.some((benefit) => hasAmount(benefit) && benefit.venueIds === null))
    return 'amount_of_another_currency'
  const off = price.before - price.after
  const most = price.calculation.benefits.find(({ value }) => value >= off * nearlyAll)
  const only = giving.length > 1 ? benefits.get(most?.benefitId ?? '') : giving[0]
  if (only === undefined) return giving.length > 1 ? 'benefits_add_up' : 'as_written'
  const share = off / Math.max(1, price.before)
  if (hasAmount(only) && share * percentageWhole >= nearShare) return 'amount_near_the_price'
  if (hasPrice(only) && (1 - share) * percentageWhole <= farBelowShare) return 'price_far_below'
  const isLarge = share * percentageWhole >= boundedShare
  return isLarge && isPercentage(only) && !('maximumAmount' in only.reward) ? 'no_maximum' : 'as_written'
}

function countsExcluded({ reward, conditions }: Benefit, items: readonly TrialItem[]): boolean {
  const bought = [
    ...(reward.kind === 'buy_get' ? [reward.buy.select] : []),
    ...(reward.kind === 'free_product' ? [reward.per?.select] : []),
    ...('components' in reward ? reward.components.map(({ select }) => select) : []),
    ...(conditions?.requires ?? []).map(({ select }) => select),
    conditions?.minimumSpend?.select,
  ]
  const counting = bought.filter((select) => select?.includeNoDiscount === true)
  return items.some(({ product }) => product.noDiscount && counting.some((select) => matches(select, product)))
}

function givesDear(
  { benefitId, reward, conditions }: Benefit,
  items: readonly TrialItem[],
  { calculation }: Measured['price'],
): boolean {
  const asked = [...(reward.kind === 'buy_get' ? [reward.buy] : []), ...(conditions?.requires ?? [])]
  const bought = items.filter(({ product }) => asked.some(({ select }) => matches(select, product)))
  const served = calculation.benefits.find((report) => report.benefitId === benefitId)?.lines ?? []
  const lines = linesOf(items)
  const given = served.flatMap(({ line, amount }) => (amount > 0 ? [lines[line]!.product.unitPrice] : []))
  const cheapest = Math.min(...bought.map(({ product }) => product.unitPrice))
  return Math.max(...given) >= dearFrom * Math.max(1, cheapest)
}

function hasAmount({ reward }: Benefit): boolean {
  const sized = reward.kind === 'bundle_discount' ? reward.off : reward
  return 'amount' in sized
}

function hasPrice({ reward }: Benefit): boolean {
  return reward.kind === 'price_override' || reward.kind === 'member_price' || reward.kind === 'bundle_price'
}

function isPercentage({ reward }: Benefit): boolean {
  return reward.kind === 'line_percentage' || reward.kind === 'order_percentage'
}

export function proposals(rules: ReasonRules, reason: Reason, measured: Measured): readonly (readonly Remedy[])[] {
  const giving = measured.benefitIds.flatMap((id) => rules.benefits.get(id) ?? [])
  return [
    ...giving.flatMap((benefit) => ofOne(benefit, reason, measured)),
    ...(isGroupable(giving) ? [giving.map(({ benefitId }) => changeOf(benefitId, 'group', groupName))] : []),
  ]
}

const groupName = 'one-of-these'
const spendPerOff = 4
const groupedMax = 3

function changeOf(id: string, field: string, value: unknown): Remedy {
  return { list: 'benefits', id, field, value }
}

function isGroupable(giving: readonly Benefit[]): boolean {
  return giving.length > 1 && giving.length <= groupedMax && giving.every(({ group }) => group === null)
}

function ofOne(benefit: Benefit, reason: Reason, measured: Measured): readonly (readonly Remedy[])[] {
  const { benefitId, reward } = benefit
  const one = (field: string, value: unknown): readonly Remedy[] => [changeOf(benefitId, field, value)]
  const off = measured.off
  switch (reason) {
    case 'guard_broken':
      return rewardSelections(reward).some((select) => select?.not !== undefined)
        ? []
        : [one('reward.select.not', guardedSelect), one('reward.get.select.not', guardedSelect)]
    case 'excluded_goods_count':
      return selectPaths(benefit).map((path) => one(`${path}.includeNoDiscount`, undefined))
    case 'cheap_goods_give_dear':
      return [
        ...(reward.kind === 'buy_get' ? [one('reward.sameProduct', true)] : []),
        ...amountCaps(one, benefit, measured),
      ]
    case 'cheaper_on_two_receipts':
    case 'again_at_once':
      return [one('limits', [...benefit.limits, dailyLimit(benefitId)].map(limitJson))]
    case 'again_each_day':
      if (benefit.audience?.birthday === undefined && benefit.audience?.anniversary === undefined) return []
      return [one('limits', [...benefit.limits, birthdayLimit(benefitId)].map(limitJson))]
    case 'amount_of_another_currency':
      return [one('venueIds', sameCurrency)]
    case 'amount_near_the_price':
    case 'price_far_below':
      return [one('conditions.minimumSpend.amount', roundedUp(spendPerOff * off))]
    case 'as_written':
      return []
    default:
      return amountCaps(one, benefit, measured)
  }
}

/** Filled in where the document is known (`remedies.ts`). */
export const guardedSelect = Symbol('the select of the guard')
export const sameCurrency = Symbol('the venues of the first currency')

function amountCaps(
  one: (path: string, value: unknown) => readonly Remedy[],
  benefit: Benefit,
  { objective, off }: Measured,
): readonly (readonly Remedy[])[] {
  if (objective !== 'largest_amount' || !isPercentage(benefit)) return []
  return [one('reward.maximumAmount', roundedUp(off / 4))]
}

function roundedUp(amount: number): number {
  const digit = 10 ** Math.floor(Math.log10(Math.max(1, amount)))
  return Math.ceil(amount / digit) * digit
}

function selectPaths({ reward, conditions }: Benefit): readonly string[] {
  return [
    ...(reward.kind === 'buy_get' ? ['reward.buy.select'] : []),
    ...(reward.kind === 'free_product' ? ['reward.per.select'] : []),
    ...('components' in reward ? reward.components.map((_, place) => `reward.components[${place}].select`) : []),
    ...(conditions?.requires ?? []).map((_, place) => `conditions.requires[${place}].select`),
    'conditions.minimumSpend.select',
  ]
}

function dailyLimit(benefitId: string): Benefit['limits'][number] {
  return { limitId: `${benefitId}-a-day`, scope: 'member', period: 'day', counts: 'baskets', maximum: 1 }
}

function birthdayLimit(benefitId: string): Benefit['limits'][number] {
  return { limitId: `${benefitId}-a-birthday`, scope: 'member', period: 'birthday', counts: 'baskets', maximum: 1 }
}

function limitJson({ limitId, scope, period, counts, maximum }: Benefit['limits'][number]) {
  return { limitId, scope, period, counts, maximum }
}
