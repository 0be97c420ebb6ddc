import { compareMs } from '../../store/postgres/calculations/ledger-clock.js'
import type { RunningGateway } from './gateway.js'
import type { StoreName } from './gateway-place.js'
import type { Owner } from './virtual-time.js'
import type { World } from './world.js'

/** Kinds of faults. A run has some of them, so that rare faults also occur without others. */
const kinds = [
  'kill_gateway',
  'kill_at_steps',
  'pause_gateway',
  'end_gateway',
  'cache_refuses',
  'cache_hangs',
  'cache_restarts',
  'cache_restarts_empty',
  'cache_rolls_back',
  'cache_full',
  'cache_drops_calls',
  'ledger_refuses',
  'ledger_hangs',
  'ledger_crashes',
  'ledger_drops_calls',
  'ledger_is_busy',
  'clocks_jump',
  'ledger_clock_steps',
  'programme_changes',
] as const
type Kind = (typeof kinds)[number]

/** How long a gateway that was asked to end may flush its journal, in milliseconds. */
const closeMs = 1_000

/** Causes faults by the seed until then; every fault ends by itself, some of the cache after `heal`. */
export function unleash(world: World, withinMs: number): void {
  const { dice, time } = world
  const chosen = dice.some(kinds.filter(() => dice.chance(0.3)).concat(dice.pick(kinds)))
  const nature: Owner = { alive: true, resumesAtMs: 0 }
  for (const kind of chosen) {
    for (let times = dice.between(1, 3); times > 0; times -= 1) {
      time.after(dice.next() * withinMs, nature, () => strike(world, kind, nature))
    }
  }
}

/** Everything is up again: servers, gateways, connections. */
export function heal(world: World, start: (place: number) => RunningGateway): void {
  const { redis, database, weather, time } = world
  weather.clear()
  world.killShare = 0
  world.busyShare = 0
  redis.full = false
  for (const gateway of world.gateways) gateway.clockAheadMs = 0
  for (const owner of [redis.owner, database.owner]) owner.resumesAtMs = Math.min(owner.resumesAtMs, time.nowMs)
  for (const [place, { owner, draining }] of world.gateways.entries()) {
    owner.resumesAtMs = Math.min(owner.resumesAtMs, time.nowMs)
    if (!owner.alive || draining) world.gateways[place] = start(place)
  }
}

/** Starts a new gateway in the place of a dead one, as a supervisor does. */
export function restartDead(world: World, start: (place: number) => RunningGateway): void {
  for (const [place, { owner }] of world.gateways.entries()) {
    if (!owner.alive) world.gateways[place] = start(place)
  }
}

function strike(world: World, kind: Kind, nature: Owner): void {
  const { dice, time, redis, database, weather } = world
  const gateway = dice.pick(world.gateways)
  const lasting = dice.pick([100, 400, 1_500, 4_000]) * dice.next()
  world.trace(() => `${kind} gateway ${gateway.place} ${lasting.toFixed(0)} ms`)
  const later = (happen: () => void) => {
    world.quietAtMs = Math.max(world.quietAtMs, time.nowMs + lasting)
    time.after(lasting, nature, happen)
  }
  const drops = (store: StoreName) => {
    weather.lossShare[store] = dice.pick([0.02, 0.1, 0.4])
    later(() => {
      weather.lossShare[store] = 0
    })
  }
  const crashCache = () => {
    redis.owner.alive = false
    weather.crashed(redis.owner)
    redis.owner = { alive: true, resumesAtMs: 0 }
    later(weather.refuse('cache', 'all'))
  }
  switch (kind) {
    case 'kill_gateway':
      gateway.owner.alive = false
      return
    case 'kill_at_steps':
      world.killShare = dice.pick([0.003, 0.01, 0.03])
      later(() => {
        world.killShare = 0
      })
      return
    case 'pause_gateway':
      gateway.owner.resumesAtMs = time.nowMs + lasting
      return
    case 'end_gateway':
      end(gateway as RunningGateway)
      return
    case 'cache_refuses':
      later(weather.refuse('cache', dice.chance(0.5) ? 'all' : gateway.place))
      return
    case 'cache_hangs':
      redis.owner.resumesAtMs = time.nowMs + lasting
      return
    case 'cache_restarts':
      crashCache()
      return
    case 'cache_restarts_empty':
      crashCache()
      world.loseMemory(redis.wipe)
      return
    case 'cache_rolls_back': {
      const restore = redis.copyMemory()
      later(() => {
        crashCache()
        world.loseMemory(restore)
      })
      return
    }
    case 'cache_full':
      redis.full = true
      later(() => {
        redis.full = false
      })
      return
    case 'cache_drops_calls':
      drops('cache')
      return
    case 'ledger_refuses':
      later(weather.refuse('ledger', dice.chance(0.5) ? 'all' : gateway.place))
      return
    case 'ledger_hangs':
      database.owner.resumesAtMs = time.nowMs + lasting
      return
    case 'ledger_crashes':
      weather.crashed(database.owner)
      database.crash()
      later(weather.refuse('ledger', 'all'))
      return
    case 'ledger_drops_calls':
      drops('ledger')
      return
    case 'ledger_is_busy':
      world.busyShare = dice.pick([0.1, 0.5, 0.9])
      later(() => {
        world.busyShare = 0
      })
      return
    case 'clocks_jump':
      gateway.clockAheadMs = (dice.next() - 0.5) * 2_000
      time.after(dice.next() * compareMs, nature, () => {
        gateway.clockAheadMs = 0
      })
      redis.clockAheadMs += dice.pick([-60_000, -500, 2_000, 30_000]) * dice.next()
      return
    case 'ledger_clock_steps': {
      const stepMs = dice.pick([300, 6_000]) * dice.next()
      world.ledgerAheadMs += stepMs
      for (const each of world.gateways) {
        each.clockAheadMs -= stepMs
        time.after(dice.next() * compareMs, nature, () => {
          each.clockAheadMs = 0
        })
      }
      return
    }
    case 'programme_changes':
      publish(world, nature)
      return
  }
}

/** SIGTERM: no new calls, the running ones finish, the journal is flushed. */
function end(gateway: RunningGateway): void {
  gateway.draining = true
  const leave = (left: number) => gateway.barrier.stop(left === 0)
  const dead = () => {
    gateway.owner.alive = false
  }
  void gateway.journal.close(closeMs).then(leave).then(dead, dead)
}

/** Each gateway receives it at its own time. */
function publish(world: World, nature: Owner): void {
  const version = Math.max(...world.gateways.map(({ programmeVersion }) => programmeVersion)) + 1
  for (const gateway of world.gateways) {
    world.time.after(world.dice.next() * 500, nature, () => {
      gateway.programmeVersion = version
    })
  }
}
