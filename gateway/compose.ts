import { randomBytes, randomUUID } from 'node:crypto'
import { hostname } from 'node:os'
import { searchStepsMax } from '../engine/core/base/costs.js'
import { createPricingPool } from '../engine/thread/pool.js'
import { StoreFault } from '../store/fault.js'
import type { Ledger } from '../store/ledger.js'
import { createRateLimiter, type RateLimiter } from './admission/rate-limit.js'
import { createEviction } from './background/eviction.js'
import { createLowPriority } from './background/low-priority.js'
import { openJournal } from './background/open-journal.js'
import { createProgrammeReader } from './background/programme-reader.js'
import { startRecount } from './background/recount.js'
import { createTrafficMinutes } from './background/traffic-minutes.js'
import { type Readiness, startUpkeep } from './background/upkeep.js'
import { createWarmUp, warmLookUps } from './background/warm-up.js'
import { startWebhooks } from './background/webhooks.js'
import { createLookupCache } from './cache/lookup-cache.js'
import { testBenefits, testProgrammeVersion } from './cache/test-members.js'
import { runningBuild, textFromBuild } from './config/build.js'
import { openCertificate } from './config/certificate.js'
import type { Config, Serve } from './config/config.js'
import { openSecrets, openTokens } from './config/secrets.js'
import { evictionWarning, startWarnings } from './config/start-warnings.js'
import { createEntryPage, type StagingVenue } from './listeners/entry-page.js'
import { openDocs } from './listeners/static-files.js'
import { atStart, type CacheWatch, openCache, openLedger } from './open-stores.js'
import type { Announcement } from './processes/messages.js'
import type { Siblings } from './processes/siblings.js'
import { createRestListener, type RestListener } from './rest/listener.js'
import { sharedDocuments, sharedLinks } from './rest/pages/pages.js'
import { createBytesMax } from './rpc/call-limits.js'
import { createConsole } from './rpc/console/console.js'
import { createInternalListener } from './rpc/listener.js'
import { internalRoutes, type RpcParts } from './rpc/routes.js'
import { requestRoutes } from './rpc/services/request-service.js'
import { atMostEvery } from './telemetry/at-most-every.js'
import type { Log } from './telemetry/log.js'
import { createMetrics, type Metrics } from './telemetry/metrics.js'
import { observedEngine } from './telemetry/observed.js'
import { createMemberMark } from './telemetry/pseudonym.js'
import { createRequestFeed, type RequestFeed } from './telemetry/request-feed.js'
import type { Tracing } from './telemetry/tracing.js'
import { watchService } from './telemetry/watch-service.js'
import { createCalculateBasket } from './use-cases/calculate-basket.js'
import { countPaid } from './use-cases/count-paid.js'
import { countUnknown } from './use-cases/count-unknown.js'
import { forgetMembers } from './use-cases/forget-members.js'
import { sharedLimits } from './use-cases/full-limits.js'
import { isSampleInForce, publishAtStart } from './use-cases/publish-at-start.js'
import { createRecordSale, type SaleParts } from './use-cases/record-sale.js'
import type { PartnerUseCases } from './use-cases/replies.js'
import { sweepLadders } from './use-cases/sweep-ladders.js'

/** Baskets that may wait for a thread at once; beyond that the answer is 503. */
const queueMax = 2_048
/** A pricing that no POS waits for may take this long, in milliseconds, before its thread counts as stuck. */
const lowPriorityTaskMaxMs = 10_000
/** The journal's share of the 10 s that a shutdown may take (wire decisions 6). */
const journalCloseMs = 1_000
/** Length of the random key for member marks in the log, if LOYALTY_LOG_KEY is not set. */
const logKeyBytes = 32
/** Venues that `GET /` lists on staging, and for how long what was read of them is shown, in milliseconds. */
const stagingVenuesMax = 50
const stagingVenuesMs = 5_000
const backgroundWorker = new URL('../engine/thread/background-worker.js', import.meta.url)

