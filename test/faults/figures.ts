import { createHistogram } from 'node:perf_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import { aBasket } from '../e2e/basket.js'
import { startService, unhurried } from '../e2e/service.js'
import { Dice } from '../support/dice.js'
import type { PostgresServer } from '../support/servers/start-postgres.js'
import { type CounterClient, createCounterClient } from './counter-client.js'
import { finalAnswer } from './history.js'
import { rushForLastUnits } from './last-units.js'
import { programmeFile, unitPrice } from './programme-limits.js'
import { openWorld } from './world.js'

const berlin = { venueId: 'venue-1', baxId: 'bax-1', cashRegisterId: 'register-1', channel: 'pos' }
/** Open loop. */
const perSecond = 50
const seconds = 20
const warmUpSeconds = 5
/** Closed loop on one limit: this many POS callers ask again after each answer. */
const hotPosCallers = 32
const hotSeconds = 10
const rushPosCallers = 1_000
/** Time for every POS to have its answer, in milliseconds. */
const rushMs = 120_000
/** How long a POS waits for an answer of a service with a deadline of 4.5 s, in milliseconds. */
const unhurriedWaitsMs = 6_000

/**
 * Measures the speed that must hold: a basket without limited benefits costs one round trip to Redis, a basket with them one to each
 * store and a commit. Also measures how many calls a second one hot limit sustains. Two gateways, all on one machine.
 *
 * @param postgres with fsync on, or the commit costs nothing
 */
export async function measureFigures(postgres: PostgresServer): Promise<readonly string[]> {
  const dice = new Dice(1)
  const world = await openWorld({ postgres, dice, redis: { durable: true }, env: { LOYALTY_EXPIRY_S: '1800' } })
  const client = createCounterClient(world.doors, dice)
  try {
    for (const product of ['coffee', 'hot']) await openLoop(client, product, warmUpSeconds)
    const lines: string[] = []
    lines.push(`basket without limited benefits, ${perSecond}/s: ${await openLoop(client, 'coffee', seconds)}`)
    lines.push(`basket with one limited benefit, ${perSecond}/s: ${await openLoop(client, 'hot', seconds)}`)
    lines.push(`one hot limit, ${hotPosCallers} POS callers at once: ${await closedLoop(client)}`)
    return lines
  } finally {
    await client.close()
    await world.close()
  }
}

/** Units granted to a thousand POS callers at once on the last ten, once per seed. */
export async function rushAgainAndAgain(postgres: PostgresServer, seeds: number): Promise<string> {
  const granted: number[] = []
  for (let seed = 1; seed <= seeds; seed += 1) {
    const world = await openWorld({ postgres, dice: new Dice(seed), env: { LOYALTY_EXPIRY_S: '1800' } })
    try {
      const rush = await rushForLastUnits(world.doors, rushPosCallers, seed, rushMs)
      granted.push(rush.answered === rushPosCallers ? rush.granted : Number.NaN)
    } finally {
      await world.close()
    }
  }
  return `${rushPosCallers} POS callers on the last 10 units, two gateways, ${seeds} seeds: granted ${granted.join(' ')}`
}

/** The same on the embedded store, with one gateway. A thousand commits take longer than the usual deadline. */
export async function rushOnEmbedded(seeds: number): Promise<string> {
  const granted: number[] = []
  for (let seed = 1; seed <= seeds; seed += 1) {
    const service = await startService({ env: { ...unhurried, LOYALTY_PROGRAM: programmeFile, LOYALTY_LOG: 'error' } })
    try {
      const doors = { count: 1, url: () => service.url, secret: service.secret, waitsMs: unhurriedWaitsMs }
      const rush = await rushForLastUnits(doors, rushPosCallers, seed, rushMs)
      granted.push(rush.answered === rushPosCallers ? rush.granted : Number.NaN)
    } finally {
      await service.stop()
    }
  }
  return `${rushPosCallers} POS callers on the last 10 units, embedded store, ${seeds} seeds: granted ${granted.join(' ')}`
}

async function openLoop(client: CounterClient, productId: string, forSeconds: number): Promise<string> {
  const latencies = createHistogram()
  const calls: Promise<void>[] = []
  const began = performance.now()
  let refused = 0
  for (let sent = 0; sent < perSecond * forSeconds; sent += 1) {
    const dueAt = began + (sent / perSecond) * 1000
    await sleep(Math.max(0, dueAt - performance.now()))
    calls.push(
      sendOne(client, productId).then((ms) => {
        if (ms === null) refused += 1
        else latencies.record(Math.max(1, Math.round(ms * 1000)))
      }),
    )
  }
  await Promise.all(calls)
  const ms = (percentile: number) => (latencies.percentile(percentile) / 1000).toFixed(1)
  return `p50 ${ms(50)} ms, p99 ${ms(99)} ms, ${latencies.count} calls, ${refused} not answered at once`
}

async function closedLoop(client: CounterClient): Promise<string> {
  const untilMs = performance.now() + hotSeconds * 1000
  let granted = 0
  const pos = async () => {
    while (performance.now() < untilMs) if ((await sendOne(client, 'hot')) !== null) granted += 1
  }
  await Promise.all(Array.from({ length: hotPosCallers }, pos))
  return `${Math.round(granted / hotSeconds)} calls/s`
}

/** Milliseconds until the answer; null without an answer or without the benefit. */
async function sendOne(client: CounterClient, productId: string): Promise<number | null> {
  const basket = aBasket('card-1', berlin)
    .line({ productId, unitPrice: productId === 'coffee' ? 450 : unitPrice })
    .body()
  const call = await client.call({ endpoint: 'basket', key: basket['calculationId'], body: JSON.stringify(basket) })
  const [first] = call.attempts
  const applied = JSON.parse(finalAnswer(call)?.text ?? '{}').status === 'applied'
  return applied && call.attempts.length === 1 ? first!.endedAt! - first!.sentAt : null
}
