import { randomUUID } from 'node:crypto'
import http, { type IncomingMessage } from 'node:http'
import https from 'node:https'
import type { Socket } from 'node:net'
import { type Command, InvalidArgumentError } from 'commander'
import { contractTimes, objectFromJson } from '../pos-js/calculate.js'
import { type Service, signBody } from '../pos-js/call.js'
import { authorityFile, tlsFaultOf, tlsHint } from './certificates.js'
import { findPartner, type PartnerBody, type PartnerOptions, readPartnerBody, withPartner } from './partner.js'
import { exits, oneLine, print } from './screen.js'

export function addSign(program: Command): void {
  const command = program
    .command('sign <file>')
    .summary('a signed curl command for a basket, a sale event or a return')
    .description(`Prints a curl command that sends FILE, signed now: it is valid for 300 seconds. A body with a returnId goes to
the return endpoint, another with lines to the basket endpoint, any other to the sale endpoint.

  lps sign basket.json | sh`)
    .option('--headers', 'prints the headers alone, one a line, to compare with those that a POS sends')
  withPartner(command).action(
    exits(async (file: string, { headers: onlyHeaders, ...named }: PartnerOptions & { readonly headers?: boolean }) => {
      const { body, key, path } = readPartnerBody(file)
      const service = findPartner(named)
      const headers = [
        'Content-Type: application/json',
        `Idempotency-Key: ${key}`,
        `POS-Signature: ${signBody(body, service.secret, new Date())}`,
      ]
      if (onlyHeaders) headers.forEach(print)
      else {
        const authority = authorityFile()
        const trust = authority !== null && service.url.startsWith('https:') ? [`--cacert ${quoted(authority)}`] : []
        const words = [quoted(`${service.url}${path}`), ...trust, ...headers.map((header) => `-H ${quoted(header)}`)]
        print([`curl -sS ${words[0]}`, ...words.slice(1), `--data-binary ${quoted(`@${file}`)}`].join(' \\\n  '))
      }
      return 0
    }),
  )
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}

const lateMax = 3_600_000

interface SendOptions extends PartnerOptions {
  readonly late: number
  readonly cut: boolean
  readonly fresh: boolean
}

export function addSend(program: Command): void {
  const command = program
    .command('send <file>')
    .summary('send a basket, a sale event or a return, with trouble on the way')
    .description(`Sends FILE, signed now, and reports what came of it. A body with a returnId goes to the return endpoint, another with
lines to the basket endpoint, any other to the sale endpoint. It is a real call: use staging.

  lps send basket.json --fresh --late 600
  lps send sale.json --cut

Exit code 0: answered 200; 1: another answer, or none.`)
    .option('--late <ms>', 'half of the body, then a pause, then the rest: a slow network', lateFrom, 0)
    .option(
      '--cut',
      'the connection ends when the body is out, before the answer; then the same body is sent again, as a POS does with a sale event, and the report says whether the service had taken the first',
      false,
    )
    .option('--fresh', 'under a new calculationId (of a return: returnId), in place of the one in FILE', false)
  withPartner(command).action(
    exits(async (file: string, { late, cut, fresh, ...named }: SendOptions) => {
      const read = readPartnerBody(file)
      const sent = fresh ? withFreshId(read) : read
      const service = findPartner(named)
      print(`POST ${service.url}${sent.path}`)
      print(`  ${sent.path === '/v1/pos/return' ? 'return' : 'calculation'} ${sent.key}, ${sent.body.length} bytes`)
      const first = await postWithTrouble(service, sent, { lateMs: late, cut })
      report(first, late)
      if (first.kind !== 'cut') return codeOf(first)
      print('sent again, with the same key and bytes')
      const second = await postWithTrouble(service, sent, { lateMs: 0, cut: false })
      report(second, 0)
      if (second.kind === 'answered' && second.status === 200) print(`  ${verdictOnFirst(second)}`)
      return codeOf(second)
    }),
  )
}

function lateFrom(word: string): number {
  if (!/^\d{1,7}$/.test(word) || Number(word) > lateMax)
    throw new InvalidArgumentError(`expected milliseconds, up to ${lateMax}`)
  return Number(word)
}

