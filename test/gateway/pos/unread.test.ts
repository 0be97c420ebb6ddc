import net from 'node:net'
import t from 'tap'
import { request } from 'undici'
import { until } from '../../support/until.js'
import { aListener, answered, faultsOfError, rawCall, readAnswers, speak } from './a-listener.js'

const page = 'GET /openapi.json HTTP/1.1\r\nHost: a\r\n\r\n'
const call = rawCall('{"a":1}')

t.test('of pages that are asked for ahead, few are answered, and the connection ends', async (t) => {
  const server = await aListener(t)
  const few = await speak(server, page.repeat(4), { answers: 4 })
  t.same(
    readAnswers(few.text).map(({ status }) => status),
    [200, 200, 200, 200],
  )
  t.notOk(few.closed)
  const many = await speak(server, page.repeat(150))
  t.ok(many.closed)
  t.ok(readAnswers(many.text).length <= 4)
  t.match(
    server.logged().filter(({ cause }) => cause === 'pipelined'),
    [{ endpoint: 'openapi', outcome: 'refused' }],
    'one record, and what came after is not looked at',
  )
  t.equal((await request(`${server.origin}/health/live`)).statusCode, 200)
})

t.test(
  'of calls that are sent ahead, those beyond the bound are refused, in their place, and no use case runs',
  async (t) => {
    let open = () => {}
    const gate = new Promise<void>((resolve) => {
      open = resolve
    })
    const gated = async ({ body }: { body: Uint8Array }) => {
      await gate
      return answered(body)
    }
    const server = await aListener(t, {
      limits: { aheadMax: 8 },
      useCases: { calculateBasket: gated, recordSale: gated },
    })
    const said = speak(server, call.repeat(20))
    await until(
      () => server.logged(),
      (records) => records.some(({ cause }) => cause === 'pipelined'),
    )
    open()
    const { text, closed } = await said
    const answers = readAnswers(text)
    t.same(
      answers.map(({ status }) => status),
      [...Array.from({ length: 8 }, () => 200), 503],
    )
    t.same(faultsOfError(answers.at(-1)!, 'unavailable'), [])
    t.ok(closed)
    t.equal(server.calls.length, 8)
  },
)

t.test('a call comes before pages that were asked for earlier', async (t) => {
  const server = await aListener(t)
  const order: string[] = []
  const open = async (name: string) => {
    const socket = net.connect(server)
    t.teardown(() => socket.destroy())
    await new Promise<void>((resolve) => socket.once('connect', resolve))
    const answered = new Promise<void>((resolve) => {
      socket.once('data', () => {
        order.push(name)
        resolve()
      })
    })
    return { socket, answered }
  }
  const pages = await Promise.all(Array.from({ length: 200 }, () => open('page')))
  const last = await open('call')
  // Until the server has taken them all.
  last.socket.write(call)
  await last.answered
  const again = new Promise<void>((resolve) => {
    last.socket.once('data', () => {
      order.push('call')
      resolve()
    })
  })
  order.length = 0
  for (const { socket } of pages) socket.write(page)
  last.socket.write(call)
  await Promise.all([again, ...pages.map(({ answered }) => answered)])
  t.ok(order.indexOf('call') < 150, `${order.indexOf('call')} pages came first`)
})
