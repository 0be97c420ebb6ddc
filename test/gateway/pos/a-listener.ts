import { randomUUID } from 'node:crypto'
import net from 'node:net'
import { Writable } from 'node:stream'
import type { Test } from 'tap'
import { type Dispatcher, request } from 'undici'
import { createRestListener, type RestListener, type RestOptions } from '../../../gateway/pos/listener.js'
import type { Endpoint } from '../../../gateway/pos/routes.js'
import { createLog } from '../../../gateway/telemetry/log.js'
import { createMetrics } from '../../../gateway/telemetry/metrics.js'
import { createMemberMark } from '../../../gateway/telemetry/pseudonym.js'
import { createRequestFeed } from '../../../gateway/telemetry/request-feed.js'
import type { Call, PartnerUseCases, Reply } from '../../../gateway/use-cases/replies.js'
import { signatureOf } from '../../support/sign.js'

export const secret = 'a-secret-for-tests'

/** A listener with use cases that a test brings, on a free port, closed when the test ends. */
export interface TestListener {
  readonly origin: string
  readonly host: string
  readonly port: number
  readonly listener: RestListener
  /** Calls that reached a use case. */
  readonly calls: { endpoint: Endpoint; call: Call }[]
  /** Lines of the log, parsed. */
  readonly logged: () => Record<string, unknown>[]
  readonly logText: () => string
}

interface TestOptions extends Partial<Omit<RestOptions, 'useCases'>> {
  /** Without `recordReturn`: one that answers with the request's data. */
  readonly useCases?: Omit<PartnerUseCases, 'recordReturn'> & Partial<PartnerUseCases>
}

export async function aListener(t: Test, options: TestOptions = {}): Promise<TestListener> {
  const calls: TestListener['calls'] = []
  let logText = ''
  const log = createLog(
    'debug',
    new Writable({
      write(chunk, _encoding, done) {
        logText += chunk
        done()
      },
    }),
  )
  const given = { ...echoUseCases, ...options.useCases }
  const useCases: PartnerUseCases = {
    calculateBasket(call) {
      calls.push({ endpoint: 'basket', call })
      return given.calculateBasket(call)
    },
    recordSale(call) {
      calls.push({ endpoint: 'sale', call })
      return given.recordSale(call)
    },
    recordReturn(call) {
      calls.push({ endpoint: 'return', call })
      return given.recordReturn(call)
    },
  }
  const listener = createRestListener({
    address: { host: '127.0.0.1', port: 0 },
    certificate: null,
    rateLimiter: { take: async () => 0, isStrained: false },
    secrets: () => [Buffer.from(secret)],
    readiness: () => ({ ready: true, parts: { ledger: 'up' } }),
    bodyBytesMax: 262_144,
    linesMax: 200,
    posReturns: true,
    // Tests of the deadline bring their own: the others may take what a busy machine takes.
    deadlineMs: 60_000,
    log,
    memberMark: createMemberMark('k', () => 0),
    metrics: createMetrics(),
    requests: createRequestFeed(),
    tracing: null,
    environment: 'staging',
    stagingVenues: null,
    partner: null,
    ...options,
    useCases,
  })
  const { host, port } = await listener.listen()
  t.teardown(() => listener.close())
  const scheme = options.certificate ? 'https' : 'http'
  return {
    origin: `${scheme}://${host}:${port}`,
    host,
    port,
    listener,
    calls,
    logText: () => logText,
    logged: () =>
      logText
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => JSON.parse(line)),
  }
}

/** Answers with the request's data. */
const echoUseCases: PartnerUseCases = {
  calculateBasket: async (call) => answered(call.body),
  recordSale: async (call) => answered(call.body),
  recordReturn: async (call) => answered(call.body),
}

export function answered(body: Uint8Array | string, replayed = false): Reply {
  return { kind: 'answered', body: typeof body === 'string' ? Buffer.from(body) : body, replayed, outcome: 'applied' }
}

/** The header for a body, signed now with the tests' secret by default. */
export function signed(body: string | Uint8Array, t: string | number = nowS(), key: string = secret): string {
  return `t=${t},v1=${signatureOf(key, t, body)}`
}

export function nowS(): number {
  return Math.floor(Date.now() / 1000)
}

