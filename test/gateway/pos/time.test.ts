import net from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { Agent, request } from 'undici'
import { until } from '../../support/until.js'
import { aCall, aListener, answered, faultsOfError, postBasket, rawCall, readAnswers, speak } from './a-listener.js'

const body = '{"a":1}'
const good = rawCall(body)
const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms))
/** Short where a slow client must be cut off, long where a busy machine might look like one. */
const fast = { headersMs: 300, requestMs: 2_000, checkMs: 50, lingerMs: 2_000 }
const forgiving = { headersMs: 2_000, requestMs: 2_000, checkMs: 50, keepAliveMs: 60_000 }

/** More than any awaited event takes. */
const patienceMs = 120_000
const patience = () => sleep(patienceMs, 'not yet', { ref: false })

/** Sends a text a few bytes at a time until the server closes; resolves to the answer. */
function drip(server: { host: string; port: number }, text: string, everyMs: number) {
  return new Promise<{ text: string }>((resolve) => {
    const socket = net.connect({ host: server.host, port: server.port, allowHalfOpen: true })
    let said = ''
    let at = 0
    const timer = setInterval(() => {
      if (socket.writable && at < text.length) socket.write(text[at++]!)
    }, everyMs)
    const done = () => {
      clearInterval(timer)
      socket.destroy()
      resolve({ text: said })
    }
    socket.on('data', (chunk) => {
      said += chunk.toString('latin1')
    })
    socket.on('end', done)
    socket.on('error', done)
  })
}

/** Sends bytes and no more, and records the answer. */
function aSender(t: Test, server: { host: string; port: number }, bytes: Buffer) {
  const socket = net.connect(server)
  t.teardown(() => socket.destroy())
  const sender = { socket, text: '' }
  socket.on('error', () => {})
  socket.on('data', (chunk) => {
    sender.text += chunk.toString('latin1')
  })
  socket.write(bytes)
  return sender
}

t.test('a connection without a byte, a slow head and a slow body get a 408 and are closed', async (t) => {
  const server = await aListener(t, { limits: fast })
  const head = good.slice(0, good.length - body.length)
  const slowBody = head.replace(/Content-Length: \d+/, 'Content-Length: 1000')
  const rows = await Promise.all([
    speak(server, ''),
    drip(server, good, 20),
    speak(server, slowBody),
    speak(server, `${slowBody}{`),
    ...Array.from({ length: 100 }, () => drip(server, good, 20)),
  ])
  for (const { text } of rows) {
    const [answer] = readAnswers(text)
    t.equal(answer?.status, 408)
    t.same(faultsOfError(answer!, 'invalid_request'), [])
  }
  t.equal(server.calls.length, 0)
})

t.test('a slow second request on a connection is cut off like a first one', async (t) => {
  const server = await aListener(t, { limits: forgiving })
  const { text, closed } = await speak(server, `${good}POST /v1`)
  t.same(
    readAnswers(text).map(({ status }) => status),
    [200, 408],
  )
  t.ok(closed)
})

t.test('a client that does not read its answers is cut off, and others are not affected', async (t) => {
  const large = Buffer.alloc(8 * 1024 * 1024, 0x20)
  const server = await aListener(t, {
    limits: { answerMs: 400, checkMs: 50, drainIdleMs: patienceMs, drainMs: 2 * patienceMs },
    useCases: { calculateBasket: async () => answered(large), recordSale: async ({ body }) => answered(body) },
  })
  const socket = net.connect(server)
  socket.on('error', () => {})
  const closed = new Promise<void>((resolve) => {
    socket.on('close', () => resolve())
  })
  socket.write(good.repeat(4))
  socket.pause()
  await until(
    () => server.calls.length,
    (calls) => calls === 4,
  )
  const { statusCode } = await request(`${server.origin}/v1/pos/sale`, {
    method: 'POST',
    headers: aCall(body),
    body,
    reset: true,
  })
  t.equal(statusCode, 200)
  // A drain ends with the last connection: this one, cut off though its client does not read.
  await Promise.race([server.listener.drain(), patience()])
  socket.resume()
  await closed
  t.ok(socket.bytesRead < 4 * large.length, 'it did not get everything')
})

