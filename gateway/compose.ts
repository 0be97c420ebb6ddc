import { randomBytes } from 'node:crypto'
import { searchStepsMax } from '../engine/core/input.js'
import { createPricingPool } from '../engine/thread/pool.js'
import { StoreFault } from '../store/fault.js'
import { createRateLimiter } from './admission/rate-limit.js'
import { createLowPriority } from './background/low-priority.js'
import { openJournal } from './background/open-journal.js'
import { createProgrammeReader } from './background/programme-reader.js'
import { startRecount } from './background/recount.js'
import { startUpkeep, type Upkeep } from './background/upkeep.js'
import { createWarmUp, warmLookUps } from './background/warm-up.js'
import { createFacts } from './cache/facts.js'
import { testBenefits, testProgrammeVersion } from './cache/test-members.js'
import { openCertificate } from './config/certificate.js'
import type { Address, Config } from './config/config.js'
import { openSecrets, openTokens } from './config/secrets.js'
import { atStart, type CacheWatch, openCache, openLedger } from './open-stores.js'
import type { Siblings } from './processes/siblings.js'
import { createRestListener } from './rest/listener.js'
import { createCallLimits } from './rpc/call-limits.js'
import { createIntake } from './rpc/intake.js'
import { createInternalListener } from './rpc/listener.js'
import { internalRoutes } from './rpc/routes.js'
import type { Log } from './telemetry/log.js'
import { createMetrics, type Metrics } from './telemetry/metrics.js'
import { observedEngine } from './telemetry/observed.js'
import { createMemberMark } from './telemetry/pseudonym.js'
import type { Tracing } from './telemetry/tracing.js'
import { watchService } from './telemetry/watch-service.js'
import { createCalculateBasket } from './use-cases/calculate-basket.js'
import { publishAtStart } from './use-cases/publish-at-start.js'
import { createRecordSale } from './use-cases/record-sale.js'

/** Baskets that may wait for a thread at once; beyond that the answer is 503. */
const queueMax = 2_048
/** A pricing that no POS waits for may take this long, in milliseconds, before its thread counts as stuck. */
const lowPriorityTaskMaxMs = 10_000
/** The journal's share of the 10 s that a shutdown may take (wire decisions 6). */
const journalCloseMs = 1_000
/** Of the key that this start marks members with where LOYALTY_LOG_KEY is not set. */
const logKeyBytes = 32
const backgroundWorker = new URL('../engine/thread/background-worker.js', import.meta.url)

/** The whole service, listening. */
export interface Service {
  readonly http: Address
  readonly internal: Address
  /** Where the signing secret and the tokens lie, for printing; null: the environment holds them. */
  readonly secretsFile: string | null
  readonly tokensFile: string | null
  readonly programmeVersion: number
  /** Ends within 10 s: refuses what is new, finishes what runs, flushes the journal. */
  stop(): Promise<void>
}

/**
 * Builds every part once and starts listening; rejects with StartFault where a setting, a store or the programme stands in the way.
 *
 * @param siblings  other processes that share the ports; null: this one is alone
 */
