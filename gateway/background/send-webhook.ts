import { createHmac } from 'node:crypto'
import { request as httpRequest, type IncomingMessage } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { isIP } from 'node:net'
import type { DueDelivery } from '../../store/ledger/events.js'
import { idOfEvent } from './event-id.js'
import { AddressRefused, createLookUp, createReachTest, literalOf, type Reach } from './webhook-address.js'

/** Time for an attempt, in milliseconds. */
export const sendMs = 10_000
/** Bytes of an answer that are read at most: only its status counts. */
const answerMax = 65_536

/** The end of an attempt; `gone`: the receiver wants no more (410); `stopped`: this gateway stops. */
export type SendOutcome =
  | 'delivered'
  | 'gone'
  | 'status'
  | 'redirect'
  | 'timeout'
  | 'connection'
  | 'address'
  | 'stopped'

export interface Sent {
  readonly outcome: SendOutcome
  readonly text: string
  /** Delay that the receiver asks for (429 and 503 with Retry-After), in milliseconds. */
  readonly retryAfterMs?: number
}

export type SendWebhook = (delivery: DueDelivery, stopping: AbortSignal) => Promise<Sent>

interface Options {
  readonly reach: Reach
  /** For the whole attempt, in milliseconds. */
  readonly timeoutMs: number
}

/**
 * Sends an event once, signed by Standard Webhooks. A status from 200 to 299 is a delivery, a redirect is not followed. Each attempt has
 * a connection of its own.
 */
export function createSendWebhook({ reach, timeoutMs }: Options): SendWebhook {
  const mayReach = createReachTest(reach)
  const lookup = createLookUp(mayReach)
  return async (delivery, stopping) => {
    const url = new URL(delivery.url)
    const host = literalOf(url)
    // The settings may have changed since it was added.
    const isRefused = (isIP(host) !== 0 && !mayReach(host)) || (url.protocol === 'http:' && reach.http !== 'allowed')
    if (isRefused) return { outcome: 'address', text: 'address refused' }
    const timeout = AbortSignal.timeout(timeoutMs)
    const signal = AbortSignal.any([timeout, stopping])
    const body = Buffer.from(payloadOf(delivery))
    const headers = { ...signedHeaders(delivery, body, Date.now()), 'content-length': String(body.length) }
    const send = url.protocol === 'http:' ? httpRequest : httpsRequest
    return await new Promise((resolve) => {
      const request = send(url, { method: 'POST', agent: false, headers, lookup, signal })
      request.on('response', (answer) => {
        discard(answer)
        resolve(sentFromStatus(answer.statusCode ?? 0, answer.headers['retry-after']))
      })
      // Without a listener Node closes the connection and says nothing: neither an answer nor an error.
      request.on('upgrade', (answer, socket) => {
        socket.destroy()
        resolve(sentFromStatus(answer.statusCode ?? 0, undefined))
      })
      request.on('error', (error) => {
        if (stopping.aborted) resolve({ outcome: 'stopped', text: 'stopped' })
        else if (timeout.aborted) resolve({ outcome: 'timeout', text: 'time-out' })
        else resolve(sentFromError(error))
      })
      request.end(body)
    })
  }
}

/** The JSON to send: the same for every attempt, unless the member is forgotten since. */
function payloadOf({ type, atUs, memberId, body }: DueDelivery): string {
  const data = { ...(memberId === null ? {} : { memberId }), ...(JSON.parse(body) as object) }
  return JSON.stringify({ type, timestamp: new Date(Math.floor(atUs / 1_000)).toISOString(), data })
}

function signedHeaders(delivery: DueDelivery, body: Uint8Array, nowMs: number): Readonly<Record<string, string>> {
  const id = idOfEvent(delivery)
  const timestamp = String(Math.floor(nowMs / 1_000))
  return {
    'content-type': 'application/json',
    'user-agent': 'loyalty-partner-service',
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': signatureOf(delivery.secret, { id, timestamp, body }),
  }
}

interface Signed {
  readonly id: string
  /** Seconds since the epoch. */
  readonly timestamp: string
  readonly body: Uint8Array
}

/** The signature of Standard Webhooks. */
export function signatureOf(secret: Uint8Array, { id, timestamp, body }: Signed): string {
  return `v1,${createHmac('sha256', secret).update(`${id}.${timestamp}.`).update(body).digest('base64')}`
}

/** Reads on for a moment, so that the receiver can finish its answer; then closes the connection. */
function discard(answer: IncomingMessage): void {
  let bytes = 0
  answer.on('error', () => {})
  answer.on('data', (chunk: Buffer) => {
    bytes += chunk.length
    if (bytes > answerMax) answer.destroy()
  })
}

function sentFromStatus(status: number, retryAfter: string | undefined): Sent {
  const text = String(status)
  if (status >= 200 && status < 300) return { outcome: 'delivered', text }
  if (status === 410) return { outcome: 'gone', text }
  if (status === 429 || status === 503) return { outcome: 'status', text, ...retryAfterFrom(retryAfter, Date.now()) }
  return { outcome: status >= 300 && status < 400 ? 'redirect' : 'status', text }
}

/** Seconds, or an HTTP date (RFC 9110, section 10.2.3); other values are ignored. */
function retryAfterFrom(text: string | undefined, nowMs: number): { readonly retryAfterMs?: number } {
  if (text === undefined) return {}
  const ms = /^\d+$/.test(text) ? Number(text) * 1_000 : Date.parse(text) - nowMs
  return ms > 0 ? { retryAfterMs: ms } : {}
}

function sentFromError(error: NodeJS.ErrnoException): Sent {
  if (error instanceof AddressRefused) return { outcome: 'address', text: 'address refused' }
  return { outcome: 'connection', text: error.code ?? error.name }
}