function withFreshId({ body, key, path }: PartnerBody): PartnerBody {
  const fresh = randomUUID()
  const text = body.toString('utf8').replaceAll(JSON.stringify(key), JSON.stringify(fresh))
  return { body: Buffer.from(text), key: fresh, path }
}

function report(sent: Sent, lateMs: number): void {
  const { requestId, connectedMs, sentMs } = sent
  print(`  request id ${requestId}`)
  if (connectedMs !== null) print(`  connected after ${ms(connectedMs)}`)
  if (sentMs !== null) print(`  body out after ${ms(sentMs)}${lateMs > 0 ? `, its second half ${lateMs} ms late` : ''}`)
  for (const line of endLines(sent)) print(`  ${oneLine(line)}`)
}

function endLines(sent: Sent): string[] {
  const { endedMs } = sent
  switch (sent.kind) {
    case 'cut':
      return [`cut after ${ms(endedMs)}: a POS cannot know whether the service has taken it`]
    case 'broken':
      return [`no answer after ${ms(endedMs)}: ${sent.detail}`]
    case 'answered': {
      const { attemptMs } = contractTimes
      const hasGivenUp = `a POS waits ${attemptMs} ms for a basket: it has given up, and charges what it had`
      return [...answerLines(sent), ...(endedMs > attemptMs ? [hasGivenUp] : [])]
    }
  }
}

function answerLines({ status, headers, text, endedMs }: Extract<Sent, { kind: 'answered' }>): string[] {
  const answer = objectFromJson(text)
  const { 'server-timing': timing, 'idempotent-replayed': replayed, 'retry-after': retryAfter } = headers
  const atService = /dur=([\d.]+)/.exec(String(timing))?.[1]
  return [
    `answered ${status} after ${ms(endedMs)}${atService === undefined ? '' : `, ${atService} ms of it at the service`}`,
    ...(answer === null ? [text.slice(0, 200)] : outcomeLines(answer)),
    ...(replayed === undefined ? [] : ['a repeat: the stored answer of an earlier request']),
    ...(retryAfter === undefined ? [] : [`to be sent again after ${retryAfter} s`]),
  ]
}

function outcomeLines(answer: Readonly<Record<string, unknown>>): string[] {
  const { status, reason, result, refund, basket, error } = answer as {
    readonly [name in 'status' | 'reason' | 'result' | 'refund']?: unknown
  } & { readonly basket?: { readonly totals?: Record<string, unknown> }; readonly error?: Record<string, unknown> }
  const { gross, net } = basket?.totals ?? {}
  const details = error?.['details'] as Record<string, unknown> | undefined
  return [
    ...(status === undefined ? [] : [`status ${status}${reason === undefined ? '' : `, reason ${reason}`}`]),
    ...(result === undefined ? [] : [`result ${result}${refund === undefined ? '' : `, refund ${refund}`}`]),
    ...(net === undefined ? [] : [`to be charged: ${net} of ${gross}`]),
    ...(error === undefined ? [] : [`${error['code']}: ${error['message']}`]),
    ...(details?.['field'] === undefined
      ? []
      : [`${details['field']}: expected ${details['expected']}, received ${details['received']}`]),
  ]
}

function verdictOnFirst({ headers }: Extract<Sent, { kind: 'answered' }>): string {
  return headers['idempotent-replayed'] === undefined
    ? 'the service had not taken the first: this one counts'
    : 'the service had taken the first, and this one changed nothing'
}

function ms(milliseconds: number): string {
  return `${milliseconds.toFixed(0)} ms`
}

function codeOf(sent: Sent): number {
  return sent.kind === 'answered' && sent.status === 200 ? 0 : 1
}

export interface Trouble {
  readonly lateMs: number
  readonly cut: boolean
}

export type Sent = {
  readonly requestId: string
  readonly connectedMs: number | null
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

const answerMs = 30_000

function postWithTrouble(service: Service, sent: PartnerBody, { lateMs, cut }: Trouble): Promise<Sent> {
  const { body, key, path } = sent
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
        'Idempotency-Key': key,
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
