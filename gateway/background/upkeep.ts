import { setMaxListeners } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Cache } from '../../store/cache.js'
import { isOutOfReach, StoreFault } from '../../store/fault.js'
import type { GatewayProcess } from '../../store/ledger/gateways.js'
import type { PosLedger } from '../../store/ledger.js'
import type { LookupCache } from '../cache/lookup-cache.js'
import type { Log } from '../telemetry/log.js'
import type { TrafficCounter } from '../telemetry/traffic.js'
import type { Eviction } from './eviction.js'
import type { TrafficMinutes } from './traffic-minutes.js'

const refreshEveryMs = 500
const pingEveryMs = 500
const expireEveryMs = 1_000
const expireMax = 500
const expireValueEveryMs = 10_000
/** Lots of one slice, some 50 ms, and the pause after it: at the end of a year most of them expire at once. */
const expireValueMax = 200
const expireValuePauseMs = 50
const forgetEveryMs = 30_000
const sweepLaddersEveryMs = 60_000
const announceEveryMs = 10_000
const trafficEveryMs = 1_000
const sampleEveryMs = 60_000
const sumEveryMs = 5_000
/** Sales of one slice, some 100 ms of one Postgres connection. */
const sumMax = 2_000
/** Loops at once, those within a loop included. */
const loopsMax = 32

type Reach = 'up' | 'down' | 'absent'

export interface Readiness {
  readonly ready: boolean
  /** Such as `{ ledger: 'up', cache: 'down' }`. */
  readonly parts: Readonly<Record<string, string>>
}

/**
 * Work apart from calls: reads the feed of changes, checks the stores, expires calculations and value, finishes the forgetting of
 * members, stores ladders, keeps daily sums, prices what experiments withheld, counts traffic, samples limits, reports this process to the ledger.
 */
export interface Upkeep {
  readiness(): Readiness
  stop(): Promise<void>
}

interface Parts {
  readonly posLedger: PosLedger
  readonly cache: Cache | null
  /** null: there is no cache. */
  readonly eviction: Eviction | null
  readonly facts: LookupCache
  /** Finishes the forgetting of members; rejects with StoreFault. */
  readonly forgetMembers: () => Promise<void>
  /** Stores the ladders of sales, for returns; rejects with StoreFault. */
  readonly sweepLadders: (signal: AbortSignal) => Promise<void>
  /** Prices what experiments withheld; rejects with StoreFault. */
  readonly priceWithheld: (signal: AbortSignal) => Promise<void>
  readonly trafficMinutes: TrafficMinutes
  readonly traffic: Pick<TrafficCounter, 'latest'>
  /** Samples the use of shared limits; rejects with StoreFault. */
  readonly sampleLimits: () => Promise<void>
  readonly self: Omit<GatewayProcess, 'programmeVersion' | 'cache' | 'uptimeMs' | 'traffic'>
  readonly log: Log
}

export function startUpkeep(parts: Parts): Upkeep {
  const { posLedger, cache, eviction, facts, forgetMembers, sweepLadders, trafficMinutes, sampleLimits, self, log } =
    parts
  const reach: Record<'cache' | 'ledger', Reach> = { cache: cache === null ? 'absent' : 'up', ledger: 'up' }
  const stopping = new AbortController()
  // Every loop and its slices listen to it.
  setMaxListeners(loopsMax, stopping.signal)

  async function look(name: 'cache' | 'ledger', store: { ping(): Promise<void> }): Promise<void> {
    try {
      await store.ping()
      reach[name] = 'up'
    } catch (error) {
      if (!(error instanceof StoreFault)) throw error
      reach[name] = isOutOfReach(error) ? 'down' : 'up'
    }
  }

  /** Repeats until the stop; a store out of reach is tried again in the next round, a bug is logged. */
  async function every(ms: number, work: () => Promise<unknown>): Promise<void> {
    while (!stopping.signal.aborted) {
      await work().catch((error: unknown) => {
        if (!(error instanceof StoreFault) && !stopping.signal.aborted) log.error({ err: error }, 'upkeep')
      })
      await sleep(ms, undefined, { signal: stopping.signal }).catch(() => {})
    }
  }

  async function inSlices(slice: () => Promise<number>): Promise<void> {
    while (!stopping.signal.aborted && (await slice()) > 0) {
      await sleep(expireValuePauseMs, undefined, { signal: stopping.signal }).catch(() => {})
    }
  }

  async function expireValue(): Promise<void> {
    await inSlices(() => posLedger.value.announce(expireValueMax))
    await inSlices(() => posLedger.value.expire(expireValueMax))
  }

  async function announce(): Promise<void> {
    const learnt = { programmeVersion: facts.programmeVersion, cache: reach.cache, uptimeMs: process.uptime() * 1_000 }
    await posLedger.processes.announce({ ...self, ...learnt, traffic: parts.traffic.latest() })
  }

  const loops = [
    every(refreshEveryMs, () => facts.refresh()),
    every(pingEveryMs, () => look('ledger', posLedger)),
    every(pingEveryMs, async () => {
      if (cache !== null) await look('cache', cache)
      if (reach.cache === 'up') await eviction?.look()
    }),
    every(expireEveryMs, () => posLedger.calculations.expire(expireMax)),
    every(expireValueEveryMs, expireValue),
    every(announceEveryMs, announce),
    every(forgetEveryMs, forgetMembers),
    every(trafficEveryMs, () => trafficMinutes.turn()),
    every(sampleEveryMs, sampleLimits),
    every(sumEveryMs, () => inSlices(() => posLedger.reports.sum(sumMax))),
    every(sweepLaddersEveryMs, () => sweepLadders(stopping.signal)),
    every(sumEveryMs, () => parts.priceWithheld(stopping.signal)),
  ]
  return {
    readiness: () => readinessOf(reach, eviction),
    async stop() {
      stopping.abort()
      await Promise.all(loops)
      await takeLeave(parts)
    },
  }
}

function readinessOf(reach: Readonly<Record<'cache' | 'ledger', Reach>>, eviction: Eviction | null): Readiness {
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