/** A valid call's headers, in an order and with values that a test may change. */
export function aCall(
  body: string | Uint8Array,
  more: Record<string, string | undefined> = {},
): Record<string, string> {
  const headers: Record<string, string | undefined> = {
    'content-type': 'application/json',
    'pos-signature': signed(body),
    'idempotency-key': randomUUID(),
    ...more,
  }
  return Object.fromEntries(
    Object.entries(headers).filter((entry): entry is [string, string] => entry[1] !== undefined),
  )
}

/** Posts a body to the basket endpoint over connections of a dispatcher. */
export async function postBasket({ origin }: TestListener, body: string, dispatcher: Dispatcher) {
  const call = { method: 'POST', headers: aCall(body), body, dispatcher } as const
  const { statusCode, headers, body: answer } = await request(`${origin}/v1/pos/basket`, call)
  return { status: statusCode, headers: headers as Record<string, string>, body: await answer.text() }
}

/** A request as bytes for a raw socket; lines may be left out or added. */
export function rawCall(
  body: string,
  more: { line?: string; headers?: readonly string[]; host?: boolean } = {},
): string {
  return [
    more.line ?? 'POST /v1/pos/basket HTTP/1.1',
    ...(more.host === false ? [] : ['Host: loyalty']),
    ...Object.entries(aCall(body)).map(([name, value]) => `${name}: ${value}`),
    ...(more.headers ?? [`Content-Length: ${Buffer.byteLength(body)}`]),
    '',
    body,
  ].join('\r\n')
}

/**
 * Sends bytes on a socket of their own and resolves to everything that came back until the server closed; where it stays
 * open, until a moment after `answers` answers, or until the time is over.
 */
export function speak(
  { host, port }: { host: string; port: number },
  bytes: string | Uint8Array,
  more: { finish?: boolean; waitMs?: number; answers?: number } = {},
): Promise<{ text: string; closed: boolean }> {
  return new Promise((resolve) => {
    const socket = net.connect({ host, port, allowHalfOpen: true })
    let text = ''
    const done = (closed: boolean) => {
      clearTimeout(timer)
      socket.destroy()
      resolve({ text, closed })
    }
    let timer = setTimeout(() => done(false), more.waitMs ?? 120_000)
    socket.on('data', (chunk) => {
      text += chunk.toString('latin1')
      if (more.answers === undefined || readAnswers(text).length < more.answers) return
      clearTimeout(timer)
      timer = setTimeout(() => done(false), momentMs)
    })
    socket.on('end', () => done(true))
    socket.on('error', () => done(true))
    socket.write(bytes)
    if (more.finish) socket.end()
  })
}

const momentMs = 100

/** One answer read from raw text. */
export interface RawAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** The answers in a raw text, in order; informational ones (100) included. */
export function readAnswers(text: string): RawAnswer[] {
  const answers: RawAnswer[] = []
  let rest = text
  while (rest.startsWith('HTTP/1.1 ')) {
    const end = rest.indexOf('\r\n\r\n')
    if (end === -1) break
    const [line, ...fields] = rest.slice(0, end).split('\r\n')
    const headers = Object.fromEntries(
      fields.map((field) => [
        field.slice(0, field.indexOf(':')).toLowerCase(),
        field.slice(field.indexOf(':') + 1).trim(),
      ]),
    )
    const length = Number(headers['content-length'] ?? 0)
    answers.push({ status: Number(line!.split(' ')[1]), headers, body: rest.slice(end + 4, end + 4 + length) })
    rest = rest.slice(end + 4 + length)
  }
  return answers
}

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

/** The faults of an error answer against the contract's error body; empty when it is right. */
export function faultsOfError(answer: RawAnswer, code: string): string[] {
  const faults: string[] = []
  let error: { code?: unknown; message?: unknown; requestId?: unknown } = {}
  try {
    error = JSON.parse(answer.body).error
  } catch {
    faults.push(`body is no JSON: ${answer.body}`)
  }
  if (error.code !== code) faults.push(`code ${String(error.code)}, not ${code}`)
  if (typeof error.message !== 'string' || error.message === '') faults.push('no message')
  const requestId = answer.headers['x-request-id'] ?? ''
  if (!uuid.test(requestId) || error.requestId !== requestId) faults.push('request id missing, or not the same')
  if (answer.headers['content-type'] !== 'application/json') faults.push('content type')
  const retryAfter = answer.headers['retry-after']
  if ([429, 503].includes(answer.status) && !/^[1-9][0-9]*$/.test(retryAfter ?? '')) faults.push('no Retry-After')
  return faults
}
