/**
 * The part of JSON Schema (2020-12) that the request schemas use. `compileSchema` compiles these plain objects and
 * OpenAPI 3.1 publishes them. A schema library would make the start of a pricing thread five times as long.
 */
export interface JsonSchema {
  readonly type?: 'object' | 'array' | 'string' | 'integer' | 'number' | 'boolean' | 'null'
  readonly enum?: readonly string[]
  readonly anyOf?: readonly JsonSchema[]
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly required?: readonly string[]
  readonly items?: JsonSchema
  readonly minItems?: number
  readonly minLength?: number
  readonly maxLength?: number
  readonly pattern?: string
  readonly format?: 'uuid' | 'date-time'
  readonly minimum?: number
  readonly exclusiveMinimum?: number
  readonly maximum?: number
  readonly multipleOf?: number
  readonly description?: string
}

export interface ObjectSchema<Name extends string> extends JsonSchema {
  readonly properties: Readonly<Record<Name, JsonSchema>>
}

export interface OptionalField {
  readonly optional: JsonSchema
}

/** An object whose fields are required unless they are `optional`; any other member is accepted. */
export function objectOf<Name extends string>(
  fields: Readonly<Record<Name, JsonSchema | OptionalField>>,
  description: string,
): ObjectSchema<Name> {
  const entries = Object.entries<JsonSchema | OptionalField>(fields)
  const properties = Object.fromEntries(
    entries.map(([name, field]) => [name, 'optional' in field ? field.optional : field]),
  )
  const required = entries.filter(([, field]) => !('optional' in field)).map(([name]) => name)
  return { type: 'object', description, required, properties: properties as Record<Name, JsonSchema> }
}

/** A field for which absent and null are the same (wire decisions 9). */
export function optional(schema: JsonSchema, description?: string): OptionalField {
  const choice: JsonSchema = { anyOf: [schema, { type: 'null' }] }
  return { optional: description === undefined ? choice : { ...choice, description } }
}
