import { readAnswer } from '../../store/redis/record.js'
import { Dice } from '../oracle/dice.js'
import type { Mistake } from './mistakes.js'
import { answerInPacked } from './pricing.js'
import { createRedisServer, type RedisServer } from './redis-server.js'
import { createDatabase, type Database, type Tables } from './transactions.js'
import { createVirtualTime, type Owner, type VirtualTime } from './virtual-time.js'
import { createWeather, type Weather } from './weather.js'

export type StoreName = 'cache' | 'ledger'

/** One process of the service, from start to end; the next in its place is another one. */
export interface Gateway {
  readonly place: number
  readonly owner: Owner
  /** Takes no new calls: it has been asked to end. */
  draining: boolean
  /** Error of its estimate of the ledger's clock, in milliseconds. */
  clockAheadMs: number
  programmeVersion: number
  /** Calculations of which it has its own copy, or had until they were in the ledger. */
  readonly copies: Set<string>
  /** When the call that works on a key began. */
  readonly began: Map<string, number>
}

/** A failure of a store at a gateway, and how long it lasted. */
export interface Fault {
  readonly store: StoreName
  readonly place: number
  readonly fromMs: number
  readonly toMs: number
}

/** An answer that a gateway sent to a store; not all of them are stored. */
export interface SentAnswer {
  readonly store: StoreName
  readonly calculationId: string
  readonly answer: string
  readonly place: number
  /** When the call began. */
  readonly fromMs: number
}

/** An answer that was stored. */
export interface Placement {
  readonly store: StoreName
  readonly calculationId: string
  readonly answer: string
  readonly atMs: number
}

/** Options of a run beside its seed. */
export interface RunOptions {
  readonly planted?: readonly Mistake[]
  /** Called with each event as a line of text. */
  readonly trace?: (line: string) => void
}

/** The state of one run. */
export interface World {
  readonly dice: Dice
  readonly time: VirtualTime
  readonly weather: Weather
  readonly database: Database
  readonly redis: RedisServer
  readonly planted: ReadonlySet<Mistake>
  readonly expiryS: number
  readonly maxima: { readonly [limitId: string]: number }
  readonly faults: Fault[]
  readonly placements: Placement[]
  readonly sent: SentAnswer[]
  /** When the cache lost something. */
  readonly losses: number[]
  /** Journalled records that the cache lost before they were in the ledger. */
  readonly lost: Set<string>
  /** Errors in background work of use cases. */
  readonly bugs: string[]
  /** The gateways' places; a new process takes the place of one that died. */
  readonly gateways: Gateway[]
  living(): readonly Gateway[]
  /** No delays and losses any more. */
  calm: boolean
  /** By how much the ledger's clock has been set forward, in milliseconds. */
  ledgerAheadMs: number
  /** How likely a ledger call gets no time because of load, though the ledger is up. */
  busyShare: number
  /** How likely a gateway dies at any one step of a store call. */
  killShare: number
  ledgerNowMs(): number
  hopMs(): number
  /** Writes a line to the trace, if there is one. */
  trace(line: () => string): void
  noteFault(store: StoreName, gateway: Gateway, fromMs: number): void
  maybeKill(gateway: Gateway): void
  /** Changes the cache's memory, and records which journalled records are lost by it. */
  loseMemory(change: () => void): void
}

/** The epoch of the ledger's clock: differs from a process's own clock, so that a mix-up shows. */
const epochMs = 1_790_000_000_000

/** @param onCommit  receives the ledger's tables after every commit */
export function createWorld(
  seed: number,
  { planted = [], trace }: RunOptions,
  onCommit: (tables: Tables) => void,
): World {
  const dice = new Dice(seed)
  const time = createVirtualTime(dice)
  const ledgerNowMs = () => Math.round(epochMs + time.nowMs + world.ledgerAheadMs)
  const world: World = {
    dice,
    time,
    weather: createWeather(dice),
    database: createDatabase(time, dice, onCommit),
    redis: createRedisServer(time, (calculationId, answer) => {
      world.placements.push({
        store: 'cache',
        calculationId,
        answer: answerInPacked(Buffer.from(readAnswer(calculationId, answer)!.packed)),
        atMs: time.nowMs,
      })
    }),
    planted: new Set(planted),
    expiryS: dice.pick([1, 2, 4]),
    maxima: { a: dice.pick([1, 2, 5]), b: dice.pick([2, 4]), bm: dice.pick([1, 2]), c: dice.pick([1, 2, 3]) },
    faults: [],
    placements: [],
    sent: [],
    losses: [],
    lost: new Set(),
    bugs: [],
    gateways: [],
    living: () => world.gateways.filter(({ owner }) => owner.alive),
    ledgerAheadMs: 0,
    busyShare: 0,
    killShare: 0,
    calm: false,
    ledgerNowMs,
    trace(line) {
      trace?.(`${time.nowMs.toFixed(1)} ${line()}`)
    },
    hopMs() {
      const throwOf = dice.next()
      if (throwOf < 0.8 || world.calm) return dice.next() * 1.5
      return throwOf < 0.98 ? dice.next() * 15 : dice.next() * 90
    },
    noteFault(store, { place }, fromMs) {
      world.faults.push({ store, place, fromMs, toMs: time.nowMs })
    },
    maybeKill({ owner, place }) {
      if (world.killShare > 0 && dice.chance(world.killShare)) {
        owner.alive = false
        world.trace(() => `gateway ${place} dies`)
      }
    },
    loseMemory(change) {
      const { redis, database } = world
      const before = redis.journalled()
      change()
      world.losses.push(time.nowMs)
      for (const id of before) {
        if (!redis.holds(id).record && !database.tables.calculations.has(id)) world.lost.add(id)
      }
    },
  }
  return world
}
