import http, { type IncomingMessage, type ServerResponse } from 'node:http'
import https from 'node:https'
import type { AddressInfo, Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { PosBasket } from '../pos-js/basket.js'
import { objectFromJson } from '../pos-js/calculate.js'
import type { AnswerInCase, ScriptedAnswer } from './cases.js'
import { type AnswerParts, fitChange, unfitness } from './fit-change.js'
import type { Calculation, Run, Seen } from './run.js'
import { type Place, Steps, type StepsOptions } from './step-by-step.js'

export const stepPath = '/check-pos/step'

export interface PlayOptions extends StepsOptions {
  readonly host: string
  readonly port: number
  readonly tls: { readonly cert: string; readonly key: string } | null
  readonly parts: AnswerParts
}

export interface PlayedService {
  readonly url: string
  begin(): void
  readonly runs: Promise<readonly Run[]>
  /** Ends before the last step: the current one does not count, unless its event was answered. */
  stop(): void
  close(): Promise<void>
}

/** Bytes of a request that are read: many times the largest basket (contract 8). */
const bodyBytesMax = 4 * 1024 * 1024
const between: AnswerInCase = { json: { status: 'unchanged', reason: 'no_benefits' } }

export async function playService(options: PlayOptions): Promise<PlayedService> {
  const { tls, host, parts } = options
  const answer = (request: IncomingMessage, response: ServerResponse) => {
    take(request, response).catch(() => response.destroy())
  }
  // A kept connection outlasts a step: a person's sales come minutes apart, and a cut has to hit a kept connection.
  const keepAliveTimeout = options.waitMs + options.quietMs
  const server =
    tls === null
      ? http.createServer({ keepAliveTimeout }, answer)
      : https.createServer({ ...tls, keepAliveTimeout }, answer)
  const used = new WeakSet<Socket>()
  const listen = (port: number) =>
    new Promise<void>((resolve, reject) => server.once('error', reject).listen(port, host, resolve))
  const stop = () => {
    server.closeAllConnections()
    return new Promise<void>((resolve) => server.close(() => resolve()))
  }
  await listen(options.port)
  const { port } = server.address() as AddressInfo
  const steps = new Steps(options, { stop, listen: () => listen(port) })

  async function take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { url: path = '', method, socket } = request
    const isReused = used.has(socket)
    used.add(socket)
    if (method === 'GET' && path === stepPath) return giveJson(response, 200, steps.next())
    const kind = kinds.get(path) ?? null
    const body = await bodyOf(request)
    if (kind === null || method !== 'POST') return giveJson(response, 404, notThere)
    const seen = see(kind, { request, response, body, isReused })
    const id = String(seen.value?.['calculationId'] ?? request.headers['idempotency-key'])
    const place = kind === 'return' ? steps.returnCame(id, seen) : null
    const scripted =
      place !== null ? returnAnswer(place, seen) : kind === 'basket' ? basketAnswer(id, seen) : saleAnswer(id, seen)
    seen.answered = textOf(scripted)
    await giveAnswer(response, scripted)
    if (kind === 'sale') steps.saleAnswered(id)
    if (place !== null) steps.returnAnswered(place)
  }

  function basketAnswer(id: string, seen: Seen): ScriptedAnswer {
    const { run, calculation } = steps.basketCame(id, seen)
    const sent = asBasket(seen)
    const problem = sent === null || run === null ? null : unfitness(sent)
    if (run === null || sent === null || problem !== null) {
      if (problem !== null) run?.problems.push({ rule: 'step', text: problem })
      return answerToSale(between, id)
    }
    const answered = answerToBasket(run.step.answer ?? between, sent, parts)
    Object.assign(calculation, { sent, returned: answered.basket } satisfies Partial<Calculation>)
    return answered
  }

  function saleAnswer(id: string, seen: Seen): ScriptedAnswer {
    const { run, calculation } = steps.saleCame(id, seen)
    const answers = run?.step.saleAnswers ?? recorded
    return answerToSale(answers[Math.min(calculation.sales.length, answers.length) - 1]!, id)
  }

  const scheme = tls === null ? 'http' : 'https'
  return {
    url: `${scheme}://${host}:${port}`,
    begin: () => steps.begin(),
    runs: steps.ended,
    stop: () => steps.stop(),
    close: () => steps.close(),
  }
}

