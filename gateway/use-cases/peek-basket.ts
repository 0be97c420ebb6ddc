/** Member and venue ids found in the bytes of a basket before it is parsed. They may be wrong. */
export interface Peek {
  readonly loyaltyId: string
  readonly venueId: string
}

/** Letters and digits, as ids have them: anything else is left to who reads the body. */
const value = /^\s*:\s*"([A-Za-z0-9_.:-]{1,64})"/
/** Bytes that are looked at behind a name. */
const reach = 96

/**
 * Looks for member and venue in a body that has not been read: a guess, by which facts are fetched and a basket may be priced
 * ahead, and which the reader confirms or drops. null: they are not in the usual place.
 */
export function peekBasket(body: Uint8Array): Peek | null {
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength)
  const loyaltyId = valueAfter(bytes, '"loyaltyId"')
  const venueId = loyaltyId === null ? null : valueAfter(bytes, '"venueId"')
  return loyaltyId === null || venueId === null ? null : { loyaltyId, venueId }
}

/** The probable member and venue of a refused body: a guess for the log, by the first members of these names. */
export function originAt(body: Uint8Array): OriginPeek {
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength)
  return {
    loyaltyId: valueAfter(bytes, '"loyaltyId"'),
    venueId: valueAfter(bytes, '"venueId"'),
    cashRegisterId: valueAfter(bytes, '"cashRegisterId"'),
  }
}

/** null: not in the usual place. */
export interface OriginPeek {
  readonly loyaltyId: string | null
  readonly venueId: string | null
  readonly cashRegisterId: string | null
}

function valueAfter(bytes: Buffer, name: string): string | null {
  const at = bytes.indexOf(name, 0, 'latin1')
  if (at < 0) return null
  const from = at + name.length
  return value.exec(bytes.toString('latin1', from, Math.min(bytes.length, from + reach)))?.[1] ?? null
}