t.test('a use case that never answers is 503 at the deadline, and its late answer is dropped', async (t) => {
  let late: ((value: ReturnType<typeof answered>) => void) | null = null
  const server = await aListener(t, {
    deadlineMs: 80,
    useCases: {
      calculateBasket: () =>
        new Promise((resolve) => {
          late = resolve
        }),
      recordSale: async ({ body }) => answered(body),
    },
  })
  const answer = await request(`${server.origin}/v1/pos/basket`, { method: 'POST', headers: aCall(body), body })
  const text = await answer.body.text()
  const raw = { status: answer.statusCode, headers: answer.headers as Record<string, string>, body: text }
  t.equal(raw.status, 503)
  t.same(faultsOfError(raw, 'unavailable'), [])
  late!(answered('late'))
  await pause(20)
  t.match(server.logged(), [{ status: 503, code: 'unavailable', cause: 'deadline', endpoint: 'basket' }])
  t.equal(server.logged().length, 1)
})

t.test('a return, for which no card payment waits, may take longer', async (t) => {
  const useCases = {
    calculateBasket: async () => answered('{}'),
    recordSale: async () => answered('{}'),
    recordReturn: () => pause(400).then(() => answered('{}')),
  }
  const { origin } = await aListener(t, { deadlineMs: 80, useCases })
  const answer = await request(`${origin}/v1/pos/return`, { method: 'POST', headers: aCall(body), body })
  await answer.body.dump()
  t.equal(answer.statusCode, 200)
})

t.test('the deadline counts from the complete body', async (t) => {
  const server = await aListener(t, { deadlineMs: 1_000 })
  const said = new Promise<string>((resolve) => {
    const socket = net.connect(server)
    socket.write(good.slice(0, -3))
    setTimeout(() => socket.write(good.slice(-3)), 1_300)
    socket.on('data', (chunk) => {
      socket.destroy()
      resolve(chunk.toString())
    })
  })
  t.equal(readAnswers(await said)[0]?.status, 200)
})

t.test('a use case that throws is 500, logged whole under the request id', async (t) => {
  const server = await aListener(t, {
    useCases: {
      calculateBasket: async () => {
        throw Object.assign(new Error('counter below zero'), { parameters: ['secret-member'] })
      },
      recordSale: () => {
        throw new Error('at once')
      },
    },
  })
  for (const endpoint of ['basket', 'sale']) {
    const answer = await request(`${server.origin}/v1/pos/${endpoint}`, { method: 'POST', headers: aCall(body), body })
    const raw = {
      status: answer.statusCode,
      headers: answer.headers as Record<string, string>,
      body: await answer.body.text(),
    }
    t.equal(raw.status, 500)
    t.same(faultsOfError(raw, 'internal_error'), [])
    t.notMatch(raw.body, /below zero|at once/)
    const record = server.logged().find(({ err, requestId }) => err && requestId === raw.headers['x-request-id'])
    t.match(record, { msg: 'broken invariant', err: { stack: /time\.test/ } })
  }
  t.notMatch(server.logText(), /secret-member/)
})