export async function composeService(config: Config, log: Log, siblings: Siblings | null = null): Promise<Service> {
  const metrics = metricsAmong(siblings)
  const { tracing, traced } = await openTraces(config, log)
  const { certificate, secrets, tokens, tokensFile, closeKeys } = await openKeys(config, log)
  const { pool, lowPriority, ...opened } = await openLedgerAndEngines(config, metrics, log)
  const ledger = traced('ledger', opened.ledger)
  const watched: CacheWatch = { log, circuitChanged: () => {} }
  const plainCache = openCache(config, metrics, watched)
  const cache = plainCache && traced('cache', plainCache)
  const { linesMax, deadlineMs, rate, burst, environment, bodyBytesMax } = config
  const programmeVersion = await atStart(() => publishAtStart(config, ledger, log))
  await pool.loadProgramme(testProgrammeVersion, testBenefits)
  const warmUp = createWarmUp(pool, config.workers, (error) => log.error({ err: error }, 'warm-up'))
  const plainFacts = await openFacts({ ledger, engine: pool, warmUp, environment })
  const facts = traced('facts', plainFacts)
  const engine = traced('engine', observedEngine(pool, metrics))
  const programmeReader = createProgrammeReader()
  const upkeep = startUpkeep({ ledger, cache, facts, programmeReader, log })
  const stopRecount = startRecount({ ledger, metrics, log })
  const shared = { cache, ledger, engine, facts, stepsMax: searchStepsMax, ...config, ...backgroundOf(log) }
  const { journal, vouching, ...flow } = openJournal({ cache, ledger, metrics, log })
  watched.circuitChanged = flow.circuitChanged
  await atStart(flow.start)
  watchService(metrics, { engine, cache, journal, certificate, secrets, facts: plainFacts })

  const useCases = {
    calculateBasket: createCalculateBasket({ ...shared, journal, vouching }),
    recordSale: createRecordSale({ ...shared, journal, vouching }),
  }
  const readiness = siblings === null ? upkeep.readiness : () => readyWithSiblings(upkeep.readiness(), siblings)
  const rateLimiter = createRateLimiter({ cache, rate, burst, nowMs: () => performance.now() })
  const rest = createRestListener({
    address: config.http,
    ...{ certificate, useCases, rateLimiter, readiness, bodyBytesMax, linesMax, deadlineMs, log, metrics, tracing },
    secrets: () => secrets.active(),
    memberMark: createMemberMark(config.logKey ?? randomBytes(logKeyBytes), Date.now),
  })
  const internal = createInternalListener({
    address: config.grpc,
    intake: createIntake({ limitsOf: createCallLimits({ bodyBytesMax, linesMax }), programmeReader }),
    ...{ certificate, tokens, corsOrigins: config.corsOrigins },
    routes: internalRoutes({
      ...{ ledger, cache, engine, facts, useCases, journal, lowPriority, rateLimiter },
      ...{ bodyBytesMax, linesMax, environment, log },
      programmeReader,
    }),
    readiness: () => (rest.draining ? { ready: false, parts: { draining: 'yes' } } : readiness()),
    ...{ log, tracing },
    metrics: siblings === null ? metrics : { ...metrics, text: siblings.metricsOfAll },
  })
  const [http, address] = [await rest.listen(), await internal.listen()]
  shared.inBackground(ledger.warmUp())
  return {
    http,
    internal: address,
    secretsFile: secrets.file,
    tokensFile,
    programmeVersion,
    async stop() {
      await Promise.all([rest.drain(), warmUp.stop()])
      const left = await journal.close(journalCloseMs)
      await flow.stop(left === 0)
      if (left > 0) log.warn({ left }, 'calculations are left in the journal of the cache')
      await internal.drain()
      await Promise.all([upkeep.stop(), stopRecount(), programmeReader.close()])
      closeKeys()
      await Promise.allSettled([lowPriority.close(), engine.close(), cache?.close(), ledger.close(), tracing?.close()])
    },
  }
}

async function openKeys(config: Config, log: Log) {
  const certificate = await openCertificate(config, log)
  const secrets = await openSecrets(config, log)
  const { tokens, file: tokensFile } = await openTokens(config)
  const closeKeys = () => {
    secrets.close()
    certificate?.close()
  }
  return { certificate, secrets, tokens, tokensFile, closeKeys }
}

async function openFacts(parts: Parameters<typeof createFacts>[0]) {
  const [facts] = await Promise.all([atStart(() => createFacts(parts)), atStart(() => warmLookUps(parts.ledger))])
  return facts
}

function metricsAmong(siblings: Siblings | null): Metrics {
  const metrics = createMetrics(siblings?.number)
  siblings?.tellMetrics(metrics.text)
  return metrics
}

/** Not ready until every process has been up; after that one that is being replaced leaves the others to their work. */
function readyWithSiblings({ ready, parts }: ReturnType<Upkeep['readiness']>, { processCount }: Siblings) {
  return {
    ready: ready && processCount.complete,
    parts: { ...parts, processes: `${processCount.up} of ${processCount.of}` },
  }
}

/** OpenTelemetry takes its time to load and is of no use to whoever does not collect traces. */
async function openTraces({ traces }: Config, log: Log) {
  let tracing: Tracing | null = null
  if (traces !== null) {
    const { openTracing } = await import('./telemetry/open-tracing.js')
    tracing = openTracing(traces, log)
  }
  const traced = <T extends object>(part: string, target: T): T => tracing?.over(part, target) ?? target
  return { tracing, traced }
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

/** The pricing threads of POS callers, and the one of everybody else, which starts when it is first wanted. */
async function openEngines({ workers, linesMax, discountCode, deadlineMs }: Config) {
  const pricing = { linesMax, discountCode, stepsMax: searchStepsMax, queueMax }
  const pool = await createPricingPool({ ...pricing, workers, taskMaxMs: deadlineMs })
  const start = () =>
    createPricingPool({ ...pricing, workers: 1, taskMaxMs: lowPriorityTaskMaxMs, entry: backgroundWorker })
  return { pool, lowPriority: createLowPriority({ live: pool, start }) }
}

function backgroundOf(log: Log) {
  return {
    inBackground(work: Promise<unknown>) {
      work.catch((error: unknown) => {
        if (!(error instanceof StoreFault)) log.error({ err: error }, 'background')
      })
    },
  }
}
