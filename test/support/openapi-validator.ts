import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import { openApiDocument } from '../../gateway/pos/pages/openapi.js'

/** The document of a service with default settings. */
export const publishedDocument = openApiDocument({
  bodyBytesMax: 262_144,
  linesMax: 200,
  deadlineMs: 450,
  posReturns: true,
})

const base = 'https://loyalty.example/schemas'
const inDocument = '"#/components/schemas/'

/** The schemas of the document under `$defs`, as a client bundles them for a validator: a whole OpenAPI document is no JSON Schema. */
export const bundledSchemas: { readonly $id: string; readonly $defs: object } = {
  $id: base,
  $defs: JSON.parse(JSON.stringify(publishedDocument.components['schemas']).replaceAll(inDocument, '"#/$defs/')),
}

// As it is by default, but for `allErrors`: clients validate so too.
const ajv = new Ajv2020({ allErrors: true }).addSchema(bundledSchemas)
const validators = new Map<string, ValidateFunction>()

function validatorOf(schema: object): ValidateFunction {
  const text = JSON.stringify(schema).replaceAll(inDocument, `"${base}#/$defs/`)
  const known = validators.get(text) ?? ajv.compile(JSON.parse(text))
  validators.set(text, known)
  return known
}

/** Faults of an answer by the document of the service: in its status, its body, its required headers. Empty: none. */
export function faultsByDocument(
  path: string,
  { status, headers, text }: { readonly status: number; readonly headers: object; readonly text: string },
): string[] {
  const item = publishedDocument.paths[path]
  if (item === undefined || !('post' in item)) return [`no path ${path}`]
  const response = item.post.responses[status]
  if (response === undefined) return [`status ${status} is not in the document`]
  const { schema } = (response.content as { 'application/json': { schema: object } })['application/json']
  const optional = new Set(['Idempotent-Replayed'])
  const missing = Object.keys(response.headers).filter(
    (name) => !optional.has(name) && !(name.toLowerCase() in headers),
  )
  return [...faultsOf(schema, JSON.parse(text)), ...missing.map((name) => `no header ${name}`)]
}

/** Faults of a value by a schema of the document. */
export function faultsOf(schema: object, value: unknown): string[] {
  const validate = validatorOf(schema)
  return validate(value) ? [] : (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`)
}
