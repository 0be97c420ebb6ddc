import type { Reward, RewardOf, SelectedUnits, VolumeTier } from '../core/base/programme.js'
import type { Place } from './place.js'
import { readSelect, readSelectedUnits } from './read-selector.js'
import {
  isObject,
  openFields,
  readFlag,
  readId,
  readInteger,
  readList,
  readMeasure,
  readMoney,
  readOptional,
  readPercentage,
  readUnits,
  readWord,
} from './read-values.js'

/** Units of one line at most (wire decisions 1), and so of a free product. */
const lineUnitsMax = 100_000

type RewardKind = Reward['kind']

const kinds: readonly [RewardKind, ...RewardKind[]] = [
  'line_percentage',
  'line_amount',
  'member_price',
  'price_override',
  'volume_percentage',
  'buy_get',
  'bundle_price',
  'bundle_discount',
  'order_percentage',
  'order_amount',
  'free_product',
]

export function hasTimes(reward: Reward): boolean {
  if (reward.kind === 'order_amount') return reward.maximumTimes !== undefined
  return reward.kind === 'buy_get' || reward.kind === 'bundle_price' || reward.kind === 'bundle_discount'
}

export const orderKinds: readonly RewardKind[] = ['order_percentage', 'order_amount']

export function readReward(place: Place): Reward {
  const { value } = place
  if (!isObject(value)) {
    place.fault('an object with a kind')
    return rewardReaders.line_percentage(place.silenced())
  }
  const kindPlace = place.below('kind', Object.hasOwn(value, 'kind') ? value['kind'] : undefined)
  const known = kinds.some((kind) => kind === kindPlace.value)
  return rewardReaders[readWord(kindPlace, kinds)](known ? place : place.silenced())
}

const rewardReaders: { readonly [K in RewardKind]: (place: Place) => Reward } = {
  line_percentage: (place) => {
    const at = openFields(place, [...percentageFields, 'maximumUnits'])
    return { kind: 'line_percentage', ...readPercentageOff(at), ...readMaximumUnits(at('maximumUnits')) }
  },
  line_amount: (place) => {
    const at = openFields(place, ['kind', 'select', 'amount', 'per', 'maximumUnits'])
    return {
      kind: 'line_amount',
      ...readSelect(at('select')),
      amount: readMoney(at('amount')),
      per: readWord(at('per'), ['unit', 'line']),
      ...readMaximumUnits(at('maximumUnits')),
    }
  },
  member_price: (place) => ({ kind: 'member_price', ...readUnitPrice(place) }),
  price_override: (place) => ({ kind: 'price_override', ...readUnitPrice(place) }),
  volume_percentage: (place) => {
    const at = openFields(place, ['kind', 'select', 'tiers', 'measure', 'maximumUnits'])
    const measure = readOptional(at('measure'), readFlag)
    return {
      kind: 'volume_percentage',
      ...readSelect(at('select')),
      tiers: readTiers(at('tiers'), measure === true ? readMeasure : readUnits),
      ...(measure === null ? {} : { measure }),
      ...readMaximumUnits(at('maximumUnits')),
    }
  },
  buy_get: (place) => {
    const at = openFields(place, ['kind', 'buy', 'get', 'maximumTimes', 'sameProduct'])
    return {
      kind: 'buy_get',
      buy: readSelectedUnits(at('buy')),
      get: readGet(at('get')),
      ...readTimes(at),
    }
  },
  bundle_price: (place) => {
    const at = openFields(place, ['kind', 'components', 'price', 'maximumTimes', 'sameProduct'])
    return {
      kind: 'bundle_price',
      components: readList(at('components'), readSelectedUnits),
      price: readMoney(at('price')),
      ...readTimes(at),
    }
  },
  bundle_discount: (place) => {
    const at = openFields(place, ['kind', 'components', 'amount', 'percentage', 'maximumTimes', 'sameProduct'])
    return {
      kind: 'bundle_discount',
      components: readList(at('components'), readSelectedUnits),
      off: readBundleOff(at('amount'), at('percentage')),
      ...readTimes(at),
    }
  },
  order_percentage: (place) => ({
    kind: 'order_percentage',
    ...readPercentageOff(openFields(place, percentageFields)),
  }),
  order_amount: (place) => {
    const at = openFields(place, ['kind', 'select', 'amount', 'maximumTimes'])
    return {
      kind: 'order_amount',
      ...readSelect(at('select')),
      amount: readMoney(at('amount')),
      ...readMaximumTimes(at('maximumTimes')),
    }
  },
  free_product: (place) => {
    const at = openFields(place, ['kind', 'productId', 'quantity', 'per'])
    const per = readOptional(at('per'), readSelectedUnits)
    return {
      kind: 'free_product',
      productId: readId(at('productId')),
      quantity: readInteger(at('quantity'), 1, lineUnitsMax),
      ...(per === null ? {} : { per }),
    }
  },
}

const percentageFields = ['kind', 'select', 'percentage', 'maximumAmount'] as const

function readPercentageOff(at: (field: (typeof percentageFields)[number]) => Place) {
  const maximumAmount = readOptional(at('maximumAmount'), readMoney)
  return {
    ...readSelect(at('select')),
    percentage: readPercentage(at('percentage')),
    ...(maximumAmount === null ? {} : { maximumAmount }),
  }
}

function readUnitPrice(place: Place) {
  const at = openFields(place, ['kind', 'select', 'unitPrice', 'maximumUnits'])
  return {
    ...readSelect(at('select')),
    unitPrice: readMoney(at('unitPrice')),
    ...readMaximumUnits(at('maximumUnits')),
  }
}

function readMaximumUnits(place: Place): { readonly maximumUnits?: number } {
  return place.absent ? {} : { maximumUnits: readUnits(place) }
}

function readTimes(at: (field: 'maximumTimes' | 'sameProduct') => Place) {
  const [maximumTimes, sameProduct] = [
    readOptional(at('maximumTimes'), readUnits),
    readOptional(at('sameProduct'), readFlag),
  ]
  return { ...(maximumTimes === null ? {} : { maximumTimes }), ...(sameProduct === null ? {} : { sameProduct }) }
}

function readBundleOff(amount: Place, percentage: Place): RewardOf<'bundle_discount'>['off'] {
  if (!amount.absent && !percentage.absent) percentage.fault('no percentage, since there is an amount')
  return percentage.absent ? { amount: readMoney(amount) } : { percentage: readPercentage(percentage) }
}

function readMaximumTimes(place: Place): { readonly maximumTimes?: number } {
  return place.absent ? {} : { maximumTimes: readUnits(place) }
}

function readGet(place: Place): SelectedUnits & { readonly percentage: number } {
  const at = openFields(place, ['select', 'quantity', 'percentage'])
  return {
    ...readSelect(at('select')),
    quantity: readUnits(at('quantity')),
    percentage: readPercentage(at('percentage')),
  }
}

function readTiers(place: Place, readQuantity: (place: Place) => number): VolumeTier[] {
  let before: VolumeTier | null = null
  return readList(place, (entry) => {
    const at = openFields(entry, ['quantity', 'percentage'])
    const tier = { quantity: readQuantity(at('quantity')), percentage: readPercentage(at('percentage')) }
    if (before !== null && tier.quantity <= before.quantity) at('quantity').fault('more units than the tier before')
    if (before !== null && tier.percentage <= before.percentage)
      at('percentage').fault('more than the tier before gives')
    before = tier
    return tier
  })
}
