import type { SitePage } from '../../listeners/site.js'
import type { AnswerOf, OpenApiDocument, Operation } from './openapi.js'
import type { JsonSchema } from './published-schema.js'

const contractPath = '/docs/contract'

/** Shows an OpenAPI document as a page of the site. */
export function contractPage(document: OpenApiDocument): SitePage {
  const { info, paths, components } = document
  const operations = Object.entries(paths).flatMap(([path, item]) =>
    'post' in item ? [[path, item.post] as const] : [],
  )
  const schemas = Object.entries(components['schemas'] ?? {})
  const signature = components['securitySchemes']?.['signature']
  const html = [
    `<h1>The contract <small>${escaped(info['version'])}</small></h1>`,
    `<p>${prose(info['description'])}</p>`,
    '<p>The same as <a href="/openapi.json">OpenAPI 3.1</a>.</p>',
    `<h2 id="signature">Signature</h2><p>Every request carries the header <code>POS-Signature</code>: ${prose(signature?.['description'])} Ten signed bodies to test with: <a href="/signature-vectors.json">signature vectors</a>.</p>`,
    ...operations.map(([path, operation]) => showOperation(path, operation)),
    '<h2 id="schemas">Schemas</h2>',
    ...schemas.map(([name, schema]) => showSchema(name, schema)),
  ].join('\n')
  const headings = [
    { anchor: 'signature', depth: 2, text: 'Signature' },
    ...operations.map(([path]) => ({ anchor: anchorOf(path), depth: 2, text: `POST ${escaped(path)}` })),
    { anchor: 'schemas', depth: 2, text: 'Schemas' },
    ...schemas.map(([name]) => ({ anchor: name, depth: 3, text: escaped(name) })),
  ]
  return { path: contractPath, title: 'The contract', html, headings }
}

function anchorOf(path: string): string {
  return path.slice(1).replaceAll('/', '-')
}

function showOperation(path: string, operation: Operation): string {
  const { summary, description, parameters, requestBody, responses } = operation
  return [
    `<h2 id="${anchorOf(path)}">POST <code>${escaped(path)}</code></h2>`,
    `<p>${prose(summary)} ${prose(description)}</p>`,
    '<h3>Headers</h3>',
    table(
      ['Header', 'Required', 'Rules'],
      [
        [code('POS-Signature'), 'yes', 'See Signature above.'],
        [code('Content-Type'), 'yes', code('application/json')],
        ...parameters.map(({ name, required, description }) => [
          code(name),
          required ? 'yes' : 'no',
          prose(description),
        ]),
      ],
    ),
    `<h3>Body</h3><p>${typeOf(bodySchema(requestBody['content']))}</p>`,
    ...showExamples(requestBody['content'], responses['200']?.content),
    '<h3>Answers</h3>',
    table(
      ['Status', 'When', 'Body', 'Headers'],
      Object.entries(responses).map(([status, answer]) => [status, ...showAnswer(answer)]),
    ),
  ].join('\n')
}

function showAnswer({ description, content, headers }: AnswerOf): string[] {
  return [
    prose(description).replaceAll('; ', ';<br>'),
    typeOf(bodySchema(content)),
    Object.keys(headers).map(code).join(' '),
  ]
}

/** Each example's request and its answer, folded away. */
function showExamples(requests: unknown, answers: unknown): string[] {
  const answered = examplesIn(answers)
  const shown = (value: unknown) => `<pre tabindex="0">${escaped(JSON.stringify(value, null, 2))}</pre>`
  return Object.entries(examplesIn(requests)).map(
    ([name, { summary, value }]) =>
      `<details><summary>${code(name)} ${prose(summary)}</summary>${shown(value)}<p>is answered</p>${shown(answered[name]?.value)}</details>`,
  )
}

function examplesIn(content: unknown): Readonly<Record<string, { readonly summary: string; readonly value: unknown }>> {
  return (content as Record<string, { examples?: ReturnType<typeof examplesIn> }>)['application/json']?.examples ?? {}
}

function bodySchema(content: unknown): JsonSchema {
  return (content as Record<string, { schema: JsonSchema }>)['application/json']!.schema
}

function showSchema(name: string, schema: JsonSchema): string {
  const { description, properties } = schema
  const heading = `<h3 id="${escaped(name)}">${escaped(name)}</h3><p>${prose(description)}</p>`
  if (typeof properties !== 'object' || properties === null) return `${heading}<p>${typeOf(schema)}</p>`
  return heading + table(['Field', 'Type', 'Required', 'Rules'], rowsOf(schema, ''))
}

/** One row a field; fields of an object that has no name of its own stand below it. */
function rowsOf(schema: JsonSchema, prefix: string): string[][] {
  const required = (schema['required'] ?? []) as readonly string[]
  return Object.entries((schema['properties'] ?? {}) as Record<string, JsonSchema>).flatMap(([name, field]) => {
    const row = [code(prefix + name), typeOf(field), required.includes(name) ? 'yes' : 'no', rulesOf(field)]
    return [row, ...rowsOf(field, `${prefix}${name}.`)]
  })
}

/** The type of a field, in a few words, a link where it has a name. */
function typeOf(schema: JsonSchema): string {
  const { $ref, type, anyOf, oneOf, items } = schema
  if (typeof $ref === 'string') {
    const name = escaped($ref.slice($ref.lastIndexOf('/') + 1))
    return `<a href="#${name}">${name}</a>`
  }
  if (Array.isArray(anyOf)) return anyOf.map(typeOf).join(' or ')
  if (Array.isArray(oneOf)) return oneOf.map(typeOf).join(' or ')
  if (type === 'array') return `array of ${typeOf(items as JsonSchema)}`
  if (Array.isArray(schema['enum'])) return schema['enum'].map(code).join(', ')
  if ('const' in schema) return code(schema['const'])
  return escaped(type ?? 'any')
}

const ruleKeywords = ['minLength', 'maxLength', 'minimum', 'exclusiveMinimum', 'maximum', 'minItems', 'pattern']

function rulesOf(schema: JsonSchema): string {
  const inner = Array.isArray(schema['anyOf']) ? (schema['anyOf'][0] as JsonSchema) : {}
  const rules = ruleKeywords
    .map((keyword) => [keyword, schema[keyword] ?? inner[keyword]] as const)
    .filter(([, value]) => value !== undefined)
    .map(([keyword, value]) => `${keyword} ${code(value)}`)
  return [prose(schema['description'] ?? inner['description']), rules.join(', ')]
    .filter((text) => text !== '')
    .join('<br>')
}

function table(heads: readonly string[], rows: readonly (readonly string[])[]): string {
  const head = heads.map((text) => `<th>${text}</th>`).join('')
  const body = rows.map((row) => `<tr>${row.map((cell) => `<td>${cell}</td>`).join('')}</tr>`).join('\n')
  return `<div class="wide" tabindex="0" role="region" aria-label="Table"><table><thead><tr>${head}</tr></thead><tbody>${body}</tbody></table></div>`
}

function prose(text: unknown): string {
  return text === undefined ? '' : escaped(text).replaceAll(/`([^`]*)`/g, '<code>$1</code>')
}

function code(text: unknown): string {
  return `<code>${escaped(text)}</code>`
}

function escaped(text: unknown): string {
  return String(text).replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')
}
