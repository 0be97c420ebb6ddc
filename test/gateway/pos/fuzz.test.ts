import t from 'tap'
import { httpFaultStatuses, statusOfCode } from '../../../gateway/pos/errors.js'
import { fc } from '../../support/seeded.js'
import { aListener, faultsOfError, rawCall, readAnswers, speak } from './a-listener.js'

const good = rawCall('{"a":1}')
const statuses = new Set<number>([200, ...httpFaultStatuses, ...Object.values(statusOfCode)])
const pieces = [
  ...['\r\n', '\n', '\r', '\0', ' ', ':', ',', '\xff', '{', '\r\n\r\n', '0\r\n\r\n', 'HTTP/1.1', 'POST', 'Host: b\r\n'],
  ...['Transfer-Encoding: chunked\r\n', 'Content-Length: 1\r\n', 'Connection: close\r\n', 'Expect: 100-continue\r\n'],
  ...['Upgrade: x\r\nConnection: upgrade\r\n', 'X-Request-Id: 1\r\n', 'POS-Signature: t=1\r\n', good],
]

/** One or two valid calls, with a few bytes cut out and a few pieces put in. */
const mutated = fc
  .record({
    twice: fc.boolean(),
    cuts: fc.array(fc.tuple(fc.nat(900), fc.nat(30)), { maxLength: 3 }),
    inserts: fc.array(fc.tuple(fc.nat(900), fc.constantFrom(...pieces)), { maxLength: 4 }),
  })
  .map(({ twice, cuts, inserts }) => {
    let text = twice ? good + good : good
    for (const [at, length] of cuts) text = text.slice(0, at % text.length) + text.slice((at % text.length) + length)
    for (const [at, piece] of inserts) text = text.slice(0, at % text.length) + piece + text.slice(at % text.length)
    return text
  })

t.test('for any input every answer is one of the contract, and nothing breaks', async (t) => {
  const server = await aListener(t, {
    limits: { headersMs: 2_000, requestMs: 2_000, checkMs: 50, lingerMs: 2_000, keepAliveMs: 300 },
  })
  const seen = new Map<number, number>()
  const property = fc.asyncProperty(fc.array(mutated, { minLength: 16, maxLength: 16 }), async (texts) => {
    const said = await Promise.all(texts.map((text) => speak(server, Buffer.from(text, 'latin1'), { finish: true })))
    for (const { text, closed } of said) {
      if (!closed) throw new Error('the connection stays open')
      const answers = readAnswers(text)
      if (text !== '' && answers.length === 0) throw new Error(`no answer: ${text}`)
      for (const answer of answers.filter(({ status }) => status !== 100)) {
        seen.set(answer.status, (seen.get(answer.status) ?? 0) + 1)
        if (!statuses.has(answer.status)) throw new Error(`status ${answer.status}`)
        if (answer.status === 200) continue
        const code = String(JSON.parse(answer.body).error.code)
        const faults = faultsOfError(answer, code)
        if (faults.length > 0) throw new Error(faults.join())
      }
    }
  })
  await t.resolves(fc.assert(property, { numRuns: 150 }))
  t.comment([...seen].map(([status, count]) => `${status}: ${count}`).join(', '))
  t.notOk(seen.has(500))
  t.notMatch(server.logText(), /broken invariant/)
  t.match((await speak(server, good, { answers: 1 })).text, /^HTTP\/1\.1 200 /)
})
