import { setTimeout as sleep } from 'node:timers/promises'
import { type KillMoment, withFailpoint } from '../failpoints/failpoint.js'
import type { GatewaySlot } from '../gateway-slot.js'
import type { FaultCase, Stage } from '../run-case.js'
import { limitedBasket } from '../traffic.js'

/** Every store call of a basket, a sale and the journal at which a gateway may die, in their order. */
const places = [
  'cache.findAnswer',
  'ledger.calculations.findAnswer',
  'cache.claim',
  'cache.reserve',
  'ledger.counters.lookUp',
  'cache.loadCounters',
  'ledger.calculations.confirm',
  'cache.remember',
  'cache.confirmHold',
  'cache.keep',
  'ledger.calculations.store',
  'cache.forgetJournalled',
  'cache.findJournalled',
  'ledger.sales.record',
] as const
const moments: readonly KillMoment[] = ['before', 'during', 'after']
/** The process dies at up to this call of a place, so that it is already working. */
const nthMax = 6
/** Time for a place to be reached, in milliseconds; generous, for a busy machine. */
const reachedMs = 20_000

export const failpointCases: readonly FaultCase[] = [
  { id: 'F2', title: 'a gateway killed at each call of its stores: before it, under it, after it', run: killAtPlaces },
  {
    id: 'F5',
    title: 'pricing threads in endless loops',
    async run({ world, full }) {
      await restartAll(world.gateways, withFailpoint('loop 40'))
      await sleep(full ? 20_000 : 4_000)
      await restartAll(world.gateways, {})
    },
  },
  { id: 'F38', title: 'the wall clock of one gateway is wrong by 200 and 301 s and by half an hour', run: wrongClocks },
  {
    id: 'F48',
    title: 'the event loop blocked for 1 s, again and again',
    async run({ world, full }) {
      await restartAll(world.gateways, withFailpoint('block 1000 2500'))
      await sleep(full ? 20_000 : 5_000)
      await restartAll(world.gateways, {})
    },
  },
]

async function killAtPlaces({ world, dice, full }: Stage): Promise<readonly string[]> {
  const every = places.flatMap((place) => moments.map((moment) => `kill ${place} ${moment}`))
  const chosen = full ? every : places.map((place) => `kill ${place} ${dice.pick(moments)}`)
  for (const [round, what] of chosen.entries()) {
    const slot = world.gateways[round % world.gateways.length]!
    await slot.end('SIGKILL')
    // The journal starts before the process listens, so it may have died by then.
    await slot.start(withFailpoint(`${what} ${dice.between(1, nthMax)}`)).catch(() => {})
    const untilMs = performance.now() + reachedMs
    while (slot.service !== null && performance.now() < untilMs) await sleep(20)
    if (slot.service !== null) return [`the process ends at "${what}"`]
    await slot.end('SIGKILL')
    await slot.start()
  }
  return []
}

/** A wrong wall clock only makes signatures stale; expiry uses the ledger's clock, so limits hold. */
async function wrongClocks({ world, full, dice }: Stage): Promise<readonly string[]> {
  const missed: string[] = []
  const [wrong, right] = world.gateways as readonly [GatewaySlot, GatewaySlot]
  for (const seconds of [200, -200, 301, -301, 1_800, -1_800]) {
    await wrong.end('SIGTERM')
    await wrong.start(withFailpoint(`clock ${seconds * 1_000}`))
    await sleep(full ? 8_000 : 1_500)
    const isStale = Math.abs(seconds) > 300
    for (const slot of [wrong, right]) {
      const basket = limitedBasket(dice)
      const { status, text } = await slot.service!.send('/v1/pos/basket', JSON.stringify(basket), {
        key: basket['calculationId'],
      })
      const refused = status === 401 && text.includes('stale_timestamp')
      if (refused !== (slot === wrong && isStale)) missed.push(`${seconds} s off: ${status} ${text.slice(0, 200)}`)
    }
  }
  await wrong.end('SIGTERM')
  await wrong.start()
  return missed
}

async function restartAll(slots: Stage['world']['gateways'], env: Readonly<Record<string, string>>): Promise<void> {
  for (const slot of slots) {
    await slot.end('SIGTERM')
    await slot.start(env)
  }
}
