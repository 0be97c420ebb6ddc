import { randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { searchStepsMax } from '../engine/core/input.js'
import type { PricingEngine } from '../engine/index.js'
import { readProgramme } from '../engine/programme/read-programme.js'
import { createPricingPool } from '../engine/thread/pool.js'
import { type BreakerOptions, withBreaker } from '../store/budget.js'
import type { EmbeddedLedgerOptions } from '../store/embedded/create-embedded-ledger.js'
import { type Front, type Ledger, StoreFault } from '../store/index.js'
import { createPostgresLedger } from '../store/postgres/create-postgres-ledger.js'
import { readMsDefault, saleMsDefault } from '../store/postgres/options.js'
import { hangMsDefault } from '../store/postgres/pulse.js'
import type { Recalled } from '../store/postgres/recall.js'
import { serverUrls } from '../store/postgres/server-urls.js'
import { createFront } from '../store/redis/create-front.js'
import { callMs } from '../store/redis/lifetimes.js'
import { createAside } from './aside.js'
import { createCalculateBasket } from './calculate-basket.js'
import { type Certificate, openCertificate } from './certificate.js'
import type { Address, Config } from './config.js'
import { createFacts } from './facts.js'
import type { Log } from './log.js'
import { createMemberMark } from './member-mark.js'
import { createMetrics, type Metrics } from './metrics.js'
import { observedEngine, observedFront, observedLedger } from './observed.js'
import { openJournal } from './open-journal.js'
import type { Siblings } from './processes/siblings.js'
import { createProgrammeReader } from './programme-reader.js'
import { createRateLimiter } from './rate-limit.js'
import { createRecordSale } from './record-sale.js'
import { startRecount } from './recount.js'
import { createRestListener } from './rest/listener.js'
import { createInternalListener } from './rpc/listener.js'
import { internalRoutes } from './rpc/routes.js'
import { openSecrets, openTokens } from './secrets.js'
import { StartFault } from './start-fault.js'
import { testBenefits, testProgrammeVersion } from './test-members.js'
import type { Tracing } from './tracing.js'
import { startUpkeep, type Upkeep } from './upkeep.js'
import { createRehearsal, warmLookUps } from './warm-up.js'

/** Baskets that may wait for a thread at once; beyond that the answer is 503. */
const queueMax = 2_048
/** A pricing that no till waits for may take this long, in milliseconds, before its thread counts as stuck. */
const asideTaskMaxMs = 10_000
/** How long answers stay in the front once the ledger has them: a POS that repeats does so within minutes. */
const hotAnswerMs = 15 * 60_000
/** The journal's share of the 10 s that a shutdown may take (wire decisions 6). */
const journalCloseMs = 1_000
/** How long a ledger that was just opened may take to answer, and the pause between two attempts, in milliseconds. */
const startPatienceMs = 10_000
const startPauseMs = 250
/** The deadline for which the stores' times for one call were chosen (wire decisions 6). */
const usualDeadlineMs = 450
/** Of the key that this start marks members with where LOYALTY_LOG_KEY is not set. */
const logKeyBytes = 32
const sampleProgramme = join(import.meta.dirname, '..', 'engine', 'programme', 'sample-programme.json')

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
  const certificate = await openCertificate(config, log)
  const secrets = await openSecrets(config, log)
  const { tokens, file: tokensFile } = await openTokens(config)
  const { pool, aside, ...opened } = await openLedgerAndEngines(config, metrics, log)
  const ledger = traced('ledger', opened.ledger)
  const watched: FrontWatch = { log, circuitChanged: () => {} }
  const plainFront = openFront(config, metrics, watched)
  const front = plainFront && traced('front', plainFront)
  const { linesMax, deadlineMs, rate, burst, environment, bodyBytesMax } = config
  const programmeVersion = await atStart(() => publish(config, ledger, log))
  await pool.loadProgramme(testProgrammeVersion, testBenefits)
  const rehearsal = createRehearsal(pool, config.workers, (error) => log.error({ err: error }, 'rehearsal'))
  const facts = traced('facts', await openFacts({ ledger, engine: pool, rehearsal, environment }))
  const engine = traced('engine', observedEngine(pool, metrics))
  const programmeReader = createProgrammeReader()
  const upkeep = startUpkeep({ ledger, front, facts, programmeReader, log })
  const stopRecount = startRecount({ ledger, metrics, log })
  const shared = { front, ledger, engine, facts, stepsMax: searchStepsMax, ...config, ...backgroundOf(log) }
  const { journal, vouching, ...flow } = openJournal({ front, ledger, metrics, log })
  watched.circuitChanged = flow.circuitChanged
  await atStart(flow.start)
  watch(metrics, { engine, front, journal, certificate })

  const stories = {
    calculateBasket: createCalculateBasket({ ...shared, journal, vouching }),
    recordSale: createRecordSale({ ...shared, journal, vouching }),
  }
  const readiness = siblings === null ? upkeep.readiness : () => readyWithSiblings(upkeep.readiness(), siblings)
  const rateLimiter = createRateLimiter({ front, rate, burst, nowMs: () => performance.now() })
  const rest = createRestListener({
    address: config.http,
    ...{ certificate, stories, rateLimiter, readiness, bodyBytesMax, linesMax, deadlineMs, log, metrics, tracing },
    secrets: () => secrets.active(),
    memberMark: createMemberMark(config.logKey ?? randomBytes(logKeyBytes), Date.now),
  })
  const internal = createInternalListener({
    address: config.grpc,
    certificate,
    tokens,
    routes: internalRoutes({
      ...{ ledger, engine, facts, stories, journal, aside, rateLimiter, bodyBytesMax, environment, log },
      programmeReader,
    }),
    readiness: () => (rest.draining ? { ready: false, parts: { draining: 'yes' } } : readiness()),
    ...{ log, tracing },
    metrics: siblings === null ? metrics : { ...metrics, text: siblings.metricsOfAll },
  })
  const [http, address] = [await rest.listen(), await internal.listen()]
  shared.inBackground(ledger.rehearse())
  return {
    http,
    internal: address,
    secretsFile: secrets.file,
    tokensFile,
    programmeVersion,
    async stop() {
      await Promise.all([rest.drain(), rehearsal.stop()])
      const left = await journal.close(journalCloseMs)
      await flow.stop(left === 0)
      if (left > 0) log.warn({ left }, 'calculations are left in the journal of the front')
      await internal.drain()
      await Promise.all([upkeep.stop(), stopRecount(), programmeReader.close()])
      secrets.close()
      certificate?.close()
      await Promise.allSettled([aside.close(), engine.close(), front?.close(), ledger.close(), tracing?.close()])
    },
  }
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
function readyWithSiblings({ ready, parts }: ReturnType<Upkeep['readiness']>, { muster }: Siblings) {
  return { ready: ready && muster.complete, parts: { ...parts, processes: `${muster.up} of ${muster.of}` } }
}

/** OpenTelemetry takes its time to load and is of no use to whoever does not collect traces. */
async function openTraces({ traces }: Config, log: Log) {
  let tracing: Tracing | null = null
  if (traces !== null) {
    const { openTracing } = await import('./tracing/open-tracing.js')
    tracing = openTracing(traces, log)
  }
  const traced = <T extends object>(part: string, target: T): T => tracing?.over(part, target) ?? target
  return { tracing, traced }
}

/** At the same time, for both take half a second. */
async function openLedgerAndEngines(config: Config, metrics: Metrics, log: Log) {
  const engines = openEngines(config)
  try {
    const [ledger, { pool, aside }] = await Promise.all([openLedger(config, metrics, log), engines])
    return { ledger, pool, aside }
  } catch (error) {
    await engines.then(({ pool }) => pool.close()).catch(() => {})
    throw error
  }
}

/** The pricing threads of tills, and the one of everybody else, which starts when it is first wanted. */
async function openEngines({ workers, linesMax, discountCode, deadlineMs }: Config) {
  const pricing = { linesMax, discountCode, stepsMax: searchStepsMax, queueMax }
  const pool = await createPricingPool({ ...pricing, workers, taskMaxMs: deadlineMs })
  const start = () => createPricingPool({ ...pricing, workers: 1, taskMaxMs: asideTaskMaxMs })
  return { pool, aside: createAside({ live: pool, start }) }
}

async function atStart<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await patiently(work)
  } catch (error) {
    if (!(error instanceof StoreFault)) throw error
    throw new StartFault(`the ledger does not answer: ${error.message}`, { cause: error })
  }
}

