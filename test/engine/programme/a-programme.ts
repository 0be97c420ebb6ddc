export type Json = null | boolean | number | string | Json[] | { [name: string]: Json }
export type JsonObject = { [name: string]: Json }

/** A small faultless programme, as a document value. */
export function aProgramme(...benefits: JsonObject[]): JsonObject {
  return {
    venues: [aVenue()],
    members: [{ memberId: 'm-1', loyaltyIds: ['LOY-1'] }],
    benefits: benefits.length > 0 ? benefits : [aBenefit()],
  }
}

export function aVenue(fields: JsonObject = {}): JsonObject {
  return {
    venueId: 'v-1',
    name: 'Venue 1',
    environment: 'staging',
    currency: 'NOK',
    timeZone: 'Europe/Oslo',
    baxIds: ['100'],
    products: [{ productId: 'p-1', name: 'Product 1', unitPrice: 1000 }],
    ...fields,
  }
}

export function aBenefit(fields: JsonObject = {}): JsonObject {
  return { benefitId: 'b-1', text: 'Benefit 1', reward: { kind: 'line_percentage', percentage: 10 }, ...fields }
}

/** The same document with another value at a path such as `benefits[0].reward.percentage`; undefined removes the field. */
export function changed(document: JsonObject, path: string, value: Json | undefined): JsonObject {
  const copy = structuredClone(document)
  const steps = path.split(/[.[\]]+/).filter((step) => step !== '')
  const last = steps.pop()!
  let place = copy as Record<string, Json>
  for (const step of steps) place = place[step] as Record<string, Json>
  if (value === undefined) delete place[last]
  else place[last] = value
  return copy
}
