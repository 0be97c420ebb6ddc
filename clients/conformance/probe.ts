import { randomUUID } from 'node:crypto'
import type { PosBasket, PosLine, PosTotals } from '../pos-js/basket.js'
import { objectFromJson } from '../pos-js/calculate.js'
import { type Service, signBody } from '../pos-js/call.js'

export interface Deployment {
  readonly service: Service
  readonly venueId: string
  readonly baxId: string
  readonly currency: string
  readonly discountCode: string
}

export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  readonly body: Readonly<Record<string, unknown>> | null
}

export interface Twist {
  readonly method?: string
  readonly key?: string
  readonly signature?: string | null
  readonly contentType?: string | null
  readonly requestId?: string
}

export class Broken extends Error {
  override readonly name = 'Broken'
}

const answerMs = 10_000

export class Probe {
  constructor(readonly deployment: Deployment) {}

  basket(loyaltyId: string | null, more: Partial<PosBasket> = {}): PosBasket {
    const { venueId, baxId, currency } = this.deployment
    const lines = [aLine('1', 4_500, 3), { ...aLine('2', 200, 1), noDiscount: true }]
    return {
      calculationId: randomUUID(),
      ...(loyaltyId === null ? {} : { loyaltyId }),
      currency,
      requestedAt: new Date().toISOString(),
      context: { venueId, baxId, cashRegisterId: 'conformance', channel: 'pos' },
      lines,
      totals: totalsOf(lines),
      ...more,
    }
  }

  sale(calculationId: string, more: Readonly<Record<string, unknown>> = {}): Record<string, unknown> {
    const { venueId, baxId, currency } = this.deployment
    return {
      calculationId,
      status: 'unchanged',
      transactionId: `conformance-${randomUUID()}`,
      currency,
      paidTotal: 13_700,
      loyaltyDiscountTotal: 0,
      occurredAt: new Date().toISOString(),
      context: { venueId, baxId, cashRegisterId: 'conformance', channel: 'pos' },
      ...more,
    }
  }

  postBasket(basket: object | string, twist: Twist = {}): Promise<Answer> {
    return this.send('/v1/pos/basket', basket, twist)
  }

  postSale(sale: object | string, twist: Twist = {}): Promise<Answer> {
    return this.send('/v1/pos/sale', sale, twist)
  }

  aReturn(calculationId: string, more: Readonly<Record<string, unknown>> = {}): Record<string, unknown> {
    const { context, occurredAt } = this.sale(calculationId)
    return {
      returnId: randomUUID(),
      calculationId,
      lines: [{ lineId: '1', quantity: 1 }],
      context,
      occurredAt,
      ...more,
    }
  }

  postReturn(returned: object, twist: Twist = {}): Promise<Answer> {
    return this.send('/v1/pos/return', returned, twist)
  }

  async send(path: string, value: object | string, twist: Twist): Promise<Answer> {
    for (;;) {
      const answer = await this.sendOnce(path, value, twist)
      if (answer.status !== 429) return answer
      const seconds = Number(answer.headers.get('retry-after') ?? 1)
      await new Promise((resolve) => setTimeout(resolve, Math.max(1, seconds) * 1000))
    }
  }

  private async sendOnce(path: string, value: object | string, twist: Twist): Promise<Answer> {
    const { service } = this.deployment
    const body = typeof value === 'string' ? value : JSON.stringify(value)
    const sent = objectFromJson(body)
    const key = twist.key ?? String(sent?.['returnId'] ?? sent?.['calculationId'] ?? randomUUID())
    const headers = {
      'Content-Type': twist.contentType === undefined ? 'application/json' : twist.contentType,
      'Idempotency-Key': key,
      'POS-Signature': twist.signature === undefined ? signBody(body, service.secret, new Date()) : twist.signature,
      'X-Request-Id': twist.requestId ?? randomUUID(),
    }
    const given = Object.entries(headers).filter((entry): entry is [string, string] => entry[1] !== null)
    const method = twist.method ?? 'POST'
    const response = await fetch(`${service.url}${path}`, {
      method,
      headers: given,
      ...(method === 'POST' ? { body: Buffer.from(body) } : {}),
      signal: AbortSignal.timeout(answerMs),
    })
    const text = await response.text()
    return { status: response.status, headers: response.headers, text, body: objectFromJson(text) }
  }
}

export function aLine(lineId: string, unitPrice: number, quantity: number): PosLine {
  const gross = unitPrice * quantity
  const totals = { gross, lineDiscount: 0, orderDiscount: 0, net: gross }
  return { lineId, productId: `conformance-${lineId}`, quantity, unitPrice, noDiscount: false, totals }
}

export function totalsOf(lines: readonly PosLine[]): PosTotals {
  const sum = (name: keyof PosTotals) => lines.reduce((total, line) => total + line.totals[name], 0)
  return {
    gross: sum('gross'),
    lineDiscount: sum('lineDiscount'),
    orderDiscount: sum('orderDiscount'),
    net: sum('net'),
  }
}

export function expect(holds: boolean, what: string): void {
  if (!holds) throw new Broken(what)
}

export function expectEqual(received: unknown, expected: unknown, what: string): void {
  const [a, b] = [JSON.stringify(received), JSON.stringify(expected)]
  expect(a === b, `${what}: expected ${b}, received ${String(a).slice(0, 200)}`)
}

export function expectGood(answer: Answer): Readonly<Record<string, unknown>> {
  expect(answer.status === 200, `expected 200, received ${answer.status} ${answer.text.slice(0, 200)}`)
  expect(answer.body !== null, 'expected a JSON object')
  expect(
    /^app;dur=\d+(\.\d+)?$/.test(answer.headers.get('server-timing') ?? ''),
    'Server-Timing: expected app;dur=<ms>',
  )
  expectJson(answer)
  return answer.body!
}

export function expectError(answer: Answer, status: number, code: string): void {
  expect(answer.status === status, `expected ${status} ${code}, received ${answer.status} ${answer.text.slice(0, 200)}`)
  const error = answer.body?.['error'] as Record<string, unknown> | undefined
  expectEqual(error?.['code'], code, 'error.code')
  expect(typeof error?.['message'] === 'string', 'error.message: expected a text')
  expectEqual(error?.['requestId'], answer.headers.get('x-request-id'), 'error.requestId is X-Request-Id')
  expectJson(answer)
}

export function expectField(answer: Answer, field: string): void {
  const details = (answer.body?.['error'] as { details?: Record<string, unknown> } | undefined)?.details
  expectEqual(details?.['field'], field, 'error.details.field')
  for (const name of ['expected', 'received']) expect(details !== undefined && name in details, `error.details.${name}`)
}

function expectJson(answer: Answer): void {
  expect((answer.headers.get('content-type') ?? '').startsWith('application/json'), 'Content-Type: expected JSON')
  expect(/^[0-9a-f-]{36}$/i.test(answer.headers.get('x-request-id') ?? ''), 'X-Request-Id: expected a UUID')
}

export interface Check {
  readonly name: string
  readonly section: string
  run(probe: Probe): Promise<void>
}
