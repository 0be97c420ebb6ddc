import { percentageWhole } from '../../engine/core/base/money.js'
import type { Benefit } from '../../engine/core/base/programme.js'

/** Drawn benefits as the JSON array of a programme document: percentages in percent, no empty lists. */
export function publishedBenefits(drawn: readonly Benefit[]): string {
  const published = drawn.map(({ limits, ...benefit }) => ({ ...benefit, ...(limits.length > 0 ? { limits } : {}) }))
  return JSON.stringify(published, (key, value) => (key === 'percentage' ? (value * 100) / percentageWhole : value))
}
