import { httpFaultStatuses, statusOfCode } from '../../../gateway/pos/errors.js'
import { signature } from '../../e2e/service.js'
import { faultsOfError, readAnswers, speak } from '../../gateway/pos/a-listener.js'
import type { Dice } from '../../support/dice.js'
import { aGoodBasket } from '../body-row.js'
import type { Fuzzer } from './fuzzer.js'

const statuses = new Set<number>([100, 200, ...httpFaultStatuses, ...Object.values(statusOfCode)])

/**
 * One or two valid calls as bytes, cut, doubled and mixed with pieces of HTTP: each connection gets an answer of the contract, or is
 * closed.
 */
export const fuzzFraming: Fuzzer = {
  name: 'framing',
  atOnce: 24,
  async open({ service: { url, secret } }) {
    const { hostname: host, port } = new URL(url)
    const good = aGoodBasket()
    return {
      async one(index, dice, tally) {
        const call = aCall(good, secret)
        const { text, closed } = await speak({ host, port: Number(port) }, Buffer.from(mutated(dice, call), 'latin1'), {
          finish: true,
          answers: 1,
        })
        const answers = readAnswers(text)
        if (!closed && answers.length === 0) tally.fault(index, 'the connection stays open without an answer')
        if (text !== '' && answers.length === 0) tally.fault(index, `no answer: ${text.slice(0, 100)}`)
        if (answers.length === 0) tally.count('nothing')
        for (const answer of answers) {
          tally.count(`${answer.status}`)
          if (!statuses.has(answer.status) || answer.status === 500) tally.fault(index, `status ${answer.status}`)
          else if (answer.status >= 400) {
            const faults = faultsOfError(answer, codeOf(answer.body))
            if (faults.length > 0) tally.fault(index, faults.join())
          }
        }
      },
      async close() {},
    }
  },
}

function codeOf(body: string): string {
  try {
    return String(JSON.parse(body).error.code)
  } catch {
    return ''
  }
}

function aCall(good: Record<string, unknown>, secret: string): string {
  const body = JSON.stringify(good)
  return [
    'POST /v1/pos/basket HTTP/1.1',
    'Host: loyalty',
    'Content-Type: application/json',
    `Idempotency-Key: ${good['calculationId']}`,
    `POS-Signature: ${signature(secret, Math.floor(Date.now() / 1000), body)}`,
    `Content-Length: ${Buffer.byteLength(body)}`,
    '',
    body,
  ].join('\r\n')
}

const pieces = [
  ...[
    '\r\n',
    '\n',
    '\r',
    '\0',
    ' ',
    '\t',
    ':',
    ',',
    '\xff',
    '{',
    '\r\n\r\n',
    '0\r\n\r\n',
    'HTTP/1.1',
    'HTTP/2',
    'POST',
    'Host: b\r\n',
  ],
  ...[
    'Transfer-Encoding: chunked\r\n',
    'Transfer-Encoding: gzip, chunked\r\n',
    'Content-Length: 1\r\n',
    'Connection: close\r\n',
  ],
  ...[
    'Expect: 100-continue\r\n',
    'Upgrade: x\r\nConnection: upgrade\r\n',
    'X-Request-Id: 1\r\n',
    'POS-Signature: t=1\r\n',
    'Trailer: x\r\n',
  ],
  ...[
    'ffffffffffffffff\r\n',
    '5;a=b\r\n',
    '-1',
    '/../',
    '?',
    '#',
    '%00',
    'http://x/',
    'GET / HTTP/1.0\r\n\r\n',
    'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
  ],
]

function mutated(dice: Dice, call: string): string {
  let text = dice.chance(0.3) ? call + call : call
  for (let count = dice.between(0, 3); count > 0; count -= 1) {
    const at = dice.between(0, text.length)
    text = text.slice(0, at) + text.slice(at + dice.between(0, 30))
  }
  for (let count = dice.between(0, 4); count > 0; count -= 1) {
    const at = dice.chance(0.7) ? dice.between(0, Math.min(text.length, 420)) : dice.between(0, text.length)
    text = text.slice(0, at) + dice.pick(pieces) + text.slice(at)
  }
  return text
}
