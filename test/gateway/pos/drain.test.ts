import net from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import { Agent, request } from 'undici'
import { until } from '../../support/until.js'
import { aCall, aListener, answered, postBasket, rawCall, readAnswers, speak } from './a-listener.js'

const body = '{"a":1}'
const good = rawCall(body)
const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms))

/** More than any awaited event takes. */
const patienceMs = 120_000
const patience = () => sleep(patienceMs, 'not yet', { ref: false })

t.test('draining under keep-alive traffic answers every request, then closes every connection', async (t) => {
  const server = await aListener(t, {
    limits: { drainIdleMs: 60_000, drainMs: 120_000 },
    useCases: {
      calculateBasket: async ({ body }) => {
        await pause(20)
        return answered(body)
      },
      recordSale: async ({ body }) => answered(body),
    },
  })
  const agent = new Agent({ connections: 20, pipelining: 1 })
  t.teardown(() => agent.destroy())
  const statuses: (number | string)[] = []
  const client = async () => {
    for (;;) {
      try {
        const { status, headers } = await postBasket(server, body, agent)
        statuses.push(status)
        if (status === 503) {
          if (headers['connection'] !== 'close') statuses.push('503 without close')
          return
        }
      } catch (error) {
        statuses.push(String((error as Error).message))
        return
      }
    }
  }
  const clients = Array.from({ length: 20 }, client)
  await until(
    () => statuses.length,
    (answers) => answers >= 100,
  )
  // An idle connection prolongs the drain until every client was notified: a connection made at the end of listening would be reset.
  const idle = net.connect(server)
  await new Promise((resolve) => idle.once('connect', resolve))
  const drain = server.listener.drain()
  const ready = await request(`${server.origin}/health/ready`)
  t.equal(ready.statusCode, 503)
  t.equal((await request(`${server.origin}/health/live`)).statusCode, 200)
  await Promise.all(clients)
  idle.destroy()
  await drain
  t.same([...new Set(statuses)].sort(), [200, 503])
  t.equal(statuses.filter((status) => status === 503).length, 20, 'each client was notified once')
  await t.rejects(request(`${server.origin}/health/live`), { code: 'ECONNREFUSED' })
})

t.test('a drain continues to answer clients with a connection for every call until they stop', async (t) => {
  const never = 60 * patienceMs
  const server = await aListener(t, { limits: { drainIdleMs: never, drainMs: 2 * never, drainQuietMs: never } })
  const drain = server.listener.drain()
  // Between two of them no connection is open.
  for (let calls = 0; calls < 5; calls += 1) {
    const answer = await request(`${server.origin}/v1/pos/basket`, {
      method: 'POST',
      headers: aCall(body),
      body,
      reset: true,
    })
    t.equal(answer.statusCode, 503)
    await answer.body.dump()
    await pause(50)
  }
  await server.listener.close()
  await drain
})

t.test('a drain without connections ends by itself, one with a hanging client in its time', async (t) => {
  const never = 2 * patienceMs
  const idle = await aListener(t, { limits: { drainIdleMs: never, drainLateMs: never, drainMs: 2 * never } })
  const drained = idle.listener.drain().then(() => 'by itself')
  t.equal(await Promise.race([drained, patience()]), 'by itself')

  const busy = await aListener(t, { limits: { drainIdleMs: 100, drainMs: 600 } })
  const hanging = speak(busy, `POST /v1/pos/basket HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\n`)
  await pause(50)
  await busy.listener.drain()
  t.ok((await hanging).closed)
})

t.test('running calls finish in a drain, even where another request was pipelined after one', async (t) => {
  const server = await aListener(t, {
    limits: { drainIdleMs: 100, drainMs: 120_000 },
    useCases: {
      calculateBasket: async ({ body }) => {
        await pause(300)
        return answered(body)
      },
      recordSale: async ({ body }) => answered(body),
    },
  })
  const said = speak(server, good + good)
  await until(
    () => server.calls.length,
    (calls) => calls === 2,
  )
  await server.listener.drain()
  const answers = readAnswers((await said).text)
  t.same(
    answers.map(({ status }) => status),
    [200, 200],
  )
  t.equal(answers[1]?.headers['connection'], 'close')
})
