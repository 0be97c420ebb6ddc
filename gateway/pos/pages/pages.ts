import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { programmeSchema } from '../../../engine/programme/read-defined.js'
import type { Readiness } from '../../background/upkeep.js'
import { createEntryPage, type StagingVenue } from '../../listeners/entry-page.js'
import { livePage, readinessPage } from '../../listeners/health.js'
import { openDocs } from '../../listeners/static-files.js'
import { httpFault, unavailable } from '../errors.js'
import type { Answer, Exchange } from '../response.js'
import type { Page } from '../routes.js'
import { type ContractSettings, openApiDocument } from './openapi.js'
import { openApi30 } from './openapi-3-0.js'

interface PageOptions extends ContractSettings {
  readonly readiness: () => Readiness
  readonly draining: () => boolean
  readonly environment: 'staging' | 'production'
  readonly stagingVenues: (() => Promise<readonly StagingVenue[]>) | null
  /** null: there is no partner page. */
  readonly partner: object | null
}

/**
 * The pages that need no signature (wire decisions 7): health, the contract as OpenAPI 3.1, signature vectors, cases, the JSON Schema of
 * a programme, the documentation for engineers who integrate a POS, and `GET /`, which lists them.
 */
export function createPages(options: PageOptions): {
  show(exchange: Exchange, page: Page, path: string): Promise<void>
} {
  const { readiness, draining, environment, stagingVenues: venues } = options
  const docs = openDocs('public')
  const documents = sharedDocuments(options)
  const links = options.partner === null ? sharedLinks : { ...sharedLinks, partner: partnerLink }
  const entry = createEntryPage({ environment, links, venues })
  return {
    async show(exchange, page, path) {
      const { request } = exchange
      const document = documents[path]
      if (document !== undefined) exchange.send(found(documentTypes[page] ?? 'application/json', document))
      else if (page === 'live') exchange.send(found('application/json', livePage))
      else if (page === 'ready') showReadiness(exchange, draining() ? drained : readiness())
      else if (page === 'entry') exchange.send(served({ status: 200, ...(await entry(request.headers.accept)) }))
      else {
        const answer = docs.find(path, request.headers)
        if (answer === null) exchange.refuse(httpFault(404, 'There is nothing at this path.'))
        else exchange.send(served(answer))
      }
    },
  }
}

/**
 * JSON documents of both addresses, by path; the console makes forms of the schema. As bytes, which all answers share: each answer
 * waiting to be read would hold a copy of a text.
 */
export function sharedDocuments(settings: ContractSettings): Readonly<Record<string, Uint8Array>> {
  const contract = openApiDocument(settings)
  return {
    '/openapi.json': Buffer.from(JSON.stringify(contract)),
    '/openapi-3.0.json': Buffer.from(JSON.stringify(openApi30(contract))),
    '/signature-vectors.json': readFileSync(join(import.meta.dirname, 'signature-vectors.json')),
    '/client-cases.json': readFileSync(join(import.meta.dirname, 'client-cases.json')),
    '/programme.schema.json': Buffer.from(programmeSchema),
  }
}

const documentTypes: Readonly<Partial<Record<Page, string>>> = { 'programme-schema': 'application/schema+json' }

/** Links of both addresses, for `GET /`. */
export const sharedLinks = {
  docs: { path: '/docs', about: 'Documentation' },
  integration: { path: '/docs/integration', about: 'Integrate a POS' },
  integrationMarkdown: { path: '/docs/integration.md', about: 'The same as markdown' },
  openapi: { path: '/openapi.json', about: 'The contract as OpenAPI 3.1' },
  openapi30: { path: '/openapi-3.0.json', about: 'The same as OpenAPI 3.0, for generators that read no 3.1' },
  signatureVectors: { path: '/signature-vectors.json', about: 'Ten signed bodies to test a client with' },
  clientCases: { path: '/client-cases.json', about: 'What a client does with every answer' },
  live: { path: '/health/live', about: 'Whether the process runs' },
  ready: { path: '/health/ready', about: 'Whether it can do its work' },
  programmeSchema: { path: '/programme.schema.json', about: 'JSON Schema of a programme' },
}

const partnerLink = { path: '/partner', about: 'Your requests of the last day, and what is wrong with them' }

const drained: Readiness = { ready: false, parts: { gateway: 'draining' } }

function showReadiness(exchange: Exchange, readiness: Readiness): void {
  const details = readinessPage(readiness)
  if (readiness.ready) exchange.send(found('application/json', JSON.stringify(details)))
  else exchange.refuse({ ...unavailable('not ready'), message: 'The service is not ready.', details: { ...details } })
}

function found(contentType: string, body: Answer['body']): Answer {
  return served({ status: 200, contentType, body })
}

function served(answer: Pick<Answer, 'status' | 'contentType' | 'body' | 'headers'>): Answer {
  return { ...answer, outcome: 'served', code: '' }
}
