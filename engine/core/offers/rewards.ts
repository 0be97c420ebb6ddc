import type { Basis } from '../base/basis.js'
import { floorProduct, type Money, type Percentage, percentageOf, quantityTimes } from '../base/money.js'
import type { RewardOf, VolumeTier } from '../base/programme.js'
import type { AmountOn, OrderTimes } from './offer.js'

export function lineAmount(amount: Money, per: 'unit' | 'line'): AmountOn {
  if (per === 'line') return (_line, _pieces, part) => Math.min(amount, part)
  return (line, pieces, part) =>
    Math.min(line.units === 0 ? quantityTimes(line.quantity, amount) : pieces * amount, part)
}

export function linePercentage(percentage: Percentage): AmountOn {
  return (_line, _pieces, part) => percentageOf(percentage, part)
}

export function memberPrice(unitPrice: Money): AmountOn {
  return (line, pieces, part) => {
    const cost = line.units === 0 ? quantityTimes(line.quantity, unitPrice) : pieces * unitPrice
    return Math.max(0, part - cost)
  }
}

export function priceOverride(unitPrice: Money): AmountOn {
  return (line, pieces) => {
    if (unitPrice >= line.price) return 0
    return line.units === 0 ? line.gross - quantityTimes(line.quantity, unitPrice) : pieces * (line.price - unitPrice)
  }
}

export function quantityOf(
  { measure }: RewardOf<'volume_percentage'>,
  positions: readonly number[],
  { lines }: Basis,
): number {
  let sum = 0
  for (const at of positions) sum += measure ? lines[at]!.quantity : lines[at]!.units
  return sum
}

/** The highest tier reached; null below the first. Tiers ascend, which publishing checks. */
export function tierFor(tiers: readonly VolumeTier[], units: number): VolumeTier | null {
  let reached: VolumeTier | null = null
  for (const tier of tiers) if (tier.quantity <= units) reached = tier
  return reached
}

/**
 * `order_amount`: at most the remaining cost of its lines together.
 *
 * @param worth  worth of one time to its holder, minor units; only times that take off more are given, and it is subtracted
 */
export function orderAmount({ amount, most, cap }: OrderTimes, worth = 0): (base: Money) => Money {
  if (worth === 0) return (base) => Math.min(amount * most, cap, base)
  return (base) => {
    const within = Math.min(cap, base)
    const whole = amount <= worth ? 0 : Math.min(most, floorProduct(within, 1, amount))
    const last = whole === most ? 0 : Math.min(amount, within - whole * amount)
    return whole * (amount - worth) + Math.max(0, last - worth)
  }
}

export function orderPercentage(percentage: Percentage): (base: Money) => Money {
  return (base) => percentageOf(percentage, base)
}
