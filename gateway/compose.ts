import { randomUUID } from 'node:crypto'
import { hostname } from 'node:os'
import { searchStepsMax } from '../engine/core/base/costs.js'
import { createPricingPool } from '../engine/thread/pool.js'
import { allowChannels } from '../engine/wire/channels.js'
import { ignoreStoreFault, StoreFault } from '../store/fault.js'
import type { AdminLedger } from '../store/ledger.js'
import { createEviction } from './background/eviction.js'
import { createLowPriority } from './background/low-priority.js'
import { openJournal } from './background/open-journal.js'
import { createProgrammeReader } from './background/programme-reader.js'
import { createRecount } from './background/recount.js'
import { createTrafficMinutes } from './background/traffic-minutes.js'
import { type Readiness, startUpkeep } from './background/upkeep.js'
import { createWarmUp, warmLookUps } from './background/warm-up.js'
import { createWebhooks } from './background/webhooks.js'
import { createWorstSearch } from './background/worst-search.js'
import { createKeptRequests } from './cache/kept-requests.js'
import { createLookupCache } from './cache/lookup-cache.js'
import { testBenefits, testProgrammeVersion } from './cache/test-members.js'
import { runningBuild, textFromBuild } from './config/build.js'
import { openCertificate } from './config/certificate.js'
import type { Config, Serve } from './config/config.js'
import { openPartnerKey, openSecrets, openTokens } from './config/secrets.js'
import { evictionWarning, startWarnings } from './config/start-warnings.js'
import { createInternalRoot } from './internal/root.js'
import type { StagingVenue } from './listeners/entry-page.js'
import { createRateLimiter } from './listeners/rate-limit.js'
import { atStart, type CacheWatch, openCache, openLedger } from './open-stores.js'
import { sharedDocuments, sharedLinks } from './pos/pages/pages.js'
import type { PartnerParts } from './pos/partner/partner-page.js'
import { createPosRoot } from './pos/root.js'
import type { Announcement } from './processes/messages.js'
import type { Siblings } from './processes/siblings.js'
import { atMostEvery } from './telemetry/at-most-every.js'
import type { Log } from './telemetry/log.js'
import { createMetrics, type Metrics } from './telemetry/metrics.js'
import { observedEngine } from './telemetry/observed.js'
import { createRequestFeed } from './telemetry/request-feed.js'
import type { Tracing } from './telemetry/tracing.js'
import { watchService } from './telemetry/watch-service.js'
import { forgetMembers } from './use-cases/forget-members.js'
import { sharedLimits } from './use-cases/full-limits.js'
import { createPartnerUseCases } from './use-cases/pos-use-cases.js'
import { priceWithheldBaskets } from './use-cases/price-withheld.js'
import { isSampleInForce, publishAtStart } from './use-cases/publish-at-start.js'
import { publishDue } from './use-cases/publish-due.js'
import type { PartnerUseCases } from './use-cases/replies.js'
import { sweepLadders } from './use-cases/sweep-ladders.js'
import { createTryAgain } from './use-cases/try-again.js'

/** Baskets that may wait for a thread at once; beyond that the answer is 503. */
const queueMax = 2_048
/** A pricing that no POS waits for may take this long, in milliseconds, before its thread counts as stuck. */
const lowPriorityTaskMaxMs = 10_000
/** The journal's share of the 10 s that a shutdown may take (wire decisions 6). */
const journalCloseMs = 1_000
/** Venues listed by `GET /` on staging, and how long a reading of them is shown, in milliseconds. */
const stagingVenuesMax = 50
const stagingVenuesMs = 5_000
/** Discrepancies that the partner page shows. */
const discrepanciesMax = 100
const backgroundWorker = new URL('../engine/thread/background-worker.js', import.meta.url)

export interface Service extends Announcement {
  /** Ends within 10 s: refuses new calls, finishes running ones, flushes the journal. */
  stop(): Promise<void>
}

interface Process {
  readonly serve: Serve
  /** Other processes of this start; null: this one is alone. */
  readonly siblings: Siblings | null
  readonly log: Log
}

