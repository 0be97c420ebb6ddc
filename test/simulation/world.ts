import { readAnswer } from '../../store/redis/record.js'
import { Dice } from '../support/dice.js'
import { answerInPacked } from './bodies.js'
import type { Gateway, StoreName } from './gateway-place.js'
import type { Mistake } from './mistakes.js'
import { createRedisServer, type RedisServer } from './redis-server.js'
import { createDatabase, type Database, type Tables } from './transactions.js'
import { giveOpeningBalances } from './value-programme.js'
import { createVirtualTime, type VirtualTime } from './virtual-time.js'
import { createWeather, type Weather } from './weather.js'

/** A store that failed a gateway, for how long. */
export interface Fault {
  readonly store: StoreName
  readonly place: number
  readonly fromMs: number
  readonly toMs: number
}

/** An answer that a gateway sent to a store to be kept; not all of them are. */
export interface SentAnswer {
  readonly store: StoreName
  readonly calculationId: string
  readonly answer: string
  readonly place: number
  /** When the call began. */
  readonly fromMs: number
}

/** An answer that came to stand in a store. */
export interface Placement {
  readonly store: StoreName
  readonly calculationId: string
  readonly answer: string
  readonly atMs: number
}

/** What a run is asked for beside its seed. */
export interface RunOptions {
  readonly planted?: readonly Mistake[]
  /** Receives what happens, line by line. */
  readonly trace?: (line: string) => void
}

/** Everything that one run is made of. */
export interface World {
  readonly dice: Dice
  readonly time: VirtualTime
  readonly weather: Weather
  readonly database: Database
  readonly redis: RedisServer
  readonly planted: ReadonlySet<Mistake>
  readonly expiryS: number
  readonly maxima: { readonly [limitId: string]: number }
  /** Whether benefits cost value; then prices depend on hints of what a member has. */
  readonly hasCosts: boolean
  readonly faults: Fault[]
  readonly placements: Placement[]
  readonly sent: SentAnswer[]
  /** When the cache lost something. */
  readonly losses: number[]
  /** Journalled records that the cache lost before the ledger had them. */
  readonly lost: Set<string>
  /** What went wrong in a use case that nobody awaits. */
  readonly bugs: string[]
  /** The gateways' places; a new process takes the place of one that died. */
  readonly gateways: Gateway[]
  living(): readonly Gateway[]
  /** Nothing is slow or lost any more. */
  calm: boolean
  /** By how much the ledger's clock has been set forward, in milliseconds. */
  ledgerAheadMs: number
  /** How likely the queue leaves a call no time on the ledger, which is there. */
  busyShare: number
  /** When the last fault that is known ends, by the virtual clock: some end, or begin again, after `heal`. */
  quietAtMs: number
  /** How likely a gateway dies at any one step of a store call. */
  killShare: number
  ledgerNowMs(): number
  hopMs(): number
  /** Tells the run's use case as it goes, where somebody wants to read it. */
  trace(line: () => string): void
  noteFault(store: StoreName, gateway: Gateway, fromMs: number): void
  maybeKill(gateway: Gateway): void
  /** Changes the cache's memory, and notes which journalled records are gone by it. */
  loseMemory(change: () => void): void
}

/** The epoch of the ledger's clock: nobody may take it for a process's own. */
const epochMs = 1_790_000_000_000

/** @param onCommit  sees the ledger after every commit */
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
    hasCosts: dice.chance(0.8),
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
    quietAtMs: 0,
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
  giveOpeningBalances(world.database.tables, dice)
  return world
}