export interface Service extends Announcement {
  /** Ends within 10 s: refuses what is new, finishes what runs, flushes the journal. */
  stop(): Promise<void>
}

interface Process {
  readonly serve: Serve
  /** Other processes of this start; null: this one is alone. */
  readonly siblings: Siblings | null
  readonly log: Log
}

/** Builds every part once and starts listening; rejects with StartFault where a setting, a store or the programme stands in the way. */
export async function composeService(config: Config, own: Process): Promise<Service> {
  const { log } = own
  const telemetry = await openTelemetry(config, own)
  const keys = await openKeys(config, own)
  const parts = await openParts(config, telemetry)
  const background = await startBackground(config, parts, telemetry)
  watchService(telemetry.metrics, { ...parts, ...keys, journal: background.journal })
  const useCases = createUseCases(config, { parts, background, log })
  const { rest, internal, served } = createListeners(config, { telemetry, keys, parts, background, useCases })
  const http = (await rest?.listen()) ?? null
  const internalAddress = (await internal?.listen()) ?? null
  inBackground(log, parts.ledger.warmUp())
  const warnings = await warn(parts, config, telemetry)
  return {
    http,
    internal: internalAddress,
    secretsFile: keys.secrets?.file ?? null,
    tokensFile: keys.tokensFile,
    programmeVersion: parts.programmeVersion,
    consolePath: served && (await atStart(() => served.signInPath())),
    warnings,
    async stop() {
      await rest?.drain()
      // Before the flush: baskets come in by gRPC too.
      await internal?.drain()
      await background.flush()
      await Promise.all([background.stop(), parts.programmeReader.close()])
      keys.close()
      const { lowPriority, engine, cache, ledger } = parts
      const { tracing } = telemetry
      await Promise.allSettled([lowPriority.close(), engine.close(), cache?.close(), ledger.close(), tracing?.close()])
    },
  }
}

type Telemetry = Awaited<ReturnType<typeof openTelemetry>>
type Keys = Awaited<ReturnType<typeof openKeys>>
type Parts = Awaited<ReturnType<typeof openParts>>
type Background = Awaited<ReturnType<typeof startBackground>>

/** OpenTelemetry loads slowly, so it is loaded only if traces are on. */
async function openTelemetry({ traces }: Config, { serve, siblings, log }: Process) {
  const metrics = createMetrics(siblings?.name)
  siblings?.provideMetrics(metrics.text)
  let tracing: Tracing | null = null
  if (traces !== null) {
    const { openTracing } = await import('./telemetry/open-tracing.js')
    tracing = openTracing(traces, log)
  }
  const traced = <T extends object>(part: string, target: T): T => tracing?.over(part, target) ?? target
  return { log, metrics, tracing, traced, siblings, serve }
}

async function openKeys(config: Config, { serve, log }: Process) {
  const certificate = await openCertificate(config, log)
  const secrets = serve === 'internal' ? null : await openSecrets(config, log)
  const needsTokens = serve !== 'pos' || config.tokens.length > 0
  const { tokens, file: tokensFile } = needsTokens ? await openTokens(config) : { tokens: [], file: null }
  const close = () => {
    secrets?.close()
    certificate?.close()
  }
  return { certificate, secrets, tokens, tokensFile, close }
}

