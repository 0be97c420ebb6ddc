import { randomUUID } from 'node:crypto'
import { mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises'
import os from 'node:os'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { PosClient, type PosSale, type SalePatience } from '../../clients/pos-js/pos-client.js'
import { type Answer, answerJson, createFakeService } from './fake-service.js'

const secret = 'a secret of the environment'
const patience: SalePatience = { timeoutMs: 5_000, pauseMs: 1, pauseMaxMs: 4, horizonMs: 3_600_000 }

function aSale(): PosSale {
  const context = { venueId: 'v', baxId: '1', cashRegisterId: '1', channel: 'pos' } as const
  const occurredAt = '2026-11-21T10:00:00Z'
  return { calculationId: randomUUID(), status: 'unchanged', transactionId: 'tx', currency: 'NOK', occurredAt, context }
}

async function aFolder(t: Test): Promise<string> {
  const folder = await mkdtemp(join(os.tmpdir(), 'loyalty-queue-'))
  t.teardown(() => rm(folder, { recursive: true }))
  return folder
}

async function aClient(t: Test, url: string, queueFolder: string, more: Partial<SalePatience> = {}) {
  const client = await PosClient.open({ service: { url, secret }, queueFolder, patience: { ...patience, ...more } })
  t.teardown(() => client.close())
  return client
}

/** Answers with the statuses in turn, then with the last. */
function inTurn(...statuses: readonly number[]): Answer {
  let at = 0
  return (seen, response) => {
    const status = statuses[Math.min(at++, statuses.length - 1)]!
    answerJson(response, status, { calculationId: JSON.parse(seen.body).calculationId, result: 'recorded' })
  }
}

async function aService(t: Test, answer: Answer) {
  const service = await createFakeService(secret, answer)
  t.teardown(() => service.close())
  return service
}

t.test('an event is given up after its time, and stays in the folder', async (t) => {
  const folder = await aFolder(t)
  const sale = aSale()
  const file = join(folder, `${sale.calculationId}.json`)
  await writeFile(file, JSON.stringify(sale))
  const old = Date.now() / 1000 - 2 * 3_600
  await utimes(file, old, old)
  const service = await aService(t, inTurn(200))
  const client = await aClient(t, service.url, folder)
  for (let round = 0; round < 2_000 && client.waiting > 0; round++)
    await new Promise((resolve) => setTimeout(resolve, 5))
  t.equal(service.seen.length, 0)
  t.same(await readdir(folder), [`${sale.calculationId}.json.expired`])
})

t.test('a call is part of the trace of its POS, where it has one', async (t) => {
  const service = await aService(t, inTurn(200))
  const contexts = ['00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01', null]
  const traceparent = () => contexts.shift() ?? null
  const client = await PosClient.open({
    service: { url: service.url, secret, traceparent },
    queueFolder: await aFolder(t),
    patience,
  })
  t.teardown(() => client.close())
  const [first] = contexts
  await (await client.record(aSale())).end
  await (await client.record(aSale())).end
  t.same(
    service.seen.map(({ headers }) => headers['traceparent']),
    [first, undefined],
  )
})

t.test('a pause of years is ignored, and no timer spins over it', async (t) => {
  for (const asked of ['99999999999', '9'.repeat(400)]) {
    const service = await aService(t, (_, response) => answerJson(response, 503, {}, { 'Retry-After': asked }))
    const pauses: number[] = []
    const setTimeoutOfNode = globalThis.setTimeout
    t.intercept(globalThis, 'setTimeout', {
      value: (step: () => void, ms: number) => {
        pauses.push(ms)
        return setTimeoutOfNode(step, ms)
      },
    })
    const client = await aClient(t, service.url, await aFolder(t))
    await client.record(aSale())
    for (let round = 0; round < 2_000 && !pauses.some((ms) => ms > 3_000_000); round++)
      await new Promise((resolve) => setTimeoutOfNode(resolve, 5))
    const long = pauses.filter((ms) => ms > 300_000)
    t.equal(long.length, 1, 'one timer')
    t.ok(long[0]! <= 3_600_000, `${long[0]} ms: at most an hour`)
    t.equal(service.seen.length, 1)
    await client.close()
  }
})

t.test('one sale event recorded twice at once is one', async (t) => {
  const service = await aService(t, inTurn(200))
  const folder = await aFolder(t)
  const client = await aClient(t, service.url, folder)
  const sale = aSale()
  const both = await Promise.all([client.record(sale), client.record(sale)])
  for (const { end } of both) t.match(await end, { kind: 'taken', attempts: 1 })
  t.equal(service.seen.length, 1)
  t.same(await readdir(folder), [])
})

t.test('a file removed from the folder ends only its own event', async (t) => {
  const folder = await aFolder(t)
  for (const status of [200, 400]) {
    const service = await aService(t, async (seen, response) => {
      await rm(join(folder, `${JSON.parse(seen.body).calculationId}.json`))
      inTurn(status)(seen, response)
    })
    const client = await aClient(t, service.url, folder)
    t.match(await (await client.record(aSale())).end, { kind: status === 200 ? 'taken' : 'refused', attempts: 1 })
    t.equal(client.waiting, 0)
  }
})