function returnAnswer({ run, calculation }: Place, { value }: Seen): ScriptedAnswer {
  const answers = run?.step.returnAnswers ?? []
  const { json, ...how } = answers[Math.min(calculation.returns.length, answers.length) - 1] ?? notReturned
  return { ...how, body: JSON.stringify({ returnId: value?.['returnId'], ...json }) }
}

const kinds: ReadonlyMap<string, Seen['kind']> = new Map([
  ['/v1/pos/basket', 'basket'],
  ['/v1/pos/sale', 'sale'],
  ['/v1/pos/return', 'return'],
])
const notReturned: AnswerInCase = { json: { result: 'unknown_calculation' } }
const recorded: readonly AnswerInCase[] = [{ json: { result: 'recorded' } }]
const notThere = { error: { code: 'invalid_request', message: 'There is no such path and method.' } }

interface Arrival extends Pick<Seen, 'body' | 'isReused'> {
  readonly request: IncomingMessage
  readonly response: ServerResponse
}

function see(kind: Seen['kind'], { request, response, body, isReused }: Arrival): Seen {
  const atMs = performance.now()
  let endMs: number | null = null
  response.once('close', () => {
    endMs = performance.now()
  })
  return {
    kind,
    atMs,
    receivedAt: Date.now(),
    headers: request.headers,
    body,
    value: objectFromJson(body.toString()),
    isReused,
    answered: '',
    waitedMs: () => (endMs ?? performance.now()) - atMs,
  }
}

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const parts: Buffer[] = []
  let bytes = 0
  for await (const part of request as AsyncIterable<Buffer>) {
    bytes += part.length
    if (bytes > bodyBytesMax) throw new Error('the request is too large')
    parts.push(part)
  }
  return Buffer.concat(parts)
}

function asBasket({ value }: Seen): PosBasket | null {
  const lines = value?.['lines']
  const isLine = (line: unknown) => typeof (line as PosBasket['lines'][number] | null)?.totals?.net === 'number'
  return Array.isArray(lines) && lines.length > 0 && lines.every(isLine) ? (value as unknown as PosBasket) : null
}

function textOf(answer: ScriptedAnswer): string {
  const { status = 200, delayMs, half, cut, raw } = answer
  if (cut === true) return 'connection cut'
  if (raw !== undefined) return 'no HTTP'
  const how = { silence: ', half, then silence', drip: ', byte by byte', cut: ', half, then cut' }
  const late = delayMs === undefined ? '' : ` after ${delayMs} ms`
  return `${status}${late}${half === undefined ? '' : how[half]}`
}

function giveJson(response: ServerResponse, status: number, value: object): void {
  response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(value))
}

export interface Answered extends ScriptedAnswer {
  readonly basket: PosBasket | null
}

export function answerToBasket(answer: AnswerInCase, sent: PosBasket, parts: AnswerParts): Answered {
  const { json, text, change, more, ...how } = answer
  const { calculationId } = sent
  if (change === undefined) return { ...how, body: text ?? JSON.stringify({ calculationId, ...json }), basket: null }
  const basket = fitChange(change, sent, parts)
  return { ...how, body: JSON.stringify({ calculationId, status: 'applied', basket, ...more }), basket }
}

function answerToSale({ json, text, ...how }: AnswerInCase, calculationId: string): ScriptedAnswer {
  return { ...how, body: text ?? JSON.stringify({ calculationId, ...json }) }
}

/** Pause between the bytes of an answer in `drip`, and before a cut, in milliseconds. */
const dripMs = 50
const cutMs = 20

export async function giveAnswer(response: ServerResponse, answer: ScriptedAnswer): Promise<void> {
  const { status = 200, headers, body, delayMs, half } = answer
  if (delayMs !== undefined) await sleep(delayMs)
  if (answer.cut === true) return void response.socket?.destroy()
  if (answer.raw !== undefined) return void response.socket?.end(answer.raw)
  const bytes = Buffer.from(body)
  response.writeHead(status, { 'Content-Type': 'application/json', 'Content-Length': bytes.length, ...headers })
  if (half === undefined) return void response.end(bytes)
  const middle = bytes.length >> 1
  response.write(bytes.subarray(0, middle))
  if (half === 'cut') {
    await sleep(cutMs)
    response.destroy()
  }
  for (let at = middle; half === 'drip' && at < bytes.length && !response.destroyed; at++) {
    response.write(bytes.subarray(at, at + 1))
    await sleep(dripMs)
  }
}
