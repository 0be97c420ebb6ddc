import { fork } from 'node:child_process'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pino from 'pino'
import t, { type Test } from 'tap'
import { idOfEvent } from '../../../gateway/background/event-id.js'
import { createWebhooks } from '../../../gateway/background/webhooks.js'
import { every } from '../../../gateway/config/every.js'
import { createMetrics } from '../../../gateway/telemetry/metrics.js'
import { ignoreStoreFault } from '../../../store/fault.js'
import type { DeliveryState } from '../../../store/ledger/events.js'
import { createPostgresSql } from '../../../store/postgres/connection/postgres-sql.js'
import { sql } from '../../../store/postgres/connection/sql.js'
import { aValueCommand, aValueTable } from '../../store/value-builders.js'
import { plenty } from '../../support/ledger-builders.js'
import { createPostgresLedger } from '../../support/open-ledger.js'
import { startPostgres } from '../../support/servers/start-postgres.js'
import { until } from '../../support/until.js'
import { aReceiver, ok, verified } from './a-receiver.js'

t.setTimeout(240_000)

const server = await startPostgres()
t.teardown(() => server.stop())
const secret = Buffer.alloc(32, 9)
const inside = { http: 'allowed', networks: ['127.0.0.0/8'] } as const

/** Looks as the upkeep does, only more often; returns a function that stops it. */
function lookingWebhooks(parts: Parameters<typeof createWebhooks>[0]): () => Promise<void> {
  const webhooks = createWebhooks(parts)
  const stopLooking = every(100, () => webhooks.look().catch(ignoreStoreFault))
  return async () => {
    stopLooking()
    await webhooks.stop()
  }
}

/** A ledger of its own, with a currency and a sender. */
async function aWorld(t: Test) {
  const url = await server.createDatabase()
  const ledger = await createPostgresLedger({
    url,
    expiryS: 1_800,
    idempotencyS: 86_400,
    readMs: plenty,
    hangMs: plenty,
    saleMs: plenty,
  })
  const database = createPostgresSql(url, 2)
  const stops: (() => Promise<void>)[] = []
  t.teardown(async () => {
    for (const stop of stops) await stop()
    await database.close()
    await ledger.close()
  })
  const value = aValueTable(ledger)
  const currencyId = await value.currency()
  const terms = { effect: 'writes', withinMs: plenty } as const
  return {
    url,
    ledger,
    value,
    enrol: () => value.enrol(),
    give: (memberId: string, amount: number) => value.adjust(memberId, currencyId, amount),
    async webhook(url: string) {
      const added = await ledger.webhooks.add(aValueCommand(), { url, types: [], secret })
      return added.kind === 'done' ? added.webhookId : ''
    },
    /** @returns  its metrics */
    start(more: Partial<Parameters<typeof createWebhooks>[0]> = {}) {
      const metrics = createMetrics()
      stops.push(
        lookingWebhooks({ adminLedger: ledger, reach: inside, metrics, log: pino({ level: 'silent' }), ...more }),
      )
      return async (outcome: string) => {
        const text = await metrics.registry.metrics()
        return Number(new RegExp(`deliveries_total\\{outcome="${outcome}"\\} (\\d+)`).exec(text)?.[1])
      }
    },
    list: async (webhookId: string, state: DeliveryState | null = null) =>
      (await ledger.webhooks.listDeliveries(webhookId, state, { after: null, limit: 500 })) ?? [],
    /** Lets the pause after every failed attempt be over, and whatever was taken count as lost. */
    hurry: () => database.run(sql`update delivery set due_at = clock_timestamp() where state = 'due'`, terms),
  }
}

/** An attempt is counted after the ledger has its outcome. */
const counted = (deliveries: (outcome: string) => Promise<number>, outcome: string, count: number) =>
  until(
    () => deliveries(outcome),
    (found) => found === count,
  )

const amountsOf = (receiver: Awaited<ReturnType<typeof aReceiver>>, memberId: string) =>
  receiver.received
    .map((each) => verified(each, secret).data)
    .filter((content) => content.memberId === memberId)
    .map(({ amount }) => amount)

