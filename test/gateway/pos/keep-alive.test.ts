import net from 'node:net'
import t from 'tap'
import { until } from '../../support/until.js'
import { aListener, rawCall, readAnswers, speak } from './a-listener.js'

const good = rawCall('{"a":1}')
/** More than any awaited event takes. */
const patienceMs = 120_000

t.test('an idle connection is closed after the announced time', async (t) => {
  const server = await aListener(t, { limits: { keepAliveMs: 1_000 } })
  const { text, closed } = await speak(server, good)
  t.equal(readAnswers(text)[0]?.headers['keep-alive'], 'timeout=1')
  t.ok(closed)
})

t.test('a call at the very end of the announced time is answered: the connection stays a little longer', async (t) => {
  const server = await aListener(t, { limits: { keepAliveMs: 1_000, keepAliveGraceMs: patienceMs } })
  const socket = net.connect(server)
  t.teardown(() => socket.destroy())
  let text = ''
  socket.on('data', (chunk) => {
    text += chunk
  })
  const answered = (count: number) =>
    until(
      () => readAnswers(text).length,
      (answers) => answers === count,
    )
  socket.write(good)
  await answered(1)
  const announcedEndMs = performance.now() + 1_000
  await until(
    () => performance.now(),
    (nowMs) => nowMs > announcedEndMs + 100,
  )
  socket.write(good)
  await answered(2)
  const [first, second] = readAnswers(text)
  t.same([first?.status, second?.status], [200, 200])
  t.equal(second?.headers['keep-alive'], 'timeout=1')
})
