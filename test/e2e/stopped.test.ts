import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import { readAnswers, speak } from '../gateway/pos/a-listener.js'
import { until } from '../support/until.js'
import { startService } from './service.js'

/** Longer than a request may take to arrive over REST. */
const stopMs = 11_000

t.test('what was late because the service itself stood still is 503 with Retry-After, never 408', async (t) => {
  const service = await startService()
  t.teardown(() => service.stop('SIGKILL'))
  const speakTo = (url: string, bytes: string) => {
    const { hostname: host, port } = new URL(url)
    return speak({ host, port: Number(port) }, bytes)
  }
  const call = `POST /v1/pos/sale HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nIdempotency-Key: ${randomUUID()}\r\n`
  const said = [
    speakTo(service.url, call),
    speakTo(service.url, `${call}Content-Length: 100\r\n\r\n{`),
    speakTo(service.internalUrl, call),
  ]
  await sleep(500)
  service.child.kill('SIGSTOP')
  await sleep(stopMs)
  service.child.kill('SIGCONT')
  for (const { text } of await Promise.all(said)) {
    const [answer] = readAnswers(text)
    t.equal(answer?.status, 503)
    t.match(answer?.headers['retry-after'], /^[1-9]/)
    const body = JSON.parse(answer!.body)
    t.equal(body.code ?? body.error.code, 'unavailable')
  }
  const alive = await until(
    () => speakTo(service.url, 'GET /health/live HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n'),
    ({ text }) => text.startsWith('HTTP/1.1 200'),
  )
  t.ok(alive.closed, 'it goes on')
})