t.test('events arrive signed, each once and each member in order, from two gateways', async (t) => {
  const world = await aWorld(t)
  const receiver = await aReceiver(t)
  const webhookId = await world.webhook(receiver.url)
  const members = [await world.enrol(), await world.enrol(), await world.enrol()]
  const gateways = [world.start(), world.start()]
  const amounts = Array.from({ length: 8 }, (_, at) => at + 1)
  await Promise.all(
    members.map(async (member) => {
      for (const amount of amounts) await world.give(member, amount)
    }),
  )
  await until(
    () => world.list(webhookId, 'delivered'),
    ({ length }) => length === 24,
  )
  t.equal(receiver.received.length, 24)
  for (const member of members) t.same(amountsOf(receiver, member), amounts)
  const [first] = receiver.received
  const [event] = await world.ledger.events.readFeed(0, 1)
  t.match(verified(first!, secret), {
    type: 'value.adjusted',
    timestamp: new Date(Math.floor(event!.atUs / 1_000)).toISOString(),
    data: { memberId: event!.memberId, amount: 1 },
  })
  t.match(first!.headers, { 'webhook-id': idOfEvent(event!), 'content-type': 'application/json' })
  const delivered = await until(
    async () =>
      (await Promise.all(gateways.map((deliveries) => deliveries('delivered')))).reduce((sum, each) => sum + each),
    (sum) => sum >= 24,
  )
  t.equal(delivered, 24)
})

t.test('a failed event holds back later ones of its member alone', async (t) => {
  const world = await aWorld(t)
  const [one, other] = [await world.enrol(), await world.enrol()]
  let isBroken = true
  const receiver = await aReceiver(t, (response, { body }) => {
    response.writeHead(isBroken && body.includes(one) ? 500 : 200).end()
  })
  const webhookId = await world.webhook(receiver.url)
  for (const amount of [1, 2]) await world.give(one, amount)
  for (const amount of [1, 2]) await world.give(other, amount)
  world.start()
  await until(
    () => world.list(webhookId, 'delivered'),
    ({ length }) => length === 2,
  )
  t.same(amountsOf(receiver, other), [1, 2])
  const pending = await until(
    () => world.list(webhookId, 'pending'),
    (deliveries) => deliveries.some(({ outcome }) => outcome === '500'),
  )
  t.match(pending, [
    { attempts: 0, dueAt: null },
    { attempts: 1, outcome: '500' },
  ])
  t.same(amountsOf(receiver, one), [1])
  isBroken = false
  await world.hurry()
  await until(
    () => world.list(webhookId, 'delivered'),
    ({ length }) => length === 4,
  )
  t.same(amountsOf(receiver, one), [1, 1, 2])
  const [failed, again] = receiver.received.filter(({ body }) => body.includes(one))
  t.equal(again!.headers['webhook-id'], failed!.headers['webhook-id'])
})

t.test('whatever else a receiver does is a failure, and is recorded', async (t) => {
  const world = await aWorld(t)
  const elsewhere = await aReceiver(t)
  const redirecting = await aReceiver(t, (response) => response.writeHead(307, { location: elsewhere.url }).end())
  const slow = await aReceiver(t, () => {})
  const trickling = await aReceiver(t, (response) => {
    response.socket!.write('HTTP/1.1 200 OK\r\nx-slow: ')
    const timer = setInterval(() => response.socket?.write('x'), 50)
    response.socket!.on('error', () => {}).on('close', () => clearInterval(timer))
  })
  const closing = await aReceiver(t, (response) => response.socket!.destroy())
  const upgrading = await aReceiver(t, (response) => {
    response.socket!.write('HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: websocket\r\n\r\n')
  })
  const down = await aReceiver(t)
  down.close()
  const cases: Readonly<Record<string, string>> = {
    [redirecting.url]: '307',
    [slow.url]: 'time-out',
    [trickling.url]: 'time-out',
    [closing.url]: 'ECONNRESET',
    [upgrading.url]: '101',
    [down.url]: 'ECONNREFUSED',
    'http://nowhere.invalid/events': 'ENOTFOUND',
  }
  const webhooks = new Map<string, string>()
  for (const url of Object.keys(cases)) webhooks.set(url, await world.webhook(url))
  await world.give(await world.enrol(), 1)
  const deliveries = world.start({ timeoutMs: 400 })
  for (const [url, outcome] of Object.entries(cases)) {
    const [delivery] = await until(
      () => world.list(webhooks.get(url)!),
      ([first]) => first !== undefined && first.outcome !== '',
    )
    // A resolver that cannot be reached has its own error text.
    const expected = outcome === 'ENOTFOUND' ? /ENOTFOUND|EAI_AGAIN|time-out/ : outcome
    t.match(delivery, { state: 'pending', attempts: 1, outcome: expected }, url)
  }
  t.same(elsewhere.received, [])
  t.equal(await counted(deliveries, 'redirect', 1), 1)
  t.equal(await deliveries('delivered'), 0)
})

