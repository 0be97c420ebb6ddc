import { programmeSchema } from '../../../engine/programme/programme-schema.js'
import type { Readiness } from '../../background/upkeep.js'
import { livePage, readinessPage } from '../../listeners/health.js'
import { unavailable } from '../errors.js'
import type { Exchange } from '../response.js'
import type { Page } from '../routes.js'
import { docsPage } from './docs-page.js'
import { type ContractSettings, openApiDocument } from './openapi.js'

interface PageOptions extends ContractSettings {
  readonly readiness: () => Readiness
  readonly draining: () => boolean
}

/**
 * The pages that need no signature (wire decisions 7): health, the contract as OpenAPI 3.1, a page that shows it, and the
 * JSON Schema of a programme.
 */
export function createPages(options: PageOptions): { show(exchange: Exchange, page: Page): void } {
  const document = openApiDocument(options)
  const openapi = JSON.stringify(document)
  const { html, contentSecurityPolicy } = docsPage(document)
  const schema = programmeSchema()
  const docsHeaders = { 'Content-Security-Policy': contentSecurityPolicy, 'Referrer-Policy': 'no-referrer' }
  return {
    show(exchange, page) {
      if (page === 'live') exchange.send(found('application/json', livePage))
      else if (page === 'ready') showReadiness(exchange, options.draining() ? draining : options.readiness())
      else if (page === 'openapi') exchange.send(found('application/json', openapi))
      else if (page === 'programme-schema') exchange.send(found('application/schema+json', schema))
      else exchange.send({ ...found('text/html; charset=utf-8', html), headers: docsHeaders })
    },
  }
}

const draining: Readiness = { ready: false, parts: { gateway: 'draining' } }

function showReadiness(exchange: Exchange, readiness: Readiness): void {
  const details = readinessPage(readiness)
  if (readiness.ready) exchange.send(found('application/json', JSON.stringify(details)))
  else exchange.refuse({ ...unavailable('not ready'), message: 'The service is not ready.', details: { ...details } })
}

function found(contentType: string, body: string) {
  return { status: 200, contentType, body, outcome: 'served', code: '' }
}
