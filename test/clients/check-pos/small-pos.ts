import { createHmac, randomUUID } from 'node:crypto'
import http from 'node:http'
import { buffer } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import type { PosBasket } from '../../../clients/pos-js/basket.js'
import type { PosSale } from '../../../clients/pos-js/build-sale.js'
import { objectFromJson } from '../../../clients/pos-js/calculate.js'
import type { FailureReason, Service } from '../../../clients/pos-js/call.js'
import { problemsOf } from '../../../clients/pos-js/check-basket.js'
import type { PosReturn } from '../../../clients/pos-js/send-sale.js'
import type { AutomaticPos, Outcome } from './sell-as-asked.js'

/** Mistakes of a POS in its calls. */
export type CallingFault =
  | 'charges what does not add up'
  | 'never charges a discount'
  | 'waits too long'
  | 'sends a basket again after 503'
  | 'has one request id'
  | 'signs under the bytes of the secret'
  | 'gives up an event at the first failure'
  | 'sends events without a pause'
  | 'has one pause before each attempt'
  | 'overlooks Retry-After'
  | 'sends a refused event again'
  | 'has a new key for each attempt'
  | 'has no noDiscount'

/** The outcome of one request. */
type Reply =
  | { readonly status: number; readonly text: string; readonly retryAfterS: number }
  | { readonly reason: FailureReason; readonly unsent: boolean }

/** The venue's list, with products that the basket of the cases lacks. */
const products = [{ productId: 'espresso', unitPrice: 3_200 }]
const pauseMs = 200
const attemptsMax = 6

/** A POS of its own making, not of our clients: right, or wrong in one way. */
export function createSmallPos(
  service: Service & { readonly send?: Send },
  attemptMs: number,
  fault: CallingFault | null,
): AutomaticPos {
  const { send = fetch } = service
  const onlyId = randomUUID()

  return {
    async calculate(basket) {
      const reply = await call(basket)
      const failed = (failureReason: FailureReason): Outcome => ({ status: 'failed', failureReason, charged: basket })
      if ('reason' in reply) return failed(reply.reason)
      if (reply.status !== 200) return failed('http_error')
      return judged(basket, reply.text) ?? failed('invalid_response')
    },
    record: (sale) => deliver('/v1/pos/sale', sale),
    giveBack: (returned) => deliver('/v1/pos/return', returned),
  }

  async function deliver(path: string, event: object): Promise<void> {
    for (let attempt = 1; attempt <= attemptsMax; attempt++) {
      const pause = pauseAfter(await post(path, event), attempt)
      if (pause === null) return
      await sleep(pause)
    }
  }

  async function call(basket: PosBasket): Promise<Reply> {
    const bare = basket.lines.map(({ noDiscount: _, ...line }) => line)
    const sent = fault === 'has no noDiscount' ? { ...basket, lines: bare } : basket
    const reply = await post('/v1/pos/basket', sent)
    const isUnsent = 'reason' in reply && reply.unsent
    const again = fault === 'sends a basket again after 503' && 'status' in reply && reply.status === 503
    return isUnsent || again ? post('/v1/pos/basket', sent) : reply
  }

  function judged(basket: PosBasket, text: string): Outcome | null {
    const answer = objectFromJson(text)
    const isOf = answer?.['calculationId'] === basket.calculationId
    const status = isOf ? answer['status'] : null
    if (status === 'member_not_found') return { status, charged: basket }
    if (status === 'unchanged') return typeof answer?.['reason'] === 'string' ? { status, charged: basket } : null
    if (status !== 'applied') return null
    if (fault === 'never charges a discount') return { status: 'unchanged', charged: basket }
    const charged = answer?.['basket'] as PosBasket
    const isSound = fault === 'charges what does not add up' || problemsOf(charged, basket, { products }).length === 0
    return isSound ? { status, charged } : null
  }

  /** null: the event is at its end. */
  function pauseAfter(reply: Reply, attempt: number): number | null {
    const isLater = 'reason' in reply || reply.status === 429 || reply.status >= 500
    const isRefused = 'status' in reply && reply.status >= 400 && !isLater
    if (isRefused) return fault === 'sends a refused event again' ? pauseMs : null
    const isPage = 'status' in reply && objectFromJson(reply.text) === null
    if (!isLater && !isPage) return null
    if (fault === 'gives up an event at the first failure') return null
    if (fault === 'sends events without a pause') return 0
    if (fault === 'has one pause before each attempt') return 4 * pauseMs
    const askedS = 'reason' in reply || fault === 'overlooks Retry-After' ? 0 : reply.retryAfterS
    return Math.max(askedS * 1000, pauseMs * 2 ** (attempt - 1))
  }

  async function post(path: string, value: Partial<PosSale & PosReturn>): Promise<Reply> {
    const body = JSON.stringify(value)
    const seconds = Math.floor(Date.now() / 1000)
    const key = fault === 'signs under the bytes of the secret' ? Buffer.from(service.secret, 'hex') : service.secret
    const v1 = createHmac('sha256', key).update(`${seconds}.${body}`).digest('hex')
    const id = value.returnId ?? value.calculationId ?? ''
    const headers = {
      'Content-Type': 'application/json',
      'Idempotency-Key': fault === 'has a new key for each attempt' ? randomUUID() : id,
      'POS-Signature': `t=${seconds},v1=${v1}`,
      'X-Request-Id': fault === 'has one request id' ? onlyId : randomUUID(),
    }
    const timeoutMs = fault === 'waits too long' ? attemptMs * 2 : attemptMs
    const signal = AbortSignal.timeout(timeoutMs)
    try {
      const response = await send(`${service.url}${path}`, {
        method: 'POST',
        headers,
        body,
        redirect: 'manual',
        signal,
      })
      const retryAfterS = Number(response.headers.get('retry-after') ?? 0)
      return { status: response.status, text: await response.text(), retryAfterS }
    } catch (error) {
      const { name, cause } = error as Error & { cause?: { code?: string } }
      const reason = name === 'TimeoutError' ? 'timeout' : 'connection_error'
      return { reason, unsent: cause?.code === 'ECONNREFUSED' }
    }
  }
}

/** Sends requests of a POS; `fetch` is one implementation. */
export type Send = (url: string, request: Sending) => Promise<Response>

export interface Sending {
  readonly method: 'POST'
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  readonly redirect: 'manual'
  readonly signal: AbortSignal
}

/** A library that sends a request again by itself when a kept connection ends before the answer, as those of Go and libcurl do. */
export function createRepeatingLibrary({ keepsConnections }: { readonly keepsConnections: boolean }): Send {
  const agent = new http.Agent({ keepAlive: keepsConnections })
  return async function send(url, sending): Promise<Response> {
    const { method, headers, body, signal } = sending
    const request = http.request(url, { method, headers, signal, agent })
    try {
      const response = await new Promise<http.IncomingMessage>((resolve, reject) => {
        request.once('response', resolve).on('error', reject).end(body)
      })
      const status = response.statusCode!
      return new Response(await buffer(response), { status, headers: response.headers as Record<string, string> })
    } catch (error) {
      if (request.reusedSocket && (error as NodeJS.ErrnoException).code === 'ECONNRESET') return send(url, sending)
      throw signal.aborted ? signal.reason : error
    }
  }
}
