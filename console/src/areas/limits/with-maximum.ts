import { find, readJson, valueAt, withValue } from '../programme/form/json-text.js'

/** A programme with another maximum of one limit; every other character stays. null: it has no such limit. */
export function withMaximum(document: string, limitId: string, maximum: bigint): string | null {
  const top = readJson(document) ?? undefined
  const benefits = find(top, ['benefits'])
  if (benefits?.kind !== 'list') return null
  for (const [at, benefit] of benefits.items.entries()) {
    const limits = find(benefit, ['limits'])
    if (limits?.kind !== 'list') continue
    const place = limits.items.findIndex((limit) => valueAt(document, find(limit, ['limitId'])) === limitId)
    if (place !== -1) return withValue(document, ['benefits', at, 'limits', place, 'maximum'], String(maximum))
  }
  return null
}