/** A ledger that is busy, or starts itself, while this service does is asked again for a while: a slow start is better than none. */
async function patiently<T>(work: () => Promise<T>): Promise<T> {
  const untilMs = performance.now() + startPatienceMs
  for (;;) {
    try {
      return await work()
    } catch (error) {
      if (!(error instanceof StoreFault) || performance.now() > untilMs) throw error
      await sleep(startPauseMs)
    }
  }
}

async function openLedger(config: Config, metrics: Metrics, log: Log): Promise<Ledger> {
  const { databaseUrl, dataFolder, expiryS, idempotencyS, bodyDays, recordDays } = config
  const options = {
    expiryS,
    idempotencyS,
    bodyDays,
    recordDays,
    readMs: shareMs(config, readMsDefault),
    saleMs: shareMs(config, saleMsDefault),
    onFault: (error: unknown) => log.warn({ err: error }, 'ledger'),
  }
  try {
    const ledger =
      databaseUrl === null
        ? await openEmbedded({ folder: dataFolder, ...options })
        : await patiently(() =>
            createPostgresLedger({
              url: databaseUrl,
              readUrl: config.databaseReadUrl,
              hangMs: shareMs(config, hangMsDefault),
              onRecalled: (recalled) => logRecalled(recalled, log),
              ...options,
            }),
          )
    return observedLedger(withBreaker('ledger', ledger, breakerOptions('ledger', metrics, log)), metrics)
  } catch (error) {
    if (!(error instanceof Error)) throw error
    const where =
      databaseUrl === null ? 'LOYALTY_DATA: the ledger' : `DATABASE_URL: the ledger at ${hostOf(databaseUrl)}`
    throw new StartFault(`${where} cannot be opened: ${reasonOf(error)}`, { cause: error })
  }
}

