import { randomUUID } from 'node:crypto'
import { signBody } from '../pos-js/call.js'
import { type Check, expectEqual, expectError, expectGood, type Twist } from './probe.js'

export const callChecks: readonly Check[] = [
  {
    name: 'X-Request-Id comes back, and one that is no UUID is replaced',
    section: 'wire decisions 3',
    async run(probe) {
      const requestId = randomUUID()
      const answer = await probe.postBasket(probe.basket('TEST-UNCHANGED'), { requestId })
      expectGood(answer)
      expectEqual(answer.headers.get('x-request-id'), requestId, 'X-Request-Id')
      expectGood(await probe.postBasket(probe.basket('TEST-UNCHANGED'), { requestId: 'no-uuid' }))
    },
  },
  {
    name: 'an unknown path is 404, another method 405 with Allow',
    section: 'wire decisions 3, check 1',
    async run(probe) {
      expectError(await probe.send('/v1/pos/none', probe.basket(null), {}), 404, 'invalid_request')
      const answer = await probe.postBasket(probe.basket(null), { method: 'PUT' })
      expectError(answer, 405, 'invalid_request')
      expectEqual(answer.headers.get('allow'), 'POST', 'Allow')
    },
  },
  refusal('a body that is not declared as JSON', 415, 'invalid_request', () => ({ contentType: 'text/plain' })),
  refusal('a call without a signature', 401, 'invalid_signature', () => ({ signature: null })),
  refusal('a signature under another secret', 401, 'invalid_signature', (body) => ({
    signature: signBody(body, `${randomUUID()}`, new Date()),
  })),
  refusal('a signature over other bytes', 401, 'invalid_signature', (body, secret) => ({
    signature: signBody(`${body} `, secret, new Date()),
  })),
  refusal('a signature from 301 s ago', 401, 'stale_timestamp', (body, secret) => ({
    signature: signBody(body, secret, new Date(Date.now() - 301_000 - 1_000)),
  })),
  refusal('a key that is not the calculationId', 400, 'invalid_request', () => ({ key: randomUUID() })),
  {
    name: 'a signature from 290 s ago, and one among others, are accepted',
    section: 'contract 5',
    async run(probe) {
      const { secret } = probe.deployment.service
      const old = JSON.stringify(probe.basket('TEST-UNCHANGED'))
      expectGood(await probe.postBasket(old, { signature: signBody(old, secret, new Date(Date.now() - 290_000)) }))
      const body = JSON.stringify(probe.basket('TEST-UNCHANGED'))
      const [t, v1] = signBody(body, secret, new Date()).split(',')
      const signature = `${t},v0=old,v1=${'0'.repeat(64)},${v1!.replace(/[a-f]/g, (digit) => digit.toUpperCase())}`
      expectGood(await probe.postBasket(body, { signature }))
    },
  },
]

function refusal(what: string, status: number, code: string, twist: (body: string, secret: string) => Twist): Check {
  return {
    name: `${what} is refused with ${status} ${code}`,
    section: 'wire decisions 3',
    async run(probe) {
      const { secret } = probe.deployment.service
      const basket = JSON.stringify(probe.basket('TEST-UNCHANGED'))
      expectError(await probe.postBasket(basket, twist(basket, secret)), status, code)
      const sale = JSON.stringify(probe.sale(randomUUID()))
      expectError(await probe.postSale(sale, twist(sale, secret)), status, code)
    },
  }
}