/** Builds every part once and starts listening; rejects with StartFault if a setting, a store or the programme prevents it. */
export async function composeService(config: Config, own: Process): Promise<Service> {
  const { log } = own
  allowChannels(config.channels)
  const telemetry = await openTelemetry(config, own)
  const keys = await openKeys(config, own)
  const opened = await openParts(config, telemetry)
  const background = await startBackground(config, opened, telemetry)
  const { engine, cache, facts } = opened
  const { secrets, certificate } = keys
  watchService(telemetry.metrics, { engine, cache, facts, secrets, certificate, journal: background.journal })
  const { rest, internal, console } = createRoots(config, { telemetry, keys, opened, background })
  const http = (await rest?.listen()) ?? null
  const internalAddress = (await internal?.listen()) ?? null
  inBackground(log, opened.posLedger.warmUp())
  if (rest !== null && config.posReturns) inBackground(log, opened.lowPriority.warmUp())
  const warnings = await warn(opened, config, telemetry)
  return {
    http,
    internal: internalAddress,
    secretsFile: secrets?.file ?? null,
    tokensFile: keys.tokensFile,
    programmeVersion: opened.programmeVersion,
    consolePath: console && (await atStart(() => console.signInPath())),
    warnings,
    async stop() {
      await rest?.drain()
      // Before the flush: baskets come in by gRPC too.
      await internal?.drain()
      await background.flush()
      const { lowPriority, posLedger, programmeReader, worstSearch } = opened
      await Promise.all([background.stop(), programmeReader.close(), worstSearch.close()])
      keys.close()
      const { tracing } = telemetry
      await Promise.allSettled([
        lowPriority.close(),
        engine.close(),
        cache?.close(),
        posLedger.close(),
        tracing?.close(),
      ])
    },
  }
}

type Telemetry = Awaited<ReturnType<typeof openTelemetry>>
type Keys = Awaited<ReturnType<typeof openKeys>>
type Opened = Awaited<ReturnType<typeof openParts>>
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
  const partnerKey = serve === 'internal' || !config.partnerPage ? null : await openPartnerKey(config)
  const close = () => {
    secrets?.close()
    certificate?.close()
  }
  return { certificate, secrets, tokens, tokensFile, partnerKey, close }
}

/** Stores, engine and caches of the ledger, with a programme in force. */
async function openParts(config: Config, { log, metrics, traced, siblings, serve }: Telemetry) {
  const warnsOfEviction = config.environment === 'production' && isFirst(siblings)
  const workers = serve === 'internal' ? 1 : config.workers
  const { pool, lowPriority, ...opened } = await openLedgerAndEngines({ ...config, workers }, metrics, log)
  const posLedger = traced('ledger', opened.ledger.posLedger)
  const adminLedger = traced('ledger', opened.ledger.adminLedger)
  const cacheWatch: CacheWatch = { log, circuitChanged: () => {} }
  const plainCache = openCache(config, metrics, cacheWatch)
  const cache = plainCache && traced('cache', plainCache)
  const eviction = cache && createEviction(cache, (policy) => warnsOfEviction && log.warn(evictionWarning(policy)))
  const programmeVersion = await atStart(() => publishAtStart(config, { posLedger, adminLedger }, log))
  await pool.loadProgramme(testProgrammeVersion, testBenefits)
  const warmUp = createWarmUp(pool, workers, (error) => log.error({ err: error }, 'warm-up'))
  const [facts] = await Promise.all([
    atStart(() => createLookupCache({ posLedger, engine: pool, warmUp, environment: config.environment })),
    atStart(() => warmLookUps(posLedger)),
  ])
  const engine = traced('engine', observedEngine(pool, metrics))
  const programmeReader = createProgrammeReader()
  const { environment } = config
  const keeping = { cache, facts, venues: adminLedger.venues, environment, nowMs: Date.now }
  const keptRequests = config.partnerPage
    ? createKeptRequests({ ...keeping, inBackground: (work) => inBackground(log, work) })
    : null
  return {
    keptRequests,
    ...{ posLedger, adminLedger, cache, cacheWatch, eviction, engine, lowPriority, programmeReader, programmeVersion },
    worstSearch: createWorstSearch(),
    facts: traced('facts', facts),
  }
}

/** Work in the background of calls; the first answer needs the journal. */
async function startBackground(config: Config, opened: Opened, { log, metrics, siblings }: Telemetry) {
  const { posLedger, adminLedger, cache, cacheWatch, eviction, facts, keptRequests, programmeReader, lowPriority } =
    opened
  const self = selfOf(config, siblings)
  const webhooks = createWebhooks({ adminLedger, metrics, log, reach: config.webhooks })
  const { journal, vouching, ...flow } = openJournal({ cache, posLedger, metrics, log })
  cacheWatch.circuitChanged = flow.circuitChanged
  await atStart(flow.start)
  const upkeep = startUpkeep({
    ...{ posLedger, cache, eviction, facts, journal, webhooks, self, log },
    recount: createRecount({ posLedger, metrics, log }),
    forgetMembers: () => forgetMembers({ adminLedger, cache, facts, keptRequests, programmeReader }),
    sweepLadders: (signal) => sweepLadders({ adminLedger, lowPriority, log }, signal),
    priceWithheld: (signal) => priceWithheldBaskets({ adminLedger, lowPriority, log }, signal),
    publishDue: (signal) => publishDue({ ...opened, ...config, log }, signal),
    trafficMinutes: createTrafficMinutes({ posLedger, processId: self.processId, counter: metrics.traffic }),
    traffic: metrics.traffic,
    sampleLimits: () => posLedger.counters.sample(sharedLimits(facts.limits.values(), posLedger.clock())),
  })
  return {
    ...{ journal, vouching, readiness: upkeep.readiness },
    /** Writes to the ledger the answers that only the cache has. */
    async flush() {
      const left = await journal.close(journalCloseMs)
      await flow.stop(left === 0)
      if (left > 0) log.warn({ left }, 'calculations are left in the journal of the cache')
    },
    async stop() {
      await Promise.all([upkeep.stop(), webhooks.stop()])
    },
  }
}