/** Stores, engine and what is remembered of the ledger, with a programme in force. */
async function openParts(config: Config, { log, metrics, traced, siblings, serve }: Telemetry) {
  const warnsOfEviction = config.environment === 'production' && isFirst(siblings)
  const workers = serve === 'internal' ? 1 : config.workers
  const { pool, lowPriority, ...opened } = await openLedgerAndEngines({ ...config, workers }, metrics, log)
  const ledger = traced('ledger', opened.ledger)
  const cacheWatch: CacheWatch = { log, circuitChanged: () => {} }
  const plainCache = openCache(config, metrics, cacheWatch)
  const cache = plainCache && traced('cache', plainCache)
  const eviction = cache && createEviction(cache, (policy) => warnsOfEviction && log.warn(evictionWarning(policy)))
  const programmeVersion = await atStart(() => publishAtStart(config, ledger, log))
  await pool.loadProgramme(testProgrammeVersion, testBenefits)
  const warmUp = createWarmUp(pool, workers, (error) => log.error({ err: error }, 'warm-up'))
  const [facts] = await Promise.all([
    atStart(() => createLookupCache({ ledger, engine: pool, warmUp, environment: config.environment })),
    atStart(() => warmLookUps(ledger)),
  ])
  const engine = traced('engine', observedEngine(pool, metrics))
  const programmeReader = createProgrammeReader()
  return {
    ...{ ledger, cache, cacheWatch, eviction, engine, lowPriority, programmeReader, programmeVersion },
    facts: traced('facts', facts),
  }
}

/** What runs beside the calls; the first answer needs the journal. */
async function startBackground(config: Config, parts: Parts, { log, metrics, siblings }: Telemetry) {
  const { ledger, cache, cacheWatch, eviction, facts, programmeReader, lowPriority } = parts
  const self = selfOf(config, siblings)
  const upkeep = startUpkeep({
    ...{ ledger, cache, eviction, facts, self, log },
    forgetMembers: () => forgetMembers({ ledger, cache, facts, programmeReader }),
    sweepLadders: (signal) => sweepLadders({ ledger, lowPriority, log }, signal),
    trafficMinutes: createTrafficMinutes({ ledger, processId: self.processId, page: metrics.text }),
    sampleLimits: () => ledger.counters.sample(sharedLimits(facts.limits.values(), ledger.clock())),
  })
  const stopRecount = startRecount({ ledger, metrics, log })
  const stopWebhooks = startWebhooks({ ledger, metrics, log, reach: config.webhooks })
  const { journal, vouching, ...flow } = openJournal({ cache, ledger, metrics, log })
  cacheWatch.circuitChanged = flow.circuitChanged
  await atStart(flow.start)
  return {
    ...{ journal, vouching, readiness: upkeep.readiness },
    /** Writes to the ledger what only the cache has. */
    async flush() {
      const left = await journal.close(journalCloseMs)
      await flow.stop(left === 0)
      if (left > 0) log.warn({ left }, 'calculations are left in the journal of the cache')
    },
    async stop() {
      await Promise.all([upkeep.stop(), stopRecount(), stopWebhooks()])
    },
  }
}

/** Logs the warnings of production, of several processes once, and returns them for the start's output. */
async function warn({ ledger, eviction }: Parts, config: Config, { log, siblings }: Telemetry) {
  if (config.environment !== 'production') return []
  const isSample = await atStart(() => isSampleInForce(ledger))
  const warnings = startWarnings(config, isSample)
  if (isFirst(siblings)) for (const warning of warnings) log.warn(warning)
  await eviction?.look().catch((error: unknown) => {
    // Out of reach: the log says it once Redis has answered.
    if (!(error instanceof StoreFault)) throw error
  })
  const policy = eviction?.policy ?? null
  return policy === null ? warnings : [...warnings, evictionWarning(policy)]
}

function isFirst(siblings: Siblings | null): boolean {
  return siblings === null || siblings.number === 1
}

function selfOf({ http, processes, internalApart }: Config, siblings: Siblings | null) {
  return {
    ...{ processId: randomUUID(), host: hostname(), port: http.port, number: siblings?.number ?? 1 },
    // Several processes share the supervisor that started them.
    pid: siblings === null ? process.pid : process.ppid,
    ...{ version: textFromBuild(runningBuild()), nodeVersion: process.versions.node },
    processes: processes + (internalApart ? 1 : 0),
  }
}

