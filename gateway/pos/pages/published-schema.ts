import { currencyPattern, identifierPattern, uuidPattern } from '../../../engine/wire/field-schemas.js'

/** A UUID. `pattern`, because validators do not check `format` by default, and ajv stops at formats that it lacks. */
export const uuidSchema: JsonSchema = { type: 'string', pattern: uuidPattern, maxLength: 36 }

export const uuidInAnyCaseSchema: JsonSchema = {
  type: 'string',
  pattern: '^[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}$',
  maxLength: 36,
}

/** RFC 3339 with an offset, by its form: the service checks the day itself. */
const dateTimePattern =
  '^[0-9]{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12][0-9]|3[01])[Tt](?:[01][0-9]|2[0-3]):[0-5][0-9]:(?:[0-5][0-9]|60)(?:[.][0-9]+)?(?:[Zz]|[+-](?:[01][0-9]|2[0-3]):[0-5][0-9])$'

/**
 * Patterns for every dialect of regular expressions: Python's has no `\p`, and its `$` also matches before a final line feed, which the
 * length rules out where it is fixed. The service checks lone surrogates.
 */
const publishedPatterns: ReadonlyMap<unknown, JsonSchema> = new Map<string, JsonSchema>([
  [uuidPattern, uuidSchema],
  [currencyPattern, { pattern: currencyPattern, maxLength: 3 }],
  [identifierPattern, { pattern: '^[^\\x00-\\x1f\\x7f-\\x9f]*$' }],
])

/**
 * A request schema in keywords that validators with default settings judge like the service: they accept everything that the service
 * accepts. Decimals are only in the description, because validators divide doubles: 1.005 / 0.001 is 1004.9999999999999. The service
 * counts the digits.
 */
export function publishedSchema(schema: JsonSchema): JsonSchema {
  const { multipleOf, exclusiveMinimum, format, pattern, ...rest } = schema
  return {
    ...rest,
    // The least number with this many decimals.
    ...(multipleOf === undefined ? {} : { minimum: multipleOf }),
    ...(multipleOf === undefined && exclusiveMinimum !== undefined ? { exclusiveMinimum } : {}),
    ...(format === 'date-time' ? { pattern: dateTimePattern } : {}),
    ...(pattern === undefined ? {} : (publishedPatterns.get(pattern) ?? { pattern })),
  }
}

/** A JSON Schema (2020-12), as in OpenAPI 3.1. */
export type JsonSchema = Readonly<Record<string, unknown>>
