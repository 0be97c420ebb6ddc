import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { aBasket } from '../../e2e/basket.js'
import type { NodeRole } from '../../support/servers/start-redis-cluster.js'
import { until } from '../../support/until.js'
import type { GatewaySlot } from '../gateway-slot.js'
import { answered } from '../history.js'
import type { FaultCase, Stage } from '../run-case.js'
import { publishAgainAndAgain, raisedMaxima } from './gateway-cases.js'

const outMs = 2_000
const slotsMoved = { full: 1_000, short: 100 } as const

/** A Redis node counts as dead after this time without a message. */
const cluster = { nodeTimeoutMs: 2_000 } as const
/** Several gateways behind a balancer on a Redis Cluster. */
const many = { cluster, gateways: 4 } as const

export const clusterCases: readonly FaultCase[] = [
  {
    ...many,
    id: 'cluster-kill',
    cacheFails: true,
    title: 'a Redis master killed, its replica elected, the old one back',
    run: masterKilled,
  },
  {
    ...many,
    id: 'cluster-hang',
    cacheFails: true,
    title: 'a Redis master stopped until its replica is elected, then woken',
    run: masterStopped,
  },
  { ...many, id: 'cluster-failover', title: 'every Redis master handed over to its replica', run: handedOver },
  { ...many, id: 'cluster-reshard', title: 'slots moved from one Redis master to another and back', run: resharded },
  { ...many, id: 'cluster-rolling', title: 'all gateways restarted, one after the other', run: rolledThrough },
  {
    ...many,
    id: 'cluster-no-redis',
    title: 'one of four gateways cut off from Redis, by broken and by silent lines',
    run: ({ world }) => oneCutOff(world.gateways[0]!.redisLink),
  },
  {
    ...many,
    id: 'cluster-no-postgres',
    title: 'one of four gateways cut off from Postgres, by broken and by silent lines',
    run: ({ world }) => oneCutOff(world.gateways[0]!.postgresLink),
  },
  {
    ...many,
    id: 'cluster-spread',
    title: 'duplicates at once, superseding calls and a programme every 200 ms over four gateways',
    share: { limited: 0.3, unlimited: 0.1, superseding: 0.2, repeated: 0.3 },
    load: 1.5,
    maxima: { greatest: raisedMaxima, last: raisedMaxima },
    run: publishAgainAndAgain,
  },
  {
    ...many,
    id: 'cluster-rate',
    title: 'one rate limit for four gateways',
    env: { LOYALTY_RATE: '20', LOYALTY_BURST: '40' },
    load: 0.1,
    run: burst,
  },
  {
    cluster,
    id: 'cluster-processes',
    title: 'two gateways of three processes, one process killed again and again',
    env: { LOYALTY_PROCESSES: '2' },
    run: processesKilled,
  },
]

async function masterKilled({ world }: Stage): Promise<void> {
  const { roles } = world.cluster!
  const [master] = await mastersOf(world)
  await master!.node.kill()
  await untilElected(world)
  await sleep(outMs)
  await master!.node.restart()
  await until(
    () => roles(),
    (found) => found.some(({ node, masterId }) => node === master!.node && masterId !== null),
  )
}

async function masterStopped({ world }: Stage): Promise<void> {
  const [master] = await mastersOf(world)
  master!.node.direct.disconnect()
  master!.node.signal('SIGSTOP')
  await untilElected(world)
  await sleep(outMs)
  master!.node.signal('SIGCONT')
  await master!.node.direct.connect()
  await world.cluster!.untilWhole()
}

async function handedOver({ world }: Stage): Promise<void> {
  for (const { node } of await mastersOf(world)) {
    const replica = (await world.cluster!.roles()).find(({ masterId }) => masterId === node.id)!
    await replica.node.direct.call('CLUSTER', 'FAILOVER')
    await until(
      () => world.cluster!.roles(),
      (roles) => roles.some((role) => role.node === replica.node && role.isMaster),
    )
    await sleep(500)
  }
  await world.cluster!.untilWhole()
}