t.test('a pause that a receiver asks for is kept, in seconds or until a date', async (t) => {
  const world = await aWorld(t)
  const inHours = (hours: number) => new Date(Date.now() + hours * 3_600_000).toUTCString()
  const cases: readonly (readonly [number, string, number, number])[] = [
    [429, '7200', 7_100_000, 7_200_000],
    [503, inHours(3), 10_700_000, 10_800_000],
    [503, '99999999999', 86_300_000, 86_400_000],
    [500, '7200', 0, 6_000],
    [429, 'soon', 0, 6_000],
    [503, inHours(-1), 0, 6_000],
  ]
  const webhooks: string[] = []
  for (const [status, retryAfter] of cases) {
    const answer = await aReceiver(t, (response) => response.writeHead(status, { 'retry-after': retryAfter }).end())
    webhooks.push(await world.webhook(answer.url))
  }
  await world.give(await world.enrol(), 1)
  world.start()
  for (const [at, [status, retryAfter, least, most]] of cases.entries()) {
    const [delivery] = await until(
      () => world.list(webhooks[at]!),
      ([first]) => first !== undefined && first.outcome !== '',
    )
    const waitMs = delivery!.dueAt! - world.ledger.clock()
    t.ok(waitMs > least - 10_000 && waitMs <= most, `${status} ${retryAfter}: ${waitMs} ms`)
  }
})

t.test('a receiver that is gone is disabled, with a log line', async (t) => {
  const world = await aWorld(t)
  const gone = await aReceiver(t, (response) => response.writeHead(410).end())
  const webhookId = await world.webhook(gone.url)
  const lines: string[] = []
  const log = pino({ base: null }, { write: (line: string) => void lines.push(line) })
  await world.give(await world.enrol(), 1)
  const deliveries = world.start({ log })
  await until(
    () => world.list(webhookId, 'failed'),
    ({ length }) => length === 1,
  )
  await world.give(await world.enrol(), 2)
  t.match(
    await until(
      () => lines.join(''),
      (text) => text !== '',
    ),
    /disabled/,
  )
  t.match(JSON.parse(lines[0]!), { webhookId })
  t.equal(await counted(deliveries, 'gone', 1), 1)
  t.equal(await deliveries('given_up'), 0)
  t.equal(gone.received.length, 1)
})

t.test('an answer without end is cut off, and its status counts', async (t) => {
  const world = await aWorld(t)
  let sent = 0
  const endless = await aReceiver(t, (response) => {
    response.writeHead(200)
    const chunk = Buffer.alloc(65_536)
    const more = () => {
      while (!response.destroyed && response.write(chunk)) sent += chunk.length
    }
    response.on('drain', more)
    more()
  })
  const webhookId = await world.webhook(endless.url)
  await world.give(await world.enrol(), 1)
  world.start()
  await until(
    () => world.list(webhookId, 'delivered'),
    ({ length }) => length === 1,
  )
  await sleep(200)
  t.ok(sent < 32 * 1_048_576, `${sent} bytes`)
})

