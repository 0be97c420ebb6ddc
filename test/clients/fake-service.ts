import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { PosBasket, PosLine } from '../../clients/pos-js/basket.js'
import type { VenueProduct } from '../../engine/core/base/basket.js'
import type { ProgrammeVenue } from '../../engine/programme/read-venue.js'
import { signatureOf } from '../support/sign.js'

/** One request at a fake service. */
export interface Seen {
  readonly atMs: number
  readonly method: string
  readonly path: string
  readonly headers: IncomingMessage['headers']
  readonly body: string
  readonly signed: boolean
}

export interface FakeService {
  readonly url: string
  readonly seen: Seen[]
  close(): Promise<void>
}

export type Answer = (seen: Seen, response: ServerResponse) => void

/** An HTTP server in place of the service: records requests, and answers with `answer`. */
export async function createFakeService(secret: string, answer: Answer): Promise<FakeService> {
  const seen: Seen[] = []
  const server: Server = createServer((request, response) => {
    const parts: Buffer[] = []
    request.on('data', (part: Buffer) => parts.push(part))
    request.on('end', () => {
      const body = Buffer.concat(parts)
      const signed = isSigned(String(request.headers['pos-signature']), body, secret)
      const { method = '', url: path = '', headers } = request
      const one = { atMs: performance.now(), method, path, headers, body: body.toString(), signed }
      seen.push(one)
      answer(one, response)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    seen,
    close: () => {
      server.closeAllConnections()
      return new Promise((resolve) => server.close(() => resolve()))
    },
  }
}

/** True when a body has a signature of this secret, made within 300 s. */
function isSigned(header: string, body: Buffer, secret: string): boolean {
  const [, seconds, hex] = /^t=(\d+),v1=([0-9a-f]{64})$/.exec(header) ?? []
  return hex === signatureOf(secret, String(seconds), body) && Math.abs(Number(seconds) - Date.now() / 1000) < 300
}

export function answerJson(
  response: ServerResponse,
  status: number,
  value: unknown,
  headers: Record<string, string> = {},
): void {
  const body = JSON.stringify(value)
  const length = Buffer.byteLength(body)
  response.writeHead(status, { 'Content-Type': 'application/json', 'Content-Length': length, ...headers }).end(body)
}

/** The basket with 20 % off every discountable line: a possible answer of the service. */
export function discounted(basket: PosBasket): PosBasket {
  const lines = basket.lines.map((line): PosLine => {
    if (line.noDiscount) return line
    const amount = Math.floor((line.totals.gross * 20 + 50) / 100)
    const discount = {
      type: 'percentage',
      percentage: 20,
      amount,
      lineDiscountCode: 'THIRD_PARTY_LOYALTY',
      text: '20 %',
    } as const
    const totals = { gross: line.totals.gross, lineDiscount: amount, orderDiscount: 0, net: line.totals.gross - amount }
    return { ...line, discounts: [discount], totals }
  })
  const total = (name: keyof PosBasket['totals']) => lines.reduce((sum, line) => sum + line.totals[name], 0)
  const totals = { gross: total('gross'), lineDiscount: total('lineDiscount'), orderDiscount: 0, net: total('net') }
  return { ...basket, lines, totals }
}

/** A venue that sells a piece, something weighed and a deposit. */
export const venue: ProgrammeVenue = {
  venueId: 'v-1',
  name: 'Venue 1',
  environment: 'staging',
  currency: 'NOK',
  timeZone: 'Europe/Oslo',
  baxIds: ['100'],
  products: [
    product('bun', 'Bun', 4500),
    product('cheese', 'Cheese, per kg', 18_901),
    { ...product('deposit', 'Deposit', 200), noDiscount: true },
  ],
}

function product(productId: string, name: string, unitPrice: number): VenueProduct {
  return {
    productId,
    name,
    unitPrice,
    productGroupId: null,
    productMasterId: null,
    ean: null,
    noDiscount: false,
    noPercentageDiscount: false,
  }
}