async function resharded({ world, full }: Stage): Promise<void> {
  const [from, to] = await mastersOf(world)
  const count = full ? slotsMoved.full : slotsMoved.short
  await world.cluster!.moveSlots(from!.node, to!.node, count)
  await sleep(500)
  await world.cluster!.moveSlots(to!.node, from!.node, count)
}

async function rolledThrough({ world, client, full }: Stage): Promise<readonly string[]> {
  const missed: string[] = []
  const before = client.history.length
  for (const slot of full ? [...world.gateways, ...world.gateways] : world.gateways) {
    const code = await slot.end('SIGTERM')
    if (code !== 0) missed.push(`a gateway asked to end exits with 0, not ${code}`)
    await slot.start()
    await sleep(300)
  }
  const lost = client.history
    .slice(before)
    .flatMap(({ attempts }) => attempts)
    .filter(({ answer, endedAt }) => answer === null && endedAt !== null)
  if (lost.length > 0) missed.push(`every request gets an answer in a rollout, ${lost.length} got none`)
  return missed
}

async function oneCutOff(link: GatewaySlot['redisLink']): Promise<void> {
  link.cut()
  await sleep(outMs)
  link.heal()
  await sleep(outMs / 2)
  link.hang()
  await sleep(outMs)
  link.heal()
}

/** Sends far more at once than the bucket holds: the four gateways together pass no more than one bucket allows. */
async function burst({ world, client }: Stage): Promise<readonly string[]> {
  const [rate, most] = [Number(world.env['LOYALTY_RATE']), Number(world.env['LOYALTY_BURST'])]
  const beganAt = performance.now()
  const calls = Array.from({ length: 120 }, () => {
    const basket = aBasket('card-1', berlin).line({ productId: 'coffee', unitPrice: 450 }).body()
    return client.call({ endpoint: 'basket', key: basket['calculationId'], body: JSON.stringify(basket) })
  })
  const settled = await Promise.all(calls)
  const passed = settled.flatMap((call) => answered(call).map(({ endedAt }) => endedAt)).sort((a, b) => a - b)
  const ahead = passed.findIndex((endedAt, at) => at + 1 > most + 1 + (rate * (endedAt - beganAt)) / 1000)
  if (ahead === -1) return []
  const seconds = ((passed[ahead]! - beganAt) / 1000).toFixed(2)
  return [`at most ${most} calls and ${rate} a second pass, ${ahead + 1} did in ${seconds} s`]
}

const berlin = { venueId: 'venue-1', baxId: 'bax-1', cashRegisterId: 'register-1', channel: 'pos' }

/** A gateway has two for POSs and one for internal calls. */
const processes = 3

async function processesKilled({ world, dice, full }: Stage): Promise<readonly string[]> {
  for (let round = full ? 20 : 4; round > 0; round -= 1) {
    const { pid } = dice.pick(world.gateways).service!.child
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean)
    process.kill(Number(dice.pick(children)), 'SIGKILL')
    await sleep(dice.between(300, 1_500))
  }
  const up = await until(
    () => Promise.all(world.gateways.map(({ service }) => processesUp(service!.internalUrl))),
    (counts) => counts.every((count) => count === processes),
  )
  return up.every((count) => count === processes) ? [] : [`every process is replaced, there are ${up.join(' and ')}`]
}

async function processesUp(internalUrl: string): Promise<number> {
  const text = await fetch(`${internalUrl}/metrics`).then(
    (answer) => answer.text(),
    () => '',
  )
  return Number(/^loyalty_processes_up\{process="supervisor"\} (\d+)/m.exec(text)?.[1])
}

async function mastersOf({ cluster }: Stage['world']): Promise<readonly NodeRole[]> {
  return (await cluster!.roles()).filter(({ isMaster, slots }) => isMaster && slots.length > 0)
}

/** Waits until three of the masters that answer hold all slots again. */
async function untilElected(world: Stage['world']): Promise<void> {
  await until(
    () => mastersOf(world),
    (masters) => masters.length === 3,
  )
  await world.cluster!.untilWhole()
}
