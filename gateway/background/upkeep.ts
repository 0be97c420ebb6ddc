import { setTimeout as sleep } from 'node:timers/promises'
import { getHeapStatistics } from 'node:v8'
import { collectGarbage } from '../../engine/thread/v8-flags.js'
import type { Cache } from '../../store/cache.js'
import { isOutOfReach, StoreFault } from '../../store/fault.js'
import type { Due, GatewayProcess } from '../../store/ledger/gateways.js'
import type { PosLedger } from '../../store/ledger.js'
import type { LookupCache } from '../cache/lookup-cache.js'
import type { Log } from '../telemetry/log.js'
import type { TrafficCounter } from '../telemetry/traffic.js'
import type { Eviction } from './eviction.js'
import type { Journal } from './journal.js'
import type { TrafficMinutes } from './traffic-minutes.js'
import type { Webhooks } from './webhooks.js'

/**
 * Interval of the look at both stores, in milliseconds: a change is in force within 2 s everywhere. A look costs 1 to 2 ms of processor time
 * over all processes, so this is what an idle gateway costs.
 */
const lookEveryMs = 1_000
/** The same while baskets use what it keeps fresh. */
const lookInUseMs = 500
/** The same while a store does not answer: an outage takes five attempts (store/postgres/connection/attempts.ts). */
const lookAgainMs = 250
/** Timers are late by some milliseconds. */
const slackMs = 100
/** Milliseconds without baskets after which garbage beyond `garbageMax` bytes is collected: V8 waits for more of it, which never comes. */
const restMs = 5_000
const garbageMax = 32 * 2 ** 20
const expireMax = 500
/** Lots of one slice, some 50 ms, and the pause after it: at the end of a year most of them expire at once. */
const expireValueMax = 200
const slicePauseMs = 50
/** Sales of one slice, some 100 ms of one Postgres connection. */
const sumMax = 2_000

type Reach = 'up' | 'down' | 'absent'

export interface Readiness {
  readonly ready: boolean
  /** Such as `{ ledger: 'up', cache: 'down' }`. */
  readonly parts: Readonly<Record<string, string>>
}

/** Work apart from calls. A look at the ledger brings the changes and shows that it is in reach; another one names the work that waits. */
export interface Upkeep {
  readiness(): Readiness
  stop(): Promise<void>
}

/** Work that begins at most every `everyMs`; with `due`, only while the ledger has some. Rejects with StoreFault. */
interface Work {
  readonly everyMs: number
  readonly due?: Due
  run(): Promise<unknown>
}

interface Parts {
  readonly posLedger: PosLedger
  readonly facts: LookupCache
  readonly journal: Pick<Journal, 'tidy'>
  readonly cache: Cache | null
  /** null: there is no cache. */
  readonly eviction: Eviction | null
  /** Finishes the forgetting of members; rejects with StoreFault, like the others. */
  readonly forgetMembers: () => Promise<void>
  /** Stores the ladders of sales, for returns. */
  readonly sweepLadders: (signal: AbortSignal) => Promise<void>
  /** Prices what experiments withheld. */
  readonly priceWithheld: (signal: AbortSignal) => Promise<void>
  /** Publishes scheduled programmes whose moment has come. */
  readonly publishDue: (signal: AbortSignal) => Promise<void>
  readonly webhooks: Pick<Webhooks, 'look'>
  readonly recount: () => Promise<void>
  readonly trafficMinutes: TrafficMinutes
  readonly traffic: Pick<TrafficCounter, 'latest'>
  /** Samples the use of shared limits. */
  readonly sampleLimits: () => Promise<void>
  readonly self: Omit<GatewayProcess, 'programmeVersion' | 'cache' | 'uptimeMs' | 'traffic'>
  readonly log: Log
}

type Reaches = Record<'cache' | 'ledger', Reach>

export function startUpkeep(parts: Parts): Upkeep {
  const { posLedger, facts, cache, eviction, log } = parts
  const reach: Reaches = { cache: cache === null ? 'absent' : 'up', ledger: 'up' }
  const stopping = new AbortController()
  const works = worksOf(parts, reach, stopping.signal)
  const { begin, ended } = createRounds(log, stopping.signal)

  async function look<T>(store: 'cache' | 'ledger', ask: () => Promise<T>): Promise<T> {
    try {
      const found = await ask()
      reach[store] = 'up'
      return found
    } catch (error) {
      if (error instanceof StoreFault) reach[store] = isOutOfReach(error) ? 'down' : 'up'
      throw error
    }
  }

  let wasDue: readonly Due[] = []
  const ledgerLook: Work = {
    everyMs: 0,
    run: () => look('ledger', () => facts.refresh()),
  }
  const dueLook: Work = {
    everyMs: 0,
    async run() {
      const due = await posLedger.changes.due()
      // Once more after the last of it: the figures of webhooks go back to 0.
      const begins = new Set([...due, ...wasDue])
      for (const work of works) if (work.due !== undefined && begins.has(work.due)) begin(work)
      wasDue = due
    },
  }
  const cacheLook: Work = {
    everyMs: 0,
    async run() {
      if (cache === null) return
      await look('cache', () => cache.ping())
      await eviction?.look()
    },
  }

  async function run(): Promise<void> {
    const tidyHeap = createHeapTidying()
    while (!stopping.signal.aborted) {
      const isDown = reach.ledger === 'down' || reach.cache === 'down'
      const isUsed = facts.wasUsed()
      const pauseMs = isUsed ? lookInUseMs : lookEveryMs
      tidyHeap(isUsed)
      begin(ledgerLook)
      begin(dueLook)
      begin(cacheLook)
      for (const work of works) if (work.due === undefined) begin(work)
      await sleep(isDown ? lookAgainMs : pauseMs, undefined, { signal: stopping.signal }).catch(() => {})
    }
  }

  const rounds = run()
  return {
    readiness: () => readinessOf(reach, eviction),
    async stop() {
      stopping.abort()
      await rounds
      await ended()
      await takeLeave(parts)
    },
  }
}

