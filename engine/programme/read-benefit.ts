import type { Audience, Benefit, Cost, RequiredQuantity, Reward, RewardOf } from '../core/base/programme.js'
import { isObject, type Place } from './place.js'
import { checkEnd } from './read-earning.js'
import { readMoney, readQuantity } from './read-values.js'

export interface ListedBenefit {
  readonly benefit: Benefit
  /** Its path, such as `benefits[3]`. */
  readonly path: string
  readonly isEnabled: boolean
}

export const orderKinds: readonly Reward['kind'][] = ['order_percentage', 'order_amount']
const stackableKinds: readonly Reward['kind'][] = ['line_percentage', 'line_amount', ...orderKinds]

const absent = {
  ...{ campaign: null, priority: 0, sequence: 0, group: null, validFrom: null, validUntil: null },
  ...{ schedule: null, venueIds: null, channels: null, audience: null, conditions: null },
  ...{ existingDiscounts: 'replace', combination: 'normal', limits: [], costs: null },
} as const satisfies Partial<Benefit>

interface BenefitRead extends Omit<Benefit, keyof typeof absent>, Partial<Pick<Benefit, keyof typeof absent>> {
  readonly enabled?: boolean
  readonly description?: string
  readonly metadata?: object
}

export function benefitFrom({ enabled, description, metadata, ...read }: BenefitRead, place: Place): ListedBenefit {
  const benefit: Benefit = { ...absent, ...read }
  checkEnd(benefit, place)
  checkReward(benefit, place)
  checkCost(benefit, place.at('costs').at('per'))
  checkLimits(benefit, place.at('limits'))
  return { benefit, path: place.path, isEnabled: enabled ?? true }
}

function checkReward(benefit: Benefit, place: Place): void {
  const { combination, existingDiscounts, reward } = benefit
  if (combination === 'stackable' && !stackableKinds.includes(reward.kind))
    place.at('combination').fault(`normal or exclusive; stackable is for ${stackableKinds.join(', ')}`)
  if (reward.kind === 'price_override' && existingDiscounts === 'add')
    place.at('existingDiscounts').fault('replace or keep for a price_override')
  const unlimited = stackableKinds.includes(reward.kind) ? whyNoUnits(benefit) : null
  if ('maximumUnits' in reward && unlimited !== null)
    place.at('reward').at('maximumUnits').fault(`no maximum, since ${unlimited}`)
}

/** A limit by birthday needs one member, and one date that its windows are about (benefits 5). */
function checkLimits(benefit: Benefit, list: Place): void {
  const { audience, limits } = benefit
  const hasOneDate = (audience?.birthday === undefined) !== (audience?.anniversary === undefined)
  const [noUnits, noMoney] = [whyNoUnits(benefit), whyNoMoney(benefit)]
  for (const [position, { scope, period, counts }] of limits.entries()) {
    const place = list.at(position)
    if (period === 'birthday' && scope !== 'member') place.at('scope').fault('member, since the period is birthday')
    if (period === 'birthday' && !hasOneDate) {
      const why = 'birthday is for an audience with either birthday or anniversary'
      place.at('period').fault(`another period, since ${why}`)
    }
    const why = counts === 'units' ? noUnits : counts === 'amount' ? noMoney : null
    if (why === null) continue
    const others = [...(noUnits === null ? ['units'] : []), ...(noMoney === null ? ['amount'] : [])]
    place.at('counts').fault(`${['baskets', ...others].join(' or ')}, since ${why}`)
  }
}

function checkCost(benefit: Benefit, per: Place): void {
  const unlimited = whyNoUnits(benefit)
  if (per.value === 'unit' && unlimited !== null) per.fault(`basket, since ${unlimited}`)
  if (per.value === 'times' && !hasTimes(benefit.reward))
    per.fault('unit or basket; times is for buy_get, bundles and an order_amount with maximumTimes')
}

function hasTimes(reward: Reward): boolean {
  if (reward.kind === 'order_amount') return reward.maximumTimes !== undefined
  return reward.kind === 'buy_get' || reward.kind === 'bundle_price' || reward.kind === 'bundle_discount'
}

function whyNoUnits({ reward, combination }: Benefit): string | null {
  if (orderKinds.includes(reward.kind)) return 'the reward is on the order'
  if (reward.kind === 'line_amount' && reward.per === 'line') return 'the amount is per line'
  return combination === 'stackable' ? 'the benefit is stackable' : null
}

function whyNoMoney({ reward, combination }: Benefit): string | null {
  if (reward.kind === 'price_override') return 'a price_override is no discount'
  if (reward.kind === 'free_product') return 'a free_product adds units'
  return combination === 'stackable' ? 'the benefit is stackable' : null
}

export function costFrom(read: Omit<Cost, 'worth'>): Cost {
  return { worth: 0, ...read }
}

export function requiredFrom(read: RequiredQuantity, place: Place): RequiredQuantity {
  return { ...read, quantity: readQuantity(place.at('quantity'), read.measure === true) }
}

export function volumePercentageFrom(read: RewardOf<'volume_percentage'>, place: Place): RewardOf<'volume_percentage'> {
  const list = place.at('tiers')
  const tiers = read.tiers.map(({ percentage }, position) => {
    const tier = list.at(position)
    return {
      quantity: isObject(tier.value) ? readQuantity(tier.at('quantity'), read.measure === true) : 1,
      percentage,
    }
  })
  for (const [position, { quantity, percentage }] of tiers.entries()) {
    const before = tiers[position - 1]
    if (before === undefined) continue
    const tier = list.at(position)
    if (!isObject(tier.value)) continue
    if (quantity <= before.quantity) tier.at('quantity').fault('more units than the tier before')
    if (percentage <= before.percentage) tier.at('percentage').fault('more than the tier before gives')
  }
  return { ...read, tiers }
}

type BundleDiscount = RewardOf<'bundle_discount'>

interface BundleDiscountRead extends Omit<BundleDiscount, 'off'> {
  readonly amount?: number
  readonly percentage?: number
}

export function bundleDiscountFrom({ amount, percentage, ...read }: BundleDiscountRead, place: Place): BundleDiscount {
  if (amount !== undefined && percentage !== undefined)
    place.at('percentage').fault('no percentage, since there is an amount')
  if (percentage !== undefined) return { ...read, off: { percentage } }
  return { ...read, off: { amount: amount ?? readMoney(place.at('amount')) } }
}

export function audienceFrom(read: Audience, place: Place): Audience {
  const { visits, lastVisit, balances = [] } = read
  if (visits !== undefined) checkBounds(place.at('visits'), visits, ['from', 'to'])
  if (lastVisit !== undefined) checkBounds(place.at('lastVisit'), lastVisit, ['atLeastDays', 'atMostDays'])
  for (const [position, balance] of balances.entries()) {
    const at = place.at('balances').at(position)
    checkBounds(at, balance, ['from', 'to'])
    at.at('currencyId').checkOnce('currencyId', balance.currencyId, place.path)
  }
  return read
}

function checkBounds<Name extends string>(
  place: Place,
  read: { readonly [name in Name]?: number },
  [low, high]: readonly [Name, Name],
): void {
  const [least, most] = [read[low], read[high]]
  if (isObject(place.value) && least === undefined && most === undefined) place.fault(`${low}, ${high} or both`)
  if (least !== undefined && most !== undefined && least > most) place.at(high).fault(`as much as ${low}, or more`)
}
