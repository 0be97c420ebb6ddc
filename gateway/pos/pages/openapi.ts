import type { ErrorCode } from '../../use-cases/replies.js'
import { signatureWindowS } from '../authentication.js'
import { statusOfCode } from '../errors.js'
import {
  basketExamples,
  errorExample,
  examplesOf,
  malformedExample,
  returnExamples,
  saleExamples,
} from './openapi-examples.js'
import { documentSchemas, schemaRef } from './openapi-schemas.js'
import type { JsonSchema } from './published-schema.js'
import { uuidInAnyCaseSchema, uuidSchema } from './published-schema.js'

export interface ContractSettings {
  readonly bodyBytesMax: number
  readonly linesMax: number
  readonly deadlineMs: number
  readonly posReturns: boolean
}

/** One endpoint of the document, as `contractPage` shows it. */
export interface Operation {
  readonly operationId: string
  readonly summary: string
  readonly description: string
  readonly parameters: readonly JsonSchema[]
  readonly requestBody: JsonSchema
  readonly responses: Readonly<Record<string, AnswerOf>>
}

export interface AnswerOf {
  readonly description: string
  readonly headers: Readonly<Record<string, JsonSchema>>
  readonly content: JsonSchema
}

export interface OpenApiDocument {
  readonly openapi: string
  readonly info: Readonly<Record<string, unknown>>
  readonly paths: Readonly<Record<string, { readonly post: Operation } | { readonly get: JsonSchema }>>
  readonly components: Readonly<Record<string, Readonly<Record<string, JsonSchema>>>>
  readonly [more: string]: unknown
}

/** The partner contract as OpenAPI 3.1, from the schemas that requests are checked against and the table of errors. */
export function openApiDocument(settings: ContractSettings): OpenApiDocument {
  return {
    openapi: '3.1.0',
    info: {
      title: 'Loyalty Partner Service',
      license: { name: 'MIT', identifier: 'MIT' },
      version: '0.1.0-draft',
      description: `Loyalty benefits for a member's basket inside the card payment, and the outcome of the sale. Money is a non-negative integer in minor units. Bodies are UTF-8 JSON of at most ${settings.bodyBytesMax} bytes.`,
    },
    servers: [{ url: '/', description: 'The environment this document is read from.' }],
    security: [{ signature: [] }],
    paths: {
      '/v1/pos/basket': { post: calculateBasket(settings) },
      '/v1/pos/sale': { post: recordSale() },
      ...(settings.posReturns ? { '/v1/pos/return': { post: recordReturn() } } : {}),
      '/health/live': { get: health('live', 'The process runs.') },
      '/health/ready': {
        get: health('ready', 'The service can do its work; 503 while it cannot, or while it shuts down.'),
      },
    },
    components: {
      securitySchemes: {
        signature: { type: 'apiKey', in: 'header', name: 'POS-Signature', description: signatureDescription },
      },
      schemas: documentSchemas(settings.posReturns),
    },
  }
}

const signatureDescription = `\`t=<unix seconds>,v1=<hex>\`, where v1 is HMAC-SHA256 with the environment's secret over \`<t>.<raw body>\`. t must lie within ${signatureWindowS} s of the server's time.`

function calculateBasket({ linesMax, deadlineMs }: ContractSettings): Operation {
  return {
    operationId: 'calculateBasket',
    summary: 'Calculates the loyalty basket.',
    description: `Synchronous: an answer that is not ready after ${deadlineMs} ms is a 503. A basket holds at most ${linesMax} lines. Sent also where the terminal found no member, without \`loyaltyId\`.`,
    parameters: parametersOf('calculationId'),
    requestBody: body(schemaRef('Basket'), basketExamples),
    responses: {
      200: success('BasketAnswer', 'One of the three outcomes.', basketExamples),
      ...errors([...sharedCodes, 'too_many_lines', 'venue_not_configured', 'unknown_currency', 'arithmetic_mismatch']),
    },
  }
}

function recordSale(): Operation {
  return {
    operationId: 'recordSale',
    summary: 'Records the outcome of one calculation.',
    description:
      'One event per calculationId, after the sale is finalised or the payment abandoned. Retry on 429, 5xx and network errors (also a redirect, or a page of something in between) for up to 24 hours, with the same key and body; stop on any other 4xx. An event that is stored cannot be changed: another body under its key is 409.',
    parameters: parametersOf('calculationId'),
    requestBody: body(schemaRef('SaleEvent'), saleExamples),
    responses: { 200: success('SaleAnswer', 'The event is stored, durably.', saleExamples), ...errors(sharedCodes) },
  }
}

