import { setTimeout as sleep } from 'node:timers/promises'
import type { FaultCase, Stage } from '../run-case.js'
import { limitedBasket } from '../traffic.js'

/** Gateways die, stop or are asked to end: answers already sent stay, units of unanswered calls become free again. */
export const gatewayCases: readonly FaultCase[] = [
  {
    id: 'F1',
    title: 'a gateway killed at random moments',
    async run({ world, dice, full }) {
      for (let round = full ? 50 : 5; round > 0; round -= 1) {
        const slot = dice.pick(world.gateways)
        await sleep(dice.between(50, 600))
        await slot.end('SIGKILL')
        await sleep(dice.between(0, 300))
        await slot.start()
      }
    },
  },
  {
    id: 'F3',
    title: 'a gateway stopped 0.3, 2 and 11 s',
    async run({ world, dice, full }) {
      for (const ms of full ? [300, 300, 300, 2_000, 2_000, 11_000] : [300, 300, 2_000]) {
        await sleep(dice.between(50, 400))
        await dice.pick(world.gateways).freeze(ms)
      }
    },
  },
  {
    id: 'F6',
    title: 'Postgres out, the gateway that journals killed, Postgres back',
    share: { limited: 0.2, unlimited: 0.7, superseding: 0.02, repeated: 0.08 },
    load: 2,
    async run({ world, full }) {
      world.eachPostgresLink((link) => link.cut())
      await sleep(full ? 30_000 : 3_000)
      await world.gateways[0]!.end('SIGKILL')
      await sleep(500)
      world.heal()
      await world.gateways[0]!.start()
    },
  },
  { id: 'F45', title: 'SIGTERM and SIGINT under load, and a second SIGTERM', run: askedToEnd },
  {
    id: 'F47',
    title: 'a heap of 128 MB, and 64 bodies of 256 KB at once',
    env: { NODE_OPTIONS: '--max-old-space-size=128' },
    run: largeBodies,
  },
]

async function askedToEnd({ world, full }: Stage): Promise<readonly string[]> {
  const missed: string[] = []
  for (let round = 0; round < (full ? 10 : 3); round += 1) {
    const slot = world.gateways[round % world.gateways.length]!
    const began = performance.now()
    const code = await slot.end(round % 2 === 0 ? 'SIGTERM' : 'SIGINT')
    const ms = performance.now() - began
    if (code !== 0) missed.push(`a gateway asked to end exits with 0, not ${code}`)
    if (ms > 10_500) missed.push(`a gateway asked to end is gone within 10 s, not ${Math.round(ms)} ms`)
    await slot.start()
    await sleep(400)
  }
  const impatient = world.gateways[0]!
  const { child } = impatient.service!
  const code = impatient.end('SIGTERM')
  child.kill('SIGTERM')
  if ((await code) === null) missed.push('a second SIGTERM ends the process by itself')
  await impatient.start()
  return missed
}

/** Fills baskets with foreign text up to the size limit, all at once, three times. */
async function largeBodies({ client, dice }: Stage): Promise<void> {
  for (let round = 0; round < 3; round += 1) {
    const calls = Array.from({ length: 64 }, () => {
      const basket = limitedBasket(dice)
      const room = 262_144 - JSON.stringify({ ...basket, note: '' }).length
      const body = JSON.stringify({ ...basket, note: 'x'.repeat(room) })
      return client.call({ endpoint: 'basket', key: basket['calculationId'], body })
    })
    await Promise.all(calls)
  }
}
