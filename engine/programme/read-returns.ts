import type { ReturnPolicy } from '../core/base/earning.js'
import type { Place } from './place.js'
import type { ListedBenefit } from './read-benefit.js'
import { openFields, readWord } from './read-values.js'
import type { Warning } from './warning.js'

export function readReturns(place: Place): ReturnPolicy {
  if (place.absent) return 'reprice'
  return readWord(openFields(place, ['policy'])('policy'), ['reprice', 'as_paid'])
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
