/** The part of JSON Schema that the request schemas use. A library would make the start of a pricing thread five times as long. */
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

export function optional(schema: JsonSchema, description?: string): OptionalField {
  const choice: JsonSchema = { anyOf: [schema, { type: 'null' }] }
  return { optional: description === undefined ? choice : { ...choice, description } }
}
