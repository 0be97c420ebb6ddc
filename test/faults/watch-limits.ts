import { setTimeout as sleep } from 'node:timers/promises'
import { aBasket, aSale } from '../e2e/basket.js'
import type { CounterClient } from './counter-client.js'
import type { Probe } from './evidence.js'
import { finalAnswer } from './history.js'
import { readCounters } from './ledger-rows.js'
import { grantsOf, limitedProducts, unitPrice } from './programmes.js'
import type { World } from './world.js'

/** Pause between two looks, in milliseconds. */
const everyMs = 150

/** Reads the counters repeatedly during a run, as long as the ledger can be read. */
export interface LimitWatch {
  /** Ends it; resolves to counters seen over their maximum. */
  stop(): Promise<readonly string[]>
}

export function watchLimits({ sql }: Pick<World, 'sql'>, maxima: ReadonlyMap<string, number>): LimitWatch {
  const sightings = new Set<string>()
  let watching = true

  async function look(): Promise<void> {
    for (const { limitId, subject, used, open } of await readCounters(sql)) {
      const maximum = maxima.get(limitId) ?? 0
      if (used + open > maximum)
        sightings.add(`${limitId}|${subject}: used ${used} + open ${open} > maximum ${maximum}`)
    }
  }

  async function run(): Promise<void> {
    while (watching) {
      // A ledger that is down cannot be read; the next look tries again.
      await Promise.race([look().catch(() => {}), sleep(2_000)])
      await sleep(everyMs)
    }
  }

  const running = run()
  return {
    async stop() {
      watching = false
      await running
      return [...sightings]
    },
  }
}

/** Products whose only limit is global and counts units: one basket can ask for all its free units. */
const probed = limitedProducts.flatMap(({ productId, limits }) => {
  const [limit] = limits
  const alone = limits.length === 1 && limit?.scope === 'everyone' && limit.period === 'ever'
  return alone && limit.maximum < 1_000 ? [{ productId, ...limit }] : []
})

const berlin = { venueId: 'venue-1', baxId: 'bax-1', cashRegisterId: 'register-1', channel: 'pos' }

/** Asks every gateway in turn for all free units of each such limit, and gives them back (I10). No other client sends. */
export async function probeLimits(world: Probed, client: CounterClient, scale: Scale): Promise<readonly Probe[]> {
  const probes: Probe[] = []
  for (const { productId, limitId, maximum } of probed) {
    for (let gateway = 0; gateway < world.gateways.length; gateway += 1) {
      const most = scale.maxima.get(limitId) ?? maximum
      probes.push(
        await probeUntilGranted(world, client, { productId, limitId, most, gateway, withinMs: scale.withinMs }),
      )
    }
  }
  return probes
}

/** The parts of a world that are asked. */
type Probed = Pick<World, 'sql'> & { readonly gateways: readonly unknown[] }

interface Scale {
  readonly maxima: ReadonlyMap<string, number>
  /** Free units must be granted within this time. */
  readonly withinMs: number
}

interface Wanted {
  readonly productId: string
  readonly limitId: string
  readonly most: number
  readonly gateway: number
  readonly withinMs: number
}

async function probeUntilGranted(world: Probed, client: CounterClient, wanted: Wanted): Promise<Probe> {
  const untilMs = performance.now() + wanted.withinMs
  for (;;) {
    const probe = await probeOnce(world, client, wanted)
    if (probe.granted === probe.free || performance.now() > untilMs) return probe
    await sleep(200)
  }
}

async function probeOnce(
  world: Probed,
  client: CounterClient,
  { productId, limitId, most, gateway }: Wanted,
): Promise<Probe> {
  const free = await freeUnits(world, limitId, most)
  if (free === 0) return { counter: limitId, gateway, free, granted: 0 }
  const basket = aBasket('card-1', berlin).line({ productId, unitPrice, quantity: free }).body()
  const key: string = basket['calculationId']
  const call = await client.call({ endpoint: 'basket', key, body: JSON.stringify(basket), gateway })
  const answer = finalAnswer(call)
  const grants = answer?.status === 200 ? grantsOf(JSON.parse(answer.text)) : []
  const sale = aSale(basket, { status: 'cancelled', transactionId: null })
  await client.call({ endpoint: 'sale', key, body: JSON.stringify(sale), gateway })
  return { counter: limitId, gateway, free, granted: grants[0]?.units ?? 0 }
}

async function freeUnits({ sql }: Probed, limitId: string, maximum: number): Promise<number> {
  const counter = (await readCounters(sql)).find((each) => each.limitId === limitId)
  if (counter === undefined) return maximum
  const { used, late, open, expired } = counter
  return Math.max(0, maximum - used - late - (open - expired))
}