function recordReturn(): Operation {
  return {
    operationId: 'recordReturn',
    summary: 'Records goods that come back. An addition beyond the draft contract.',
    description:
      "Says what the guest gets back, by the programme version of the sale: the policy of its programme, rounded down, and the last unit gets the rest. Gives back what the sale spent, takes back what it earned. The sale is one of the context's venue, recorded before. 400 names the line of which less is left. With `dryRun` nothing is stored, and the same returnId may follow without it. Retry on 429, 5xx and network errors with the same key and body; stop on any other 4xx.",
    parameters: parametersOf('returnId'),
    requestBody: body(schemaRef('ReturnEvent'), returnExamples),
    responses: {
      200: success('ReturnAnswer', 'The return is stored, durably, unless `result` says otherwise.', returnExamples),
      ...errors(sharedCodes),
    },
  }
}

const parametersOf = (id: string): readonly JsonSchema[] => [
  {
    name: 'Idempotency-Key',
    in: 'header',
    required: true,
    description: `Equals ${id}. The same key with the same JSON value is answered from store for 24 hours.`,
    schema: uuidSchema,
  },
  {
    name: 'X-Request-Id',
    in: 'header',
    required: false,
    description: 'Fresh per attempt. A UUID is echoed; anything else is replaced by a new one, not refused.',
    schema: uuidInAnyCaseSchema,
  },
]

const requestId: JsonSchema = {
  description: "Echo of the request's value where that is a UUID, else one made here.",
  schema: uuidInAnyCaseSchema,
}
const retryAfter: JsonSchema = { description: 'Seconds.', schema: { type: 'integer', minimum: 1 } }

function success(name: string, description: string, examples: Examples): AnswerOf {
  return {
    description,
    headers: {
      'X-Request-Id': requestId,
      'Server-Timing': { description: '`app;dur=<milliseconds>`', schema: { type: 'string' } },
      'Idempotent-Replayed': { description: '`true` on a stored answer, else absent.', schema: { const: 'true' } },
    },
    content: jsonContent(schemaRef(name), examplesOf(examples, 'answer')),
  }
}

const sharedCodes: readonly ErrorCode[] = [
  'invalid_request',
  'invalid_signature',
  'stale_timestamp',
  'idempotency_conflict',
  'rate_limited',
  'internal_error',
  'unavailable',
]

/** The meaning of each code in one line (contract 7; wire decisions 3). */
const meaningOfCode: Readonly<Record<ErrorCode, string>> = {
  invalid_request: 'malformed JSON, a field that does not fit the schema, or a malformed header',
  invalid_signature: 'the signature is missing, malformed or does not verify',
  stale_timestamp: `the signature's time is more than ${signatureWindowS} s from the server's`,
  idempotency_conflict: 'the key was used with a different body',
  venue_not_configured: 'the venue is unknown or of the other environment, or the baxId is not of this venue',
  too_many_lines: 'the basket holds more lines than are taken',
  unknown_currency: "no active ISO 4217 code, or not the venue's currency",
  arithmetic_mismatch: 'the sums of the basket do not agree',
  rate_limited: 'too many requests',
  internal_error: 'unexpected error',
  unavailable: 'maintenance, overload, or no answer in time',
}

/** The answers of some codes, by status, and HTTP's own under `invalid_request`. */
function errors(codes: readonly ErrorCode[]): Record<string, AnswerOf> {
  const byStatus = new Map<number, string[]>(
    httpFaults.map(([status, text]) => [status, [`\`invalid_request\`: ${text}`]]),
  )
  for (const code of codes) {
    const status = statusOfCode[code]
    byStatus.set(status, [...(byStatus.get(status) ?? []), `\`${code}\`: ${meaningOfCode[code]}`])
  }
  return Object.fromEntries([...byStatus].map(([status, lines]) => [status, errorAnswer(status, lines)]))
}

const httpFaults: readonly (readonly [number, string])[] = [
  [408, 'the request took too long to arrive'],
  [413, 'the body is too large'],
  [415, 'not application/json, or encoded'],
  [417, 'an expectation other than `100-continue`'],
  [431, 'the head of the request is too large'],
]

const errorExamples: Readonly<Record<number, JsonSchema>> = {
  400: { invalid_request: { value: malformedExample } },
  422: { arithmetic_mismatch: { value: errorExample } },
}

function errorAnswer(status: number, lines: readonly string[]): AnswerOf {
  return {
    description: `${lines.join('; ')}.`,
    headers: { 'X-Request-Id': requestId, ...(status === 429 || status === 503 ? { 'Retry-After': retryAfter } : {}) },
    content: jsonContent(schemaRef('Error'), errorExamples[status]),
  }
}

function health(operationId: string, description: string): JsonSchema {
  const answer = { description, content: jsonContent({ type: 'object' }) }
  const wrongMethod = { description: 'Another method than GET or HEAD.', content: jsonContent(schemaRef('Error')) }
  return { operationId, summary: description, security: [], responses: { 200: answer, 405: wrongMethod, 503: answer } }
}

function body(schema: JsonSchema, examples: Examples): JsonSchema {
  return { required: true, content: jsonContent(schema, examplesOf(examples, 'request')) }
}

function jsonContent(schema: JsonSchema, examples?: JsonSchema): JsonSchema {
  return { 'application/json': { schema, ...(examples === undefined ? {} : { examples }) } }
}

type Examples = Parameters<typeof examplesOf>[0]
