import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { programmeSchema } from '../../../engine/programme/programme-schema.js'
import type { Readiness } from '../../background/upkeep.js'
import { createEntryPage, type StagingVenue } from '../../listeners/entry-page.js'
import { livePage, readinessPage } from '../../listeners/health.js'
import { openSite, type Site } from '../../listeners/site.js'
import { httpFault, unavailable } from '../errors.js'
import type { Answer, Exchange } from '../response.js'
import type { Page } from '../routes.js'
import { contractPage } from './contract-page.js'
import { type ContractSettings, openApiDocument } from './openapi.js'
import { openApi30 } from './openapi-3-0.js'

interface PageOptions extends ContractSettings {
  readonly readiness: () => Readiness
  readonly draining: () => boolean
  readonly environment: 'staging' | 'production'
  /** Venues of a staging environment, which `GET /` shows; null: none are shown. */
  readonly stagingVenues: (() => Promise<readonly StagingVenue[]>) | null
}

/**
 * The pages that need no signature (wire decisions 7): health, the contract as OpenAPI 3.1, signature vectors, cases, the JSON Schema of a
 * programme, the documentation for who integrates a POS, and `GET /`, which says so.
 */
export function createPages(options: PageOptions): {
  show(exchange: Exchange, page: Page, path: string): Promise<void>
} {
  const { readiness, draining, environment, stagingVenues: venues } = options
  const { openapi, openapi30, site } = contractDocuments(options, 'public')
  const schema = programmeSchema()
  const vectors = signatureVectors()
  const cases = clientCases()
  const entry = createEntryPage({ site, environment, links: sharedLinks, venues })
  return {
    async show(exchange, page, path) {
      const { request } = exchange
      if (page === 'live') exchange.send(found('application/json', livePage))
      else if (page === 'ready') showReadiness(exchange, draining() ? drained : readiness())
      else if (page === 'openapi') exchange.send(found('application/json', openapi))
      else if (page === 'openapi-3.0') exchange.send(found('application/json', openapi30))
      else if (page === 'programme-schema') exchange.send(found('application/schema+json', schema))
      else if (page === 'signature-vectors') exchange.send(found('application/json', vectors))
      else if (page === 'client-cases') exchange.send(found('application/json', cases))
      else if (page === 'entry') exchange.send(served({ status: 200, ...(await entry(request.headers.accept)) }))
      else {
        const answer = site.find(path, request.headers)
        if (answer === null) exchange.refuse(httpFault(404, 'There is nothing at this path.'))
        else exchange.send(served(answer))
      }
    },
  }
}

/** The contract of these settings: as OpenAPI 3.1 and 3.0, and as a page of the site of an edition. */
export function contractDocuments(
  settings: ContractSettings,
  edition: 'public' | 'internal',
): { readonly openapi: string; readonly openapi30: string; readonly site: Site } {
  const document = openApiDocument(settings)
  return {
    openapi: JSON.stringify(document),
    openapi30: JSON.stringify(openApi30(document)),
    site: openSite(edition, [contractPage(document)]),
  }
}

/** Ten signed bodies with odd bytes, for clients to test with (contract 5). */
export function signatureVectors(): string {
  return readFileSync(join(import.meta.dirname, 'signature-vectors.json'), 'utf8')
}

/** What a client does with every answer: scripted services, and the call that is expected of the POS. */
function clientCases(): string {
  return readFileSync(join(import.meta.dirname, 'client-cases.json'), 'utf8')
}

/** Documents in JSON that the internal address has too, text by path; its console makes forms of the schema. */
export function sharedDocuments(contract: { readonly openapi: string; readonly openapi30: string }) {
  return {
    '/openapi.json': contract.openapi,
    '/openapi-3.0.json': contract.openapi30,
    '/signature-vectors.json': signatureVectors(),
    '/client-cases.json': clientCases(),
    '/programme.schema.json': programmeSchema(),
  }
}

/** What both addresses have, for `GET /`. */
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

const drained: Readiness = { ready: false, parts: { gateway: 'draining' } }

function showReadiness(exchange: Exchange, readiness: Readiness): void {
  const details = readinessPage(readiness)
  if (readiness.ready) exchange.send(found('application/json', JSON.stringify(details)))
  else exchange.refuse({ ...unavailable('not ready'), message: 'The service is not ready.', details: { ...details } })
}

function found(contentType: string, body: string): Answer {
  return served({ status: 200, contentType, body })
}

function served(answer: Pick<Answer, 'status' | 'contentType' | 'body' | 'headers'>): Answer {
  return { ...answer, outcome: 'served', code: '' }
}