t.test('overload is refused early with Retry-After, and ends with the load', async (t) => {
  let open = () => {}
  const gate = new Promise<void>((resolve) => {
    open = resolve
  })
  const server = await aListener(t, {
    // The least room grows with the deadline: with this one it is 250 calls.
    deadlineMs: 5_000,
    limits: { headersMs: 60_000, requestMs: 60_000 },
    useCases: {
      calculateBasket: async ({ body }) => {
        await gate
        return answered(body)
      },
      recordSale: async ({ body }) => answered(body),
    },
  })
  const agent = new Agent({ connections: 400 })
  t.teardown(() => agent.destroy())
  const send = async () => {
    const answer = await postBasket(server, body, agent)
    if (answer.status !== 200) t.same(faultsOfError(answer, 'unavailable'), [])
    return answer.status
  }
  const sent = Array.from({ length: 400 }, send)
  t.equal(await Promise.race(sent), 503, 'calls without room are refused at once')
  open()
  const statuses = await Promise.all(sent)
  t.ok(statuses.filter((status) => status === 200).length >= 200, 'what fits is answered')
  t.equal(await send(), 200)
})

t.test('bytes of bodies in progress are bounded as they arrive', async (t) => {
  const server = await aListener(t, { bodyBytesMax: 16 * 1024 * 1024 })
  const part = Buffer.alloc(15 * 1024 * 1024, 0x20)
  const head = 'POST /v1/pos/basket HTTP/1.1\r\nHost: a\r\nContent-Length: 16000000\r\n\r\n'
  const senders = Array.from({ length: 6 }, () => aSender(t, server, Buffer.concat([Buffer.from(head), part])))
  // 64 MB have room for four of them.
  const statuses = await until(
    () => senders.map(({ text }) => readAnswers(text)[0]?.status),
    (statuses) => statuses.filter((status) => status === 503).length === 2,
  )
  t.same(
    statuses.filter((status) => status !== undefined),
    [503, 503],
    'those with room go on being read',
  )
  for (const { socket } of senders) socket.destroy()
  const again = await until(
    () => speak(server, good, { answers: 1 }),
    ({ text }) => text.startsWith('HTTP/1.1 200'),
  )
  t.equal(again.text.slice(0, 12), 'HTTP/1.1 200', 'room is given back')
})

t.test('stalled bodies, unsigned ones too, take no room from active ones', async (t) => {
  const server = await aListener(t, { limits: { ...forgiving, requestMs: 60_000 } })
  const head = 'POST /v1/pos/basket HTTP/1.1\r\nHost: a\r\nContent-Length: 262144\r\n\r\n'
  const all = Buffer.concat([Buffer.from(head), Buffer.alloc(262_143, 0x20)])
  const senders = Array.from({ length: 150 }, () => aSender(t, server, all))
  const refused = () => senders.filter(({ text }) => text.startsWith('HTTP/1.1 503')).length
  // 32 MB have room for 128 of them.
  await until(refused, (count) => count >= 22)
  for (let call = 1; call <= 5; call += 1) {
    const { text } = await speak(server, rawCall(JSON.stringify('x'.repeat(4_096))), { answers: 1 })
    t.equal(text.slice(0, 12), 'HTTP/1.1 200')
  }
  t.ok(refused() < 30, 'they give way as far as they must')
})

t.test('a client that disconnects in the middle of its body leaves one record and nothing else', async (t) => {
  const server = await aListener(t)
  const socket = net.connect(server)
  socket.on('error', () => {})
  // The server has read everything before it sends 100: later bytes, followed by a reset, would count as an end.
  socket.write(rawCall('{', { headers: ['Expect: 100-continue', 'Content-Length: 100'] }))
  socket.once('data', () => socket.resetAndDestroy())
  const records = await until(server.logged, ({ length }) => length > 0)
  t.match(records, [{ outcome: 'aborted', endpoint: 'basket', status: 0 }])
  t.equal(server.calls.length, 0)
})

t.test('an address in use is named in one clear line', async (t) => {
  const { host, port } = await aListener(t)
  await t.rejects(aListener(t, { address: { host, port } }), {
    message: `LOYALTY_HTTP: cannot listen on ${host}:${port}: EADDRINUSE`,
  })
})

t.test('closing cuts what is open', async (t) => {
  const server = await aListener(t)
  const said = speak(server, good.slice(0, -1))
  await pause(50)
  await server.listener.close()
  t.ok((await said).closed)
})
