import { randomUUID } from 'node:crypto'
import http, { type IncomingMessage } from 'node:http'
import https from 'node:https'
import type { Socket } from 'node:net'
import type { Service } from '../pos-js/call.js'
import { signBody } from '../pos-js/sign.js'
import type { PartnerBody } from './partner.js'
import { tlsFaultOf, tlsHint } from './tls-fault.js'

/** What happens on the way. */
export interface Trouble {
  /** Between the two halves of the body, in milliseconds. */
  readonly lateMs: number
  /** The connection ends when the body is out, before an answer. */
  readonly cut: boolean
}

/** One request, as its sender saw it; times in milliseconds from the start. */
export type Sent = {
  readonly requestId: string
  /** When the connection stood; null: it never did. */
  readonly connectedMs: number | null
  /** When the last byte of the body was handed over; null: it was not. */
  readonly sentMs: number | null
  readonly endedMs: number
} & (
  | { readonly kind: 'cut' }
  | { readonly kind: 'broken'; readonly detail: string }
  | {
      readonly kind: 'answered'
      readonly status: number
      readonly headers: IncomingMessage['headers']
      readonly text: string
    }
)

/** How long an answer is waited for, in milliseconds: much longer than a POS waits. */
const answerMs = 30_000

/** Sends one signed body with trouble. Never rejects. */
export function postWithTrouble(service: Service, sent: PartnerBody, { lateMs, cut }: Trouble): Promise<Sent> {
  const { body, calculationId, path } = sent
  const requestId = randomUUID()
  const startedAt = performance.now()
  const sinceStart = () => performance.now() - startedAt
  let [connectedMs, sentMs]: [number | null, number | null] = [null, null]
  const url = new URL(`${service.url}${path}`)
  return new Promise((resolve) => {
    const common = () => ({ requestId, connectedMs, sentMs, endedMs: sinceStart() })
    const broken = (error: NodeJS.ErrnoException) => {
      const detail = tlsFaultOf(error) ?? `${error.message || error.code}${tlsHint(url.href, error)}`
      resolve({ ...common(), kind: 'broken', detail })
    }
    const request = (url.protocol === 'https:' ? https : http).request(url, {
      method: 'POST',
      agent: false,
      timeout: answerMs,
      headers: {
        'Content-Type': 'application/json',
        'Content-Length': body.length,
        'Idempotency-Key': calculationId,
        'POS-Signature': signBody(body, service.secret, new Date()),
        'X-Request-Id': requestId,
      },
    })
    request.once('socket', (socket: Socket) => {
      socket.once(url.protocol === 'https:' ? 'secureConnect' : 'connect', () => {
        connectedMs = sinceStart()
      })
    })
    request.once('error', broken)
    request.once('timeout', () => request.destroy(new Error(`no answer within ${answerMs} ms`)))
    request.once('response', (response) => {
      textOf(response).then(
        (text) =>
          resolve({ ...common(), kind: 'answered', status: response.statusCode ?? 0, headers: response.headers, text }),
        broken,
      )
    })
    const end = () =>
      request.end(body.subarray(body.length >> 1), () => {
        sentMs = sinceStart()
        if (!cut) return
        resolve({ ...common(), kind: 'cut' })
        request.destroy()
      })
    request.write(body.subarray(0, body.length >> 1))
    setTimeout(end, lateMs)
  })
}

async function textOf(response: IncomingMessage): Promise<string> {
  const parts: Buffer[] = []
  for await (const part of response as AsyncIterable<Buffer>) parts.push(part)
  return Buffer.concat(parts).toString()
}