/** Works under way, and when each began. */
function createRounds(log: Log, signal: AbortSignal) {
  const beganAtMs = new Map<Work, number>()
  const running = new Map<Work, Promise<void>>()

  /** Begins work unless it runs, or began too short a time ago. A store out of reach is tried again in a later round, a bug is logged. */
  function begin(work: Work): void {
    const nowMs = performance.now()
    const restsUntilMs = (beganAtMs.get(work) ?? Number.NEGATIVE_INFINITY) + work.everyMs - slackMs
    if (running.has(work) || nowMs < restsUntilMs) return
    beganAtMs.set(work, nowMs)
    const ended = work.run().catch((error: unknown) => {
      if (!(error instanceof StoreFault) && !signal.aborted) log.error({ err: error }, 'upkeep')
    })
    running.set(
      work,
      ended.then(() => void running.delete(work)),
    )
  }

  return { begin, ended: () => Promise.all(running.values()) }
}

/** Without this a process keeps what a start or a load has left: 50 to 110 MB. */
function createHeapTidying(): (isUsed: boolean) => void {
  let restsFromMs = performance.now()
  let live = 0
  return (isUsed) => {
    if (isUsed) restsFromMs = performance.now()
    if (performance.now() - restsFromMs < restMs || getHeapStatistics().used_heap_size - live < garbageMax) return
    collectGarbage()
    live = getHeapStatistics().used_heap_size
  }
}

function worksOf(parts: Parts, reach: Readonly<Reaches>, signal: AbortSignal): readonly Work[] {
  const { posLedger, facts, trafficMinutes, sampleLimits, self } = parts
  const { calculations, value, reports, processes } = posLedger

  async function inSlices(slice: () => Promise<number>): Promise<void> {
    while (!signal.aborted && (await slice()) > 0) await sleep(slicePauseMs, undefined, { signal }).catch(() => {})
  }

  async function expireValue(): Promise<void> {
    await inSlices(() => value.announce(expireValueMax))
    await inSlices(() => value.expire(expireValueMax))
  }

  async function announce(): Promise<void> {
    const learnt = { programmeVersion: facts.programmeVersion, cache: reach.cache, uptimeMs: process.uptime() * 1_000 }
    await processes.announce({ ...self, ...learnt, traffic: parts.traffic.latest() })
    await posLedger.traffic.judge()
  }

  return [
    { due: 'calculations', everyMs: 1_000, run: () => calculations.expire(expireMax) },
    { due: 'value', everyMs: 5_000, run: expireValue },
    { due: 'sums', everyMs: 5_000, run: () => inSlices(() => reports.sum(sumMax)) },
    { due: 'withheld', everyMs: 5_000, run: () => parts.priceWithheld(signal) },
    { due: 'publications', everyMs: 1_000, run: () => parts.publishDue(signal) },
    { due: 'webhooks', everyMs: 0, run: () => parts.webhooks.look() },
    { everyMs: 1_000, run: () => parts.journal.tidy() },
    { everyMs: 5_000, run: parts.recount },
    { everyMs: 10_000, run: announce },
    { everyMs: 30_000, run: parts.forgetMembers },
    { everyMs: 60_000, run: () => parts.sweepLadders(signal) },
    { everyMs: 60_000, run: sampleLimits },
    { everyMs: 1_000, run: () => trafficMinutes.turn() },
  ]
}

function readinessOf(reach: Readonly<Reaches>, eviction: Eviction | null): Readiness {
  const ready = reach.ledger === 'up' || reach.cache === 'up'
  const policy = eviction?.policy ?? null
  // A cache that may evict keys works, but an operator must change its settings.
  const evicts = reach.cache === 'up' && policy !== null
  return {
    ready,
    parts: { ...reach, ...(evicts ? { cache: `up, but may evict keys (maxmemory-policy ${policy})` } : {}) },
  }
}

/** The service does not depend on it: without it the process is silent a minute later, and its last minute is not counted. */
async function takeLeave({ posLedger, self, trafficMinutes, log }: Parts): Promise<void> {
  const leaving = [posLedger.processes.withdraw(self.processId), trafficMinutes.end()]
  for (const outcome of await Promise.allSettled(leaving)) {
    if (outcome.status === 'fulfilled' || outcome.reason instanceof StoreFault) continue
    log.error({ err: outcome.reason }, 'upkeep')
  }
}
