import { randomBytes, randomUUID } from 'node:crypto'
import { hostname } from 'node:os'
import { searchStepsMax } from '../engine/core/base/costs.js'
import { createPricingPool } from '../engine/thread/pool.js'
import { StoreFault } from '../store/fault.js'
import type { Ledger } from '../store/ledger.js'
import { createRateLimiter } from './admission/rate-limit.js'
import { createEviction } from './background/eviction.js'
import { createLowPriority } from './background/low-priority.js'
import { openJournal } from './background/open-journal.js'
import { createProgrammeReader } from './background/programme-reader.js'
import { startRecount } from './background/recount.js'
import { createTrafficMinutes } from './background/traffic-minutes.js'
import { type Readiness, startUpkeep } from './background/upkeep.js'
import { createWarmUp, warmLookUps } from './background/warm-up.js'
import { startWebhooks } from './background/webhooks.js'
import { createFacts } from './cache/facts.js'
import { testBenefits, testProgrammeVersion } from './cache/test-members.js'
import { runningBuild, textFromBuild } from './config/build.js'
import { openCertificate } from './config/certificate.js'
import type { Config } from './config/config.js'
import { openSecrets, openTokens } from './config/secrets.js'
import { evictionWarning, startWarnings } from './config/start-warnings.js'
import { createEntryPage, type StagingVenue } from './listeners/entry-page.js'
import { atStart, type CacheWatch, openCache, openLedger } from './open-stores.js'
import type { Announcement } from './processes/messages.js'
import type { Siblings } from './processes/siblings.js'
import { createRestListener } from './rest/listener.js'
import { contractDocuments, sharedDocuments, sharedLinks } from './rest/pages/pages.js'
import { createCallLimits } from './rpc/call-limits.js'
import { createConsole } from './rpc/console/console.js'
import { createInternalListener } from './rpc/listener.js'
import { createIntake } from './rpc/request.js'
import { internalRoutes } from './rpc/routes.js'
import { atMostEvery } from './telemetry/at-most-every.js'
import type { Log } from './telemetry/log.js'
import { createMetrics, type Metrics } from './telemetry/metrics.js'
import { observedEngine } from './telemetry/observed.js'
import { createMemberMark } from './telemetry/pseudonym.js'
import { createRequestFeed } from './telemetry/request-feed.js'
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

/** The whole service, listening. */
export interface Service extends Announcement {
  /** Ends within 10 s: refuses what is new, finishes what runs, flushes the journal. */
  stop(): Promise<void>
}

/**
 * Builds every part once and starts listening; rejects with StartFault where a setting, a store or the programme stands in the way.
 *
 * @param siblings  other processes that share the ports; null: this one is alone
 */