/** PGlite is loaded where it is used alone. */
async function openEmbedded(options: EmbeddedLedgerOptions): Promise<Ledger> {
  const { createEmbeddedLedger } = await import('../store/embedded/create-embedded-ledger.js')
  return await createEmbeddedLedger(options)
}

/** What could not be put back is harm done. */
function logRecalled(recalled: Recalled, log: Log): void {
  const level = recalled.refused.length + recalled.failed > 0 ? 'error' : 'warn'
  log[level](recalled, 'a standby was promoted')
}

interface FrontWatch {
  readonly log: Log
  /** Set once there is somebody to notify. */
  circuitChanged: (open: boolean) => void
}

function openFront(config: Config, metrics: Metrics, watch: FrontWatch): Front | null {
  const { log } = watch
  const { redisUrl, environment, idempotencyS } = config
  if (redisUrl === null) return null
  const front = createFront({
    url: redisUrl,
    prefix: `loyalty-${environment}`,
    callMs: shareMs(config, callMs),
    lifetimes: { answerMs: Math.min(hotAnswerMs, idempotencyS * 1000) },
    onError: (error) => log.debug({ err: error }, 'front'),
    onGarbage(keys) {
      metrics.frontFault('garbage', keys.length)
      log.warn({ keys }, 'Redis held something under our keys that is not ours; it was dropped')
    },
  })
  const { onChange, ...options } = breakerOptions('front', metrics, log)
  const watched: BreakerOptions = {
    ...options,
    onChange(open) {
      onChange?.(open)
      watch.circuitChanged(open)
    },
  }
  return observedFront(withBreaker('front', front, watched), metrics)
}

function breakerOptions(store: 'ledger' | 'front', metrics: Metrics, log: Log): BreakerOptions {
  let isOpen = false
  metrics.watch(`loyalty_${store}_left_alone`, `1 while the ${store} is out of reach and left alone.`, () =>
    Number(isOpen),
  )
  return {
    onChange(open) {
      isOpen = open
      log.warn({ store, open }, 'breaker')
    },
  }
}

/** Hosts and ports alone: a URL may hold a password. */
function hostOf(url: string): string {
  const hosts = serverUrls(url)?.map((each) => new URL(each).host)
  return hosts?.join(', ') ?? 'the given URL'
}

/** A fault, and what the system or the server said of it. */
function reasonOf(error: Error): string {
  return error instanceof StoreFault && error.cause instanceof Error
    ? `${error.message} (${error.cause.message})`
    : error.message
}

/** A store's time for one call, which was chosen for the usual deadline: a longer one leaves it more, a shorter one cuts it off anyway. */
function shareMs({ deadlineMs }: Config, usualMs: number): number {
  return Math.round(usualMs * Math.max(1, deadlineMs / usualDeadlineMs))
}

/**
 * LOYALTY_PROGRAM is published where it differs from the newest version; the sample programme only where there is none, so that it
 * never replaces one that was published in another way. Resolves to the newest version.
 */
async function publish({ programmeFile }: Config, ledger: Ledger, log: Log): Promise<number> {
  const newest = await ledger.newestProgramme()
  if (programmeFile === null && newest !== null) return newest.version
  const read = readProgramme(await readFile(programmeFile ?? sampleProgramme, 'utf8'))
  if (read.kind === 'faulty') {
    const lines = read.faults.map(
      ({ path, expected, received }) => `  ${path}: expected ${expected}, received ${received}`,
    )
    if (read.more > 0) lines.push(`  and ${read.more} more`)
    throw new StartFault(`LOYALTY_PROGRAM: ${programmeFile} is faulty:\n${lines.join('\n')}`)
  }
  for (const warning of read.warnings) log.warn({ warning }, 'programme')
  const { document, benefitsJson, venues, members } = read.programme
  const { version } = await ledger.publishProgramme({ document, benefits: benefitsJson, venues, members })
  return version
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

interface Watched {
  readonly engine: PricingEngine
  readonly front: Front | null
  readonly journal: { readonly depth: number }
  readonly certificate: Certificate | null
}

function watch(metrics: Metrics, { engine, front, journal, certificate }: Watched): void {
  metrics.watch('loyalty_engine_waiting', 'Hand-overs to pricing threads that wait or run.', () => engine.waiting)
  metrics.watch('loyalty_journal_copies', 'Calculations answered and not yet in the ledger.', () => journal.depth)
  if (front !== null) {
    const entries = 'Calculations journalled in the front and not yet in the ledger, of all gateways.'
    metrics.watch('loyalty_journal_entries', entries, async () => (await front.journalDepth()).entries)
    const age = 'Age of the oldest of them, seconds.'
    metrics.watch('loyalty_journal_oldest_seconds', age, async () => (await front.journalDepth()).oldestMs / 1000)
  }
  if (certificate !== null) {
    const help = 'End of the validity of the certificate that is served, seconds since the epoch.'
    metrics.watch('loyalty_certificate_valid_until_seconds', help, () => certificate.validUntilS)
  }
}