interface UseCaseParts {
  readonly parts: Parts
  readonly background: Background
  readonly log: Log
}

function createUseCases(config: Config, { parts, background, log }: UseCaseParts): PartnerUseCases {
  const { cache, ledger, engine, facts, lowPriority } = parts
  const { journal, vouching } = background
  const shared = {
    ...config,
    ...{ cache, ledger, engine, facts, journal, vouching, stepsMax: searchStepsMax },
    recount: (...[why, event, signal]: Parameters<SaleParts['recount']>) =>
      why === 'paid_less'
        ? countPaid({ ledger, lowPriority, log }, event, signal)
        : countUnknown({ engine, facts }, event),
    inBackground: (work: Promise<unknown>) => inBackground(log, work),
  }
  return { calculateBasket: createCalculateBasket(shared), recordSale: createRecordSale(shared) }
}

interface ListenerParts {
  readonly telemetry: Telemetry
  readonly keys: Keys
  readonly parts: Parts
  readonly background: Background
  readonly useCases: PartnerUseCases
}

/** The REST and the gRPC listener, as far as this process serves them. They share keys, rate limit, size limits and readiness. */
function createListeners(config: Config, listener: ListenerParts) {
  const { ledger, cache } = listener.parts
  const { siblings, serve } = listener.telemetry
  const stagingVenues =
    config.environment === 'staging' ? atMostEvery(stagingVenuesMs, () => listStaging(ledger)) : null
  const shared = {
    stagingVenues,
    rateLimiter: createRateLimiter({ cache, rate: config.rate, burst: config.burst, nowMs: () => performance.now() }),
    requests: createRequestFeed(siblings?.requestLine),
    readiness: () => readyWithSiblings(listener.background.readiness(), siblings),
  }
  const rest = serve === 'internal' ? null : createRest(config, { ...listener, ...shared })
  // The process beside this one has that address.
  if (serve === 'pos' && config.internalApart) return { rest, internal: null, served: null }
  return { rest, ...createInternal(config, { ...listener, ...shared, rest }) }
}

interface SharedParts extends ListenerParts {
  readonly stagingVenues: (() => Promise<readonly StagingVenue[]>) | null
  readonly rateLimiter: RateLimiter
  readonly requests: RequestFeed
  readonly readiness: () => Readiness
}

function createRest(config: Config, { telemetry, keys, useCases, ...shared }: SharedParts): RestListener {
  const { linesMax, deadlineMs, environment, bodyBytesMax } = config
  const { log, metrics, tracing } = telemetry
  const { stagingVenues, rateLimiter, requests, readiness } = shared
  return createRestListener({
    ...{ address: config.http, certificate: keys.certificate, useCases, rateLimiter, readiness },
    ...{ bodyBytesMax, linesMax, deadlineMs, log, metrics, requests, tracing, environment, stagingVenues },
    secrets: () => keys.secrets!.active(),
    memberMark: createMemberMark(config.logKey ?? randomBytes(logKeyBytes), Date.now),
  })
}

/** @param parts.rest  null: another process serves POSs */
function createInternal(config: Config, { rest, ...parts }: SharedParts & { readonly rest: RestListener | null }) {
  const { linesMax, deadlineMs, environment, bodyBytesMax, corsOrigins, oidc } = config
  const { telemetry, keys, stagingVenues, requests, readiness } = parts
  const { log, metrics, tracing, siblings, serve } = telemetry
  const { certificate, tokens } = keys
  const { ledger } = parts.parts
  const served =
    serve === 'pos' ? null : createConsole({ store: ledger.consoleSessions, oidc, tokens, environment, log })
  const metricsOfAll = siblings === null ? metrics : { ...metrics, text: siblings.metricsOfAll }
  const { console: consoleLink, ...links } = internalLinks
  const internal = createInternalListener({
    exclusive: config.internalApart,
    ...{ address: config.grpc, certificate, tokens, corsOrigins, log, tracing, console: served },
    bytesMaxOf: createBytesMax(bodyBytesMax),
    // Where POSs alone are served, what they do can be watched, and nothing else.
    routes:
      serve === 'pos' ? requestRoutes({ requests }) : internalRoutes(routeParts(config, parts, metricsOfAll.text)),
    readiness: () => (rest?.draining ? { ready: false, parts: { draining: 'yes' } } : readiness()),
    metrics: metricsOfAll,
    documents: {
      docs: openDocs('internal'),
      entry: createEntryPage({
        ...{ environment, venues: stagingVenues },
        links: served === null ? links : { ...links, console: consoleLink },
      }),
      json: sharedDocuments({ bodyBytesMax, linesMax, deadlineMs }),
    },
  })
  return { internal, served }
}