t.test('nothing is sent inside the own network, by address or by name, unless it is allowed', async (t) => {
  const world = await aWorld(t)
  const receiver = await aReceiver(t)
  const webhooks = [
    await world.webhook(receiver.url),
    await world.webhook(receiver.url.replace('127.0.0.1', 'localhost')),
    await world.webhook(receiver.url.replace('127.0.0.1', '[::ffff:127.0.0.1]')),
    await world.webhook('http://169.254.169.254/latest/meta-data'),
  ]
  await world.give(await world.enrol(), 1)
  const deliveries = world.start({ reach: { http: 'allowed', networks: ['10.0.0.0/8'] } })
  for (const webhookId of webhooks) {
    const [delivery] = await until(
      () => world.list(webhookId),
      ([first]) => first !== undefined && first.outcome !== '',
    )
    t.match(delivery, { outcome: 'address refused' })
  }
  t.equal(await counted(deliveries, 'address', 4), 4)
  t.same(receiver.received, [])
})

t.test('plain HTTP is refused unless it is allowed', async (t) => {
  const world = await aWorld(t)
  const receiver = await aReceiver(t)
  const webhookId = await world.webhook(receiver.url)
  await world.give(await world.enrol(), 1)
  world.start({ reach: { http: 'refused', networks: inside.networks } })
  await until(
    () => world.list(webhookId),
    ([first]) => first?.outcome === 'address refused',
  )
  t.same(receiver.received, [])
})

t.test('a receiver that never answers does not keep another from its events', async (t) => {
  const world = await aWorld(t)
  const [silent, quick] = [await aReceiver(t, () => {}), await aReceiver(t)]
  await world.webhook(silent.url)
  const webhookId = await world.webhook(quick.url)
  for (let count = 0; count < 40; count += 1) await world.give(await world.enrol(), 1)
  // No attempt of the other ends while the test runs.
  world.start({ timeoutMs: 600_000 })
  const delivered = await until(
    () => world.list(webhookId, 'delivered'),
    ({ length }) => length === 40,
  )
  t.equal(delivered.length, 40)
  const taken = await until(
    () => silent.received.length,
    (length) => length >= 16,
  )
  t.equal(taken, 16)
})

t.test('a gateway that is stopped leaves what it sends to the next', async (t) => {
  const world = await aWorld(t)
  let isSilent = true
  const receiver = await aReceiver(t, (response) => {
    if (!isSilent) ok(response)
  })
  const webhookId = await world.webhook(receiver.url)
  await world.give(await world.enrol(), 1)
  const stop = lookingWebhooks({
    ...{ adminLedger: world.ledger, reach: inside, metrics: createMetrics(), log: pino({ level: 'silent' }) },
  })
  await until(
    async () => receiver.received.length,
    (length) => length === 1,
  )
  await stop()
  t.match(await world.list(webhookId), [{ state: 'pending', outcome: 'stopped' }])
  isSilent = false
  world.start()
  await until(
    () => world.list(webhookId, 'delivered'),
    ({ length }) => length === 1,
  )
  t.equal(receiver.received.length, 2)
})

t.test('an event whose gateway was killed after it was sent comes again with the same id', async (t) => {
  const world = await aWorld(t)
  const child = fork(join(import.meta.dirname, 'deliver-until-killed.js'), [world.url])
  const ended = new Promise((resolve) => child.once('exit', (_, signal) => resolve(signal)))
  t.teardown(() => child.kill('SIGKILL'))
  let isFirst = true
  const receiver = await aReceiver(t, (response) => {
    // Killed before it has the answer: the delivery is not stored.
    if (isFirst) child.kill('SIGKILL')
    else ok(response)
    isFirst = false
  })
  const webhookId = await world.webhook(receiver.url)
  await world.give(await world.enrol(), 1)
  t.equal(await ended, 'SIGKILL')
  t.match(await world.list(webhookId), [{ state: 'pending', attempts: 1, outcome: '' }])
  await world.hurry()
  world.start()
  await until(
    () => world.list(webhookId, 'delivered'),
    ({ length }) => length === 1,
  )
  const [first, second, ...others] = receiver.received
  t.same(others, [])
  t.equal(second!.headers['webhook-id'], first!.headers['webhook-id'])
  t.equal(second!.body, first!.body)
})
