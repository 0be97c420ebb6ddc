import type { OpenApiDocument } from './openapi.js'
import type { JsonSchema } from './published-schema.js'

/**
 * The same document as OpenAPI 3.0.3, for generators that read no 3.1. Terms that 3.0 lacks become looser ones: a choice of objects is
 * one object with the fields of all, of which those are required that all require. Integers above 32 bits have the format `int64`.
 */
export function openApi30(document: OpenApiDocument): JsonSchema {
  const { info, components, ...rest } = document
  const { license: _, ...about } = info
  const schemas = components['schemas']!
  const choices = new Set(
    Object.values(schemas).flatMap(({ oneOf }) => (Array.isArray(oneOf) ? oneOf.map(nameOf) : [])),
  )
  const standing = Object.fromEntries(Object.entries(schemas).filter(([name]) => !choices.has(name)))
  const inside = loweredIn({ ...rest, components: { ...components, schemas: standing } }, schemas) as JsonSchema
  return {
    ...inside,
    openapi: '3.0.3',
    info: { ...about, license: { name: 'MIT', url: 'https://spdx.org/licenses/MIT.html' } },
  }
}

type Schemas = Readonly<Record<string, JsonSchema>>

function loweredIn(value: unknown, schemas: Schemas): unknown {
  if (Array.isArray(value)) return value.map((item) => loweredIn(item, schemas))
  if (typeof value !== 'object' || value === null) return value
  const members = Object.entries(value).map(([name, item]) => [
    name,
    // Examples are values, not schemas.
    name === 'examples' ? item : loweredIn(item, schemas),
  ])
  return lowered(Object.fromEntries(members), schemas)
}

function lowered(schema: JsonSchema, schemas: Schemas): JsonSchema {
  const { $ref, anyOf, oneOf, const: value, ...rest } = schema
  // In 3.0 a reference has no other keywords.
  if (typeof $ref === 'string') return { $ref }
  if (Array.isArray(anyOf)) return { ...anyOf.find(({ type }) => type !== 'null'), ...rest, nullable: true }
  if (Array.isArray(oneOf))
    return {
      ...rest,
      ...merged(
        oneOf.map((each) => schemas[nameOf(each)]!),
        schemas,
      ),
    }
  if (value !== undefined) return { ...rest, type: typeof value, enum: [value] }
  if (Array.isArray(rest['enum']) && rest['type'] === undefined) return { ...rest, type: 'string' }
  if (rest['type'] === 'integer' && Number(rest['maximum']) > int32Max) return { ...rest, format: 'int64' }
  return rest
}

const int32Max = 2 ** 31 - 1

function nameOf(reference: JsonSchema): string {
  return String(reference['$ref']).split('/').at(-1)!
}

/** One object for a choice of objects; a field with different words in several takes the words of all. */
function merged(choices: readonly JsonSchema[], schemas: Schemas): JsonSchema {
  const parts = choices.map((choice) => loweredIn(choice, schemas) as ObjectPart)
  const properties: Record<string, JsonSchema> = {}
  for (const part of parts) {
    for (const [name, field] of Object.entries(part.properties)) {
      const words = [...wordsOf(properties[name]), ...wordsOf(field)]
      properties[name] = { ...field, ...(words.length === 0 ? {} : { enum: words }) }
    }
  }
  const required = parts[0]!.required.filter((name) => parts.every((part) => part.required.includes(name)))
  return { type: 'object', required, properties }
}

interface ObjectPart {
  readonly required: readonly string[]
  readonly properties: Schemas
}

function wordsOf(field: JsonSchema | undefined): readonly unknown[] {
  return (field?.['enum'] as readonly unknown[] | undefined) ?? []
}
