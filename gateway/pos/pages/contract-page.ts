import type { AnswerOf, OpenApiDocument, Operation } from './openapi.js'
import type { JsonSchema } from './published-schema.js'

/** An OpenAPI document as a page of the site, in markdown. */
export function contractPage({ info, paths, components }: OpenApiDocument): string {
  return [
    '# The contract',
    `Version ${info['version']}. ${info['description']}`,
    'The limits on this page are the defaults; [/openapi.json](/openapi.json) is the contract with the limits in force.',
    '## Signature',
    `Every request carries the header \`POS-Signature\`: ${components['securitySchemes']?.['signature']?.['description']} Ten signed bodies to test with: [signature vectors](/signature-vectors.json).`,
    ...Object.entries(paths).flatMap(([path, item]) => ('post' in item ? showOperation(path, item.post) : [])),
    '## Schemas',
    ...Object.entries(components['schemas'] ?? {}).flatMap(([name, schema]) => showSchema(name, schema)),
  ].join('\n\n')
}

function showOperation(path: string, operation: Operation): string[] {
  const { summary, description, parameters, requestBody, responses } = operation
  return [
    `## POST ${path}`,
    `${summary} ${description}`,
    `The body is ${typeOf(bodySchema(requestBody['content']))}.`,
    table(
      ['Header', 'Required', 'Rules'],
      [
        ['`POS-Signature`', 'yes', 'See Signature above.'],
        ['`Content-Type`', 'yes', '`application/json`'],
        ...parameters.map(({ name, required, description }) => [code(name), required ? 'yes' : 'no', `${description}`]),
      ],
    ),
    ...showExamples(requestBody['content'], responses['200']?.content),
    table(
      ['Status', 'When', 'Body', 'Headers'],
      Object.entries(responses).map(([status, answer]) => [status, ...showAnswer(answer)]),
    ),
  ]
}

function showAnswer({ description, content, headers }: AnswerOf): string[] {
  return [description, typeOf(bodySchema(content)), Object.keys(headers).map(code).join(' ')]
}

/** Each example's request and its answer, folded away. */
function showExamples(requests: unknown, answers: unknown): string[] {
  const answered = examplesIn(answers)
  const shown = (value: unknown) => `\`\`\`json\n${JSON.stringify(value, null, 2)}\n\`\`\``
  return Object.entries(examplesIn(requests)).flatMap(([name, { summary, value }]) => [
    `::: details ${name}: ${summary}`,
    shown(value),
    'is answered',
    shown(answered[name]?.value),
    ':::',
  ])
}

function examplesIn(content: unknown): Readonly<Record<string, { readonly summary: string; readonly value: unknown }>> {
  return (content as Record<string, { examples?: ReturnType<typeof examplesIn> }>)['application/json']?.examples ?? {}
}

function bodySchema(content: unknown): JsonSchema {
  return (content as Record<string, { schema: JsonSchema }>)['application/json']!.schema
}

function showSchema(name: string, schema: JsonSchema): string[] {
  const { description, properties } = schema
  const fields =
    typeof properties === 'object' && properties !== null
      ? table(['Field', 'Type', 'Required', 'Rules'], rowsOf(schema, ''))
      : typeOf(schema)
  return [`### ${name}`, ...(description === undefined ? [] : [`${description}`]), fields]
}

/** One row a field; fields of an object without a name follow it. */
function rowsOf(schema: JsonSchema, prefix: string): string[][] {
  const required = (schema['required'] ?? []) as readonly string[]
  return Object.entries((schema['properties'] ?? {}) as Record<string, JsonSchema>).flatMap(([name, field]) => {
    const row = [code(prefix + name), typeOf(field), required.includes(name) ? 'yes' : 'no', rulesOf(field)]
    return [row, ...rowsOf(field, `${prefix}${name}.`)]
  })
}

/** The type of a field in a few words, a link where it has a name. */
function typeOf(schema: JsonSchema): string {
  const { $ref, type, anyOf, oneOf, items } = schema
  if (typeof $ref === 'string') {
    const name = $ref.slice($ref.lastIndexOf('/') + 1)
    return `[${name}](#${name.toLowerCase()})`
  }
  if (Array.isArray(anyOf)) return anyOf.map(typeOf).join(' or ')
  if (Array.isArray(oneOf)) return oneOf.map(typeOf).join(' or ')
  if (type === 'array') return `array of ${typeOf(items as JsonSchema)}`
  if (Array.isArray(schema['enum'])) return schema['enum'].map(code).join(', ')
  if ('const' in schema) return code(schema['const'])
  return `${type ?? 'any'}`
}

const ruleKeywords = ['minLength', 'maxLength', 'minimum', 'exclusiveMinimum', 'maximum', 'minItems', 'pattern']

function rulesOf(schema: JsonSchema): string {
  const inner = Array.isArray(schema['anyOf']) ? (schema['anyOf'][0] as JsonSchema) : {}
  const rules = ruleKeywords
    .map((keyword) => [keyword, schema[keyword] ?? inner[keyword]] as const)
    .filter(([, value]) => value !== undefined)
    .map(([keyword, value]) => `${keyword} ${code(value)}`)
  const described = schema['description'] ?? inner['description']
  return [...(described === undefined ? [] : [`${described}`]), rules.join(', ')].join(' ')
}

function table(heads: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`
  return [line(heads), line(heads.map(() => '---')), ...rows.map(line)].join('\n')
}

function code(text: unknown): string {
  return `\`${text}\``
}
