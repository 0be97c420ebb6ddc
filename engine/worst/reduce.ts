import { quantityOne } from '../core/base/money.js'
import { type Measured, withoutLine } from './measures.js'
import type { Trial, TrialItem } from './trial.js'

const keptShare = 0.995

/**
 * The smallest basket that shows a finding as well: lines, units and discounts of the POS that change nothing are left out, and lines made
 * one.
 *
 * @param measure  `over`: no further basket may be priced
 */
export function reduced(measured: Measured, measure: (trial: Trial) => Measured | null | 'over'): Measured {
  let smallest = measured
  for (let changed = true; changed; ) {
    changed = false
    for (const items of smallerThan(smallest.trial.items)) {
      const found = items.length === 0 ? null : measure({ ...smallest.trial, items })
      if (found === 'over') return smallest
      if (found === null || !isSame(found, measured)) continue
      smallest = found
      changed = true
      break
    }
  }
  return smallest
}

function isSame(found: Measured, measured: Measured): boolean {
  if (found.score < measured.score * keptShare || found.guardId !== measured.guardId) return false
  return found.benefitIds.every((id) => measured.benefitIds.includes(id))
}

function* smallerThan(items: readonly TrialItem[]): Generator<readonly TrialItem[]> {
  for (const [at, item] of items.entries()) {
    yield withoutLine(items, at)
    const { own, below, ...plain } = item
    if (own !== undefined && own > 0) yield items.with(at, { ...plain, ...(below && { below }) })
    if (below !== undefined) yield items.with(at, own === undefined ? plain : { ...plain, own })
    for (const quantity of fewerOf(item)) yield items.with(at, { ...item, quantity })
  }
  for (const [at, item] of items.entries())
    for (const [place, other] of items.entries())
      if (place !== at && isPlain(item) && isPlain(other))
        yield withoutLine(items.with(place, { ...other, quantity: other.quantity + item.quantity }), at)
}

function isPlain({ product, own = 0, below }: TrialItem): boolean {
  return !product.weighed && own === 0 && below === undefined
}

function fewerOf({ quantity, product }: TrialItem): readonly number[] {
  if (product.weighed || quantity <= quantityOne) return []
  const half = Math.floor(quantity / 2 / quantityOne) * quantityOne
  return [...new Set([quantityOne, half, quantity - quantityOne])].filter((fewer) => fewer > 0 && fewer < quantity)
}
