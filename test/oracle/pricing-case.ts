import type { Benefit } from '../../engine/core/base/programme.js'
import type { CalculationInput } from '../../engine/core/index.js'

/** A whole question to the pricing engine, as plain JSON: drawn from a seed, or stored in a regression test. */
export interface PricingCase {
  readonly benefits: readonly Benefit[]
  readonly input: CalculationInput
}

/** Orders strings by code points, not by UTF-16 units (benefits 1: benefitId). */
export function byCodePoints(left: string, right: string): number {
  const a = Array.from(left, (char) => char.codePointAt(0) ?? 0)
  const b = Array.from(right, (char) => char.codePointAt(0) ?? 0)
  for (let at = 0; at < Math.min(a.length, b.length); at += 1) {
    if (a[at]! !== b[at]!) return a[at]! - b[at]!
  }
  return a.length - b.length
}
