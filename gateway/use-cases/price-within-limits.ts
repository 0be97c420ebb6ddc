import { everyCounter } from '../../engine/core/base/input.js'
import type { Priced } from '../../engine/index.js'

/** How often a basket is priced at most; the last time without limited benefits, so that no limit can be short. */
const attemptsMax = 8

/** Units or money left by counterKey; a counter that is not named has its maximum left. */
export type Available = Readonly<Record<string, number>>

export const withoutLimitedBenefits: Available = { [everyCounter]: 0 }

export interface Attempt {
  readonly available: Available
  readonly priced: Priced
  /** True: a limit had too little left, lately or in an earlier attempt, for the units that this basket may want. */
  readonly wasShort: boolean
}

export type Settled<T> =
  | { readonly kind: 'done'; readonly value: T }
  /** Limits have less left than wanted: `left` by counterKey. */
  | { readonly kind: 'short'; readonly left: Available }
  /** The units left of limits are unknown. */
  | { readonly kind: 'limits_unknown' }

export type Start = Pick<Attempt, 'available' | 'wasShort'>

export interface PricingWithinLimits<T> {
  readonly start: Start
  price(available: Available): Promise<Priced>
  settle(attempt: Attempt): Promise<Settled<T>>
}

/** Prices a basket and keeps the result. If limits have too little left, prices again with the rest. */
export async function priceWithinLimits<T>({ start, price, settle }: PricingWithinLimits<T>): Promise<T> {
  let left = start.available
  let { wasShort } = start
  for (let attempt = 1; attempt <= attemptsMax; attempt += 1) {
    if (attempt === attemptsMax) left = withoutLimitedBenefits
    const settled = await settle({ available: left, priced: await price(left), wasShort })
    switch (settled.kind) {
      case 'done':
        return settled.value
      case 'short':
        left = { ...left, ...settled.left }
        wasShort = true
        break
      case 'limits_unknown':
        left = withoutLimitedBenefits
        wasShort = false
        break
    }
  }
  throw new Error('a basket without limited benefits was short of a limit')
}
