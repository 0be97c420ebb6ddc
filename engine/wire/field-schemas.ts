import { channels } from './channels.js'
import { type JsonSchema, objectOf, optional } from './json-schema.js'

/** Building blocks of the request schemas (wire decisions 1), by keywords that both `compileSchema` and OpenAPI 3.1 support. */

export const uuidPattern = '^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$'
export const currencyPattern = '^[A-Z]{3}$'
export const identifierPattern = '^[^\\p{Cc}\\p{Cs}]*$'

const integerMax = Number.MAX_SAFE_INTEGER

export function identifier(description: string): JsonSchema {
  return { type: 'string', minLength: 1, maxLength: 64, pattern: identifierPattern, description }
}

export function receiptText(description: string): JsonSchema {
  return { type: 'string', maxLength: 128, description }
}

/** Minor units of the basket's currency (contract 2.4); `4500.0` and `45e2` are valid too (wire decisions 9). */
export function money(description: string): JsonSchema {
  return { type: 'integer', minimum: 0, maximum: integerMax, description }
}

export function count(description: string): JsonSchema {
  return { type: 'integer', minimum: 0, maximum: integerMax, description }
}

export function uuid(description: string): JsonSchema {
  return { type: 'string', format: 'uuid', pattern: uuidPattern, description }
}

export function dateTime(description: string): JsonSchema {
  return { type: 'string', format: 'date-time', description }
}

export function currencyCode(): JsonSchema {
  return { type: 'string', pattern: currencyPattern, description: 'ISO 4217 code.' }
}

/** Any 1 to 64 characters. A loyaltyId with control characters or lone surrogates matches no member. */
export function loyaltyId(): JsonSchema {
  return {
    type: 'string',
    minLength: 1,
    maxLength: 64,
    description: 'Opaque member identifier from the terminal lookup. Contains no personal data.',
  }
}

export const contextSchema = objectOf(
  {
    venueId: identifier('POS venue id.'),
    baxId: identifier('Number of the terminal setup; one per terminal, mapped many-to-one to venues.'),
    cashRegisterId: identifier('POS terminal setup or cash register id.'),
    terminalId: optional(identifier('Payment terminal identifier (TID), when the POS has it.')),
    clerkNumber: optional(count('Clerk number of the staff member.')),
    channel: {
      type: 'string',
      enum: channels,
      description: '`mpos`: Android mobile POS; `pos`: every other one, unless the operator allows a name for it.',
    },
  },
  'Where the basket is sold (contract 2.2).',
)
