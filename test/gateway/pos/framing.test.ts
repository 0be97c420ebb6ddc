import { randomUUID } from 'node:crypto'
import net from 'node:net'
import t from 'tap'
import { aListener, answered, faultsOfError, rawCall, readAnswers, speak } from './a-listener.js'
import { framingCases } from './framing-cases.js'

const body = '{"a":1}'
const good = rawCall(body)

const codes: Record<number, string> = { 401: 'invalid_signature' }

t.test('with any framing, the answer is ours and the connection ends where it must', async (t) => {
  const slowly = async (call: { body: Uint8Array }) => {
    await new Promise((resolve) => setTimeout(resolve, 10))
    return answered(call.body)
  }
  const server = await aListener(t, {
    useCases: { calculateBasket: slowly, recordSale: slowly },
    limits: { lingerMs: 200 },
  })
  const cases = framingCases(body, randomUUID())
  for (const one of cases) {
    const before = server.calls.length
    const { text, closed } = await speak(server, Buffer.from(one.bytes, 'latin1'), {
      finish: one.finish === true,
      ...(one.stays ? { answers: one.statuses.length } : {}),
    })
    const answers = readAnswers(text)
    t.same(
      answers.map(({ status }) => status),
      one.statuses,
      one.name,
    )
    t.equal(server.calls.length - before, one.reached, `${one.name}: ${one.reached} reach a use case`)
    t.equal(closed, one.stays !== true, `${one.name}: ${one.stays ? 'stays open' : 'closes'}`)
    for (const answer of answers.filter(({ status }) => status >= 400)) {
      t.same(faultsOfError(answer, codes[answer.status] ?? 'invalid_request'), [], one.name)
    }
    if (!one.stays && !one.finish)
      t.equal(answers.at(-1)?.headers['connection'], 'close', `${one.name}: announces that it closes`)
  }
  t.equal((await speak(server, good, { answers: 1 })).text.slice(0, 12), 'HTTP/1.1 200', 'and it still serves')
  t.comment(`${cases.length} cases`)
})

t.test('of 50 pipelined requests with a bad one in the middle, those before it are answered in order', async (t) => {
  let count = 0
  const server = await aListener(t, {
    useCases: {
      calculateBasket: async ({ body }) => {
        count += 1
        await new Promise((resolve) => setTimeout(resolve, count % 2 === 0 ? 1 : 30))
        return answered(body)
      },
      recordSale: async ({ body }) => answered(body),
    },
  })
  const rows = Array.from({ length: 50 }, (_, index) => rawCall(`{"n":${index}}`))
  rows[25] = 'BREW / HTTP/1.1\r\n\r\n'
  const { text, closed } = await speak(server, rows.join(''))
  const answers = readAnswers(text)
  t.same(
    answers.slice(0, 25).map(({ body }) => body),
    Array.from({ length: 25 }, (_, index) => `{"n":${index}}`),
  )
  t.equal(answers.length, 26)
  t.equal(answers[25]?.status, 400)
  t.same(faultsOfError(answers[25]!, 'invalid_request'), [])
  t.ok(closed)
})

t.test('a client that still sends 10 MB can read its 413, 20 times of 20', async (t) => {
  const server = await aListener(t, { limits: { requestMs: 120_000, lingerMs: 120_000 } })
  const megabyte = Buffer.alloc(1024 * 1024, 0x20)
  let read = 0
  for (let round = 0; round < 20; round += 1) {
    const declared = round % 2 === 0
    const status = await new Promise<number>((resolve) => {
      const socket = net.connect(server)
      let text = ''
      socket.on('data', (chunk) => {
        text += chunk.toString('latin1')
      })
      socket.on('error', () => resolve(0))
      socket.on('close', () => resolve(readAnswers(text)[0]?.status ?? 0))
      const framing = declared ? 'Content-Length: 10485760' : 'Transfer-Encoding: chunked'
      socket.write(`POST /v1/pos/basket HTTP/1.1\r\nHost: a\r\n${framing}\r\n\r\n`)
      for (let part = 0; part < 10; part += 1) {
        if (!declared) socket.write('100000\r\n')
        socket.write(megabyte)
        if (!declared) socket.write('\r\n')
      }
      socket.end(declared ? '' : '0\r\n\r\n')
    })
    if (status === 413) read += 1
  }
  t.equal(read, 20)
  t.equal(server.calls.length, 0)
})

t.test('a client that resets after it has sent is priced once and disturbs no other', async (t) => {
  const gone: net.Socket[] = []
  const server = await aListener(t, {
    useCases: {
      calculateBasket: async ({ body }) => {
        for (const socket of gone.splice(0)) socket.resetAndDestroy()
        return answered(body)
      },
      recordSale: async ({ body }) => answered(body),
    },
  })
  await new Promise<void>((resolve) => {
    const socket = net.connect(server, () => socket.write(good))
    gone.push(socket)
    socket.on('close', () => resolve())
    socket.on('error', () => {})
  })
  t.equal(server.calls.length, 1)
  t.equal((await speak(server, good, { answers: 1 })).text.slice(0, 12), 'HTTP/1.1 200')
})