export async function composeService(config: Config, log: Log, siblings: Siblings | null = null): Promise<Service> {
  const telemetry = await openTelemetry(config, log, siblings)
  const keys = await openKeys(config, log)
  const parts = await openParts(config, telemetry)
  const background = await startBackground(config, parts, telemetry)
  watchService(telemetry.metrics, { ...parts, ...keys, journal: background.journal })
  const useCases = createUseCases(config, { parts, background, log })
  const { rest, internal, served } = createListeners(config, {
    telemetry,
    keys,
    parts,
    background,
    useCases,
  })
  const http = await rest.listen()
  const internalAddress = await internal.listen()
  inBackground(log, parts.ledger.warmUp())
  const warnings = await warn(parts, config, telemetry)
  return {
    http,
    internal: internalAddress,
    secretsFile: keys.secrets.file,
    tokensFile: keys.tokensFile,
    programmeVersion: parts.programmeVersion,
    consolePath: await atStart(() => served.signInPath()),
    warnings,
    async stop() {
      await rest.drain()
      // Before the flush: baskets come in by gRPC too.
      await internal.drain()
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
async function openTelemetry({ traces }: Config, log: Log, siblings: Siblings | null) {
  const metrics = createMetrics(siblings?.number)
  siblings?.provideMetrics(metrics.text)
  let tracing: Tracing | null = null
  if (traces !== null) {
    const { openTracing } = await import('./telemetry/open-tracing.js')
    tracing = openTracing(traces, log)
  }
  const traced = <T extends object>(part: string, target: T): T => tracing?.over(part, target) ?? target
  return { log, metrics, tracing, traced, siblings }
}

async function openKeys(config: Config, log: Log) {
  const certificate = await openCertificate(config, log)
  const secrets = await openSecrets(config, log)
  const { tokens, file: tokensFile } = await openTokens(config)
  const close = () => {
    secrets.close()
    certificate?.close()
  }
  return { certificate, secrets, tokens, tokensFile, close }
}

/** Stores, engine and what is remembered of the ledger, with a programme in force. */
async function openParts(config: Config, { log, metrics, traced, siblings }: Telemetry) {
  const warnsOfEviction = config.environment === 'production' && isFirst(siblings)
  const { pool, lowPriority, ...opened } = await openLedgerAndEngines(config, metrics, log)
  const ledger = traced('ledger', opened.ledger)
  const cacheWatch: CacheWatch = { log, circuitChanged: () => {} }
  const plainCache = openCache(config, metrics, cacheWatch)
  const cache = plainCache && traced('cache', plainCache)
  const eviction = cache && createEviction(cache, (policy) => warnsOfEviction && log.warn(evictionWarning(policy)))
  const programmeVersion = await atStart(() => publishAtStart(config, ledger, log))
  await pool.loadProgramme(testProgrammeVersion, testBenefits)
  const warmUp = createWarmUp(pool, config.workers, (error) => log.error({ err: error }, 'warm-up'))
  const [facts] = await Promise.all([
    atStart(() => createFacts({ ledger, engine: pool, warmUp, environment: config.environment })),
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

/** True for the process that speaks for all that share its ports. */
function isFirst(siblings: Siblings | null): boolean {
  return siblings === null || siblings.number === 1
}

/** What this process is called in the list of gateways. */
function selfOf({ http, processes }: Config, siblings: Siblings | null) {
  return {
    ...{ processId: randomUUID(), host: hostname(), port: http.port, number: siblings?.number ?? 1 },
    // Several processes share the supervisor that started them.
    pid: siblings === null ? process.pid : process.ppid,
    ...{ version: textFromBuild(runningBuild()), nodeVersion: process.versions.node, processes },
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

/** The REST and the gRPC listener. They share keys, rate limit, size limits and readiness. */
function createListeners(config: Config, { telemetry, keys, parts, background, useCases }: ListenerParts) {
  const { linesMax, deadlineMs, rate, burst, environment, bodyBytesMax, corsOrigins, webhooks, oidc } = config
  const { publishReview } = config
  const { log, metrics, tracing, siblings } = telemetry
  const { certificate, secrets, tokens } = keys
  const { ledger, cache, engine, facts, lowPriority, programmeReader } = parts
  const { journal } = background
  const rateLimiter = createRateLimiter({ cache, rate, burst, nowMs: () => performance.now() })
  const readiness = () => readyWithSiblings(background.readiness(), siblings)
  const stagingVenues = environment === 'staging' ? atMostEvery(stagingVenuesMs, () => listStaging(ledger)) : null
  const requests = createRequestFeed()
  const rest = createRestListener({
    ...{ address: config.http, certificate, useCases, rateLimiter, readiness },
    ...{ bodyBytesMax, linesMax, deadlineMs, log, metrics, requests, tracing },
    secrets: () => secrets.active(),
    memberMark: createMemberMark(config.logKey ?? randomBytes(logKeyBytes), Date.now),
    ...{ environment, stagingVenues },
  })
  const { openapi, openapi30, site } = contractDocuments({ bodyBytesMax, linesMax, deadlineMs }, 'internal')
  const served = createConsole({ store: ledger.consoleSessions, oidc, tokens, environment, log })
  const allMetrics = siblings === null ? metrics : { ...metrics, text: siblings.metricsOfAll }
  const internal = createInternalListener({
    ...{ address: config.grpc, certificate, tokens, corsOrigins, log, tracing, console: served },
    intake: createIntake({ limitsOf: createCallLimits({ bodyBytesMax, linesMax }), programmeReader }),
    routes: internalRoutes({
      ...{ ledger, cache, engine, facts, useCases, journal, lowPriority, rateLimiter, programmeReader },
      ...{ bodyBytesMax, linesMax, environment, webhooks, publishReview, requests, log },
      ...{ isEmbedded: config.databaseUrl === null, settings: config.shown },
      metricsPage: allMetrics.text,
    }),
    readiness: () => (rest.draining ? { ready: false, parts: { draining: 'yes' } } : readiness()),
    metrics: allMetrics,
    documents: {
      site,
      entry: createEntryPage({ site, environment, links: internalLinks, venues: stagingVenues }),
      json: sharedDocuments({ openapi, openapi30 }),
    },
  })
  return { rest, internal, served }
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
