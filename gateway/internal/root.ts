import type { Readiness } from '../background/upkeep.js'
import type { Certificate } from '../config/certificate.js'
import type { Config, Serve, Token } from '../config/config.js'
import { startWarnings } from '../config/start-warnings.js'
import { createEntryPage, type EntryLink, type StagingVenue } from '../listeners/entry-page.js'
import { openDocs } from '../listeners/static-files.js'
import type { Metrics } from '../telemetry/metrics.js'
import type { Tracing } from '../telemetry/tracing.js'
import { isSampleInForce } from '../use-cases/publish-at-start.js'
import { createBytesMax } from './call-limits.js'
import { type Console, createConsole } from './console/console.js'
import type { Documents } from './documents.js'
import { createInternalListener, type InternalListener } from './listener.js'
import { internalRoutes, type RpcParts } from './routes.js'
import { requestRoutes } from './services/request-service.js'

/** The parts of the services but for their settings. */
type ServiceParts = Omit<RpcParts, keyof Config | 'isEmbedded' | 'settings' | 'certificate' | 'settingWarnings'>

export interface InternalRoot extends ServiceParts {
  readonly config: Config
  readonly serve: Serve
  readonly certificate: Certificate | null
  readonly tokens: readonly Token[]
  readonly readiness: () => Readiness
  readonly stagingVenues: (() => Promise<readonly StagingVenue[]>) | null
  /** Also served by the REST listener. */
  readonly shared: { readonly documents: Documents['json']; readonly links: Readonly<Record<string, EntryLink>> }
  /** Its text is that of all processes of this start. */
  readonly metrics: Metrics
  readonly tracing: Tracing | null
}

interface Internal {
  readonly internal: InternalListener
  /** null: this process serves no console. */
  readonly console: Console | null
}

/** The root of internal calls and the console. A process that serves POSs alone has only its own requests to watch. */
export function createInternalRoot(root: InternalRoot): Internal {
  const { config, serve, certificate, tokens, adminLedger, requests, readiness, log, metrics, tracing } = root
  const { environment, corsOrigins, oidc, bodyBytesMax } = config
  const console =
    serve === 'pos' ? null : createConsole({ store: adminLedger.consoleSessions, oidc, tokens, environment, log })
  const internal = createInternalListener({
    exclusive: config.internalApart,
    ...{ address: config.grpc, certificate, tokens, corsOrigins, log, tracing, console, readiness, metrics },
    bytesMaxOf: createBytesMax(bodyBytesMax),
    routes: serve === 'pos' ? requestRoutes({ requests }) : routesOf(root),
    documents: documentsOf(root, console !== null),
  })
  return { internal, console }
}

function routesOf(root: InternalRoot) {
  const { bodyBytesMax, linesMax, environment, webhooks, publishReview, publishWorst, databaseUrl, shown } = root.config
  const { adminLedger, cache, engine, facts, journal, keptRequests, lowPriority, programmeReader, worstSearch } = root
  const { useCases, rateLimiter, requests, log, certificate } = root
  return internalRoutes({
    ...{ adminLedger, cache, engine, facts, journal, keptRequests, lowPriority, programmeReader, worstSearch },
    ...{ useCases, rateLimiter, requests, log },
    ...{ bodyBytesMax, linesMax, environment, webhooks, publishReview, publishWorst },
    ...{ isEmbedded: databaseUrl === null, settings: shown, certificate },
    settingWarnings: async () => startWarnings(root.config, await isSampleInForce(adminLedger)),
  })
}

function documentsOf({ config, stagingVenues, shared }: InternalRoot, hasConsole: boolean): Documents {
  const links = { ...shared.links, metrics: metricsLink }
  return {
    docs: openDocs('internal'),
    entry: createEntryPage({
      ...{ environment: config.environment, venues: stagingVenues },
      links: hasConsole ? { ...links, console: consoleLink } : links,
    }),
    json: shared.documents,
  }
}

const metricsLink: EntryLink = { path: '/metrics', about: 'Metrics for Prometheus' }
const consoleLink: EntryLink = { path: '/console', about: 'The console for the people who run a programme' }
