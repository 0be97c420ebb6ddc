import { percentageWhole } from '../../engine/core/base/money.js'
import type { Benefit } from '../../engine/core/base/programme.js'

/**
 * Drawn benefits as the JSON array of a programme document, or with the currencies that they cost as an object: percentages in
 * percent, no empty lists.
 */
export function publishedBenefits(drawn: readonly Benefit[]): string {
  const benefits = drawn.map(({ limits, ...benefit }) => ({ ...benefit, ...(limits.length > 0 ? { limits } : {}) }))
  const currencyIds = new Set(drawn.flatMap(({ costs }) => (costs === null ? [] : [costs.currencyId])))
  const currencies = [...currencyIds].map((currencyId) => ({ currencyId, name: currencyId, scale: 0 }))
  const published = currencies.length === 0 ? benefits : { benefits, currencies }
  return JSON.stringify(published, (key, value) => (key === 'percentage' ? (value * 100) / percentageWhole : value))
}