function routeParts(config: Config, shared: SharedParts, metricsPage: () => Promise<string>): RpcParts {
  const { bodyBytesMax, linesMax, environment, webhooks, publishReview, serve, databaseUrl, shown } = config
  const { ledger, cache, engine, facts, lowPriority, programmeReader } = shared.parts
  const { useCases, rateLimiter, requests, background, telemetry } = shared
  return {
    ...{ ledger, cache, engine, facts, useCases, lowPriority, rateLimiter, programmeReader, requests },
    ...{ bodyBytesMax, linesMax, environment, webhooks, publishReview },
    ...{ isEmbedded: databaseUrl === null, settings: shown, log: telemetry.log, journal: background.journal },
    // Metrics of an internal process alone say nothing of POSs.
    metricsPage: serve === 'internal' ? null : metricsPage,
  }
}

/** The first venues of staging that a POS can be tried with, by id. */
async function listStaging({ venues }: Ledger): Promise<readonly StagingVenue[]> {
  const rows = await venues.list({ after: null, limit: stagingVenuesMax })
  const own = rows.filter(({ environment }) => environment === 'staging')
  return own.map(({ venueId, currency, baxIds }) => ({ venueId, currency, baxIds }))
}

const internalLinks = {
  ...sharedLinks,
  metrics: { path: '/metrics', about: 'Metrics for Prometheus' },
  console: { path: '/console', about: 'The console for the people who run a programme' },
}

/** Not ready until every process has been up; after that, while one is replaced, the others stay ready. */
function readyWithSiblings(own: Readiness, siblings: Siblings | null): Readiness {
  if (siblings === null) return own
  const { processCount } = siblings
  return {
    ready: own.ready && processCount.complete,
    parts: { ...own.parts, processes: `${processCount.up} of ${processCount.of}` },
  }
}

/** At the same time, for both take half a second. */
async function openLedgerAndEngines(config: Config, metrics: Metrics, log: Log) {
  const engines = openEngines(config)
  try {
    const [ledger, { pool, lowPriority }] = await Promise.all([openLedger(config, metrics, log), engines])
    return { ledger, pool, lowPriority }
  } catch (error) {
    await engines.then(({ pool }) => pool.close()).catch(() => {})
    throw error
  }
}

/** The pricing threads for POS callers, and one thread for internal callers, which starts with their first call. */
async function openEngines({ workers, linesMax, discountCode, deadlineMs }: Config) {
  const pricing = { linesMax, discountCode, stepsMax: searchStepsMax, queueMax }
  const pool = await createPricingPool({ ...pricing, workers, taskMaxMs: deadlineMs })
  const start = () =>
    createPricingPool({ ...pricing, workers: 1, taskMaxMs: lowPriorityTaskMaxMs, entry: backgroundWorker })
  return { pool, lowPriority: createLowPriority({ live: pool, start }) }
}

/** Nobody waits for it; a store out of reach is no bug. */
function inBackground(log: Log, work: Promise<unknown>): void {
  work.catch((error: unknown) => {
    if (!(error instanceof StoreFault)) log.error({ err: error }, 'background')
  })
}