/** Logs the warnings of production, of several processes once, and returns them for the start's output. */
async function warn({ adminLedger, eviction }: Opened, config: Config, { log, siblings }: Telemetry) {
  if (config.environment !== 'production') return []
  const isSample = await atStart(() => isSampleInForce(adminLedger))
  const warnings = startWarnings(config, isSample)
  if (isFirst(siblings)) for (const warning of warnings) log.warn(warning)
  // Out of reach: logged once Redis has answered.
  await eviction?.look().catch(ignoreStoreFault)
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

/** The roots that this process serves: POSs over REST, internal calls, or both. They share keys, rate limit and readiness. */
function createRoots(config: Config, { telemetry, keys, opened, background }: RootParts) {
  const { log, metrics, tracing, siblings, serve } = telemetry
  const { posLedger, adminLedger, cache, engine, facts, keptRequests, lowPriority, programmeReader, worstSearch } =
    opened
  const { journal, vouching } = background
  const { expiryS, environment, deadlineMs, discountCode } = config
  const { certificate, secrets, tokens } = keys
  const ready = () => readyWithSiblings(background.readiness(), siblings)
  const shared = {
    useCases: createPartnerUseCases({
      ...{ posLedger, cache, engine, facts, journal, vouching, lowPriority, log },
      ...{ expiryS, environment, deadlineMs, discountCode, stepsMax: searchStepsMax },
      inBackground: (work) => inBackground(log, work),
    }),
    rateLimiter: createRateLimiter({ cache, rate: config.rate, burst: config.burst, nowMs: () => performance.now() }),
    requests: createRequestFeed(siblings?.requestLine),
    stagingVenues: environment === 'staging' ? atMostEvery(stagingVenuesMs, () => listStaging(adminLedger)) : null,
    ...{ config, certificate, log, metrics, tracing },
  }
  const partner = partnerPage(config, { keys, opened, useCases: shared.useCases })
  const rest = serve === 'internal' ? null : createPosRoot({ ...shared, partner, secrets: secrets!, readiness: ready })
  // The other process has that address.
  if (serve === 'pos' && config.internalApart) return { rest, internal: null, console: null }
  return {
    rest,
    ...createInternalRoot({
      ...shared,
      ...{ adminLedger, cache, engine, facts, journal, keptRequests, lowPriority, programmeReader, worstSearch },
      ...{ serve, tokens },
      metrics: siblings === null ? metrics : { ...metrics, text: siblings.metricsOfAll },
      shared: { links: sharedLinks, documents: sharedDocuments(config) },
      readiness: () => (rest?.draining ? { ready: false, parts: { draining: 'yes' } } : ready()),
    }),
  }
}

/** null: it is off. */
function partnerPage(config: Config, { keys, opened, useCases }: PartnerPageParts): PartnerParts | null {
  const { adminLedger, facts, keptRequests, lowPriority, engine } = opened
  const { environment, idempotencyS } = config
  if (keys.partnerKey === null || keptRequests === null) return null
  const filter = { status: '', discrepancy: 'any', receiptNumber: null, transactionId: '', cashRegisterId: '' } as const
  return {
    rootKey: keys.partnerKey,
    requests: keptRequests,
    tryAgain: createTryAgain({ adminLedger, facts, lowPriority, engine, environment, useCases, idempotencyS }),
    listDiscrepancies: (venueId) =>
      adminLedger.sales.list(
        { ...filter, venueId, fromUs: (Date.now() - 86_400_000) * 1_000, untilUs: Number.MAX_SAFE_INTEGER },
        { after: null, limit: discrepanciesMax },
      ),
  }
}

interface PartnerPageParts extends Pick<RootParts, 'keys' | 'opened'> {
  readonly useCases: PartnerUseCases
}

interface RootParts {
  readonly telemetry: Telemetry
  readonly keys: Keys
  readonly opened: Opened
  readonly background: Background
}

/** The first venues of staging that a POS can be tried with, by id. */
async function listStaging({ venues }: Pick<AdminLedger, 'venues'>): Promise<readonly StagingVenue[]> {
  const rows = await venues.list({ after: null, limit: stagingVenuesMax })
  const own = rows.filter(({ environment }) => environment === 'staging')
  return own.map(({ venueId, currency, baxIds }) => ({ venueId, currency, baxIds }))
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

/** No caller waits for it; a store out of reach is no bug. */
function inBackground(log: Log, work: Promise<unknown>): void {
  work.catch((error: unknown) => {
    if (!(error instanceof StoreFault)) log.error({ err: error }, 'background')
  })
}
