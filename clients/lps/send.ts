import { randomUUID } from 'node:crypto'
import { type Command, InvalidArgumentError } from 'commander'
import { contractTimes, objectFromJson } from '../pos-js/calculate.js'
import { findPartner, type PartnerBody, type PartnerOptions, readPartnerBody, withPartner } from './partner.js'
import { oneLine, print } from './screen.js'
import { postWithTrouble, type Sent } from './troubled-post.js'
import { exits } from './usage.js'

/** An hour, in milliseconds. */
const lateMax = 3_600_000

interface SendOptions extends PartnerOptions {
  readonly late: number
  readonly cut: boolean
  readonly fresh: boolean
}

export function addSend(program: Command): void {
  const command = program
    .command('send <file>')
    .summary('send a basket or a sale event, with trouble on the way')
    .description(`Sends FILE, signed now, and reports what came of it. A body with lines goes to the basket endpoint, any other to the sale
endpoint. It is a real call: use staging.

  lps send basket.json --fresh --late 600
  lps send sale.json --cut

Exit code 0: answered 200; 1: another answer, or none.`)
    .option('--late <ms>', 'half of the body, then a pause, then the rest: a slow network', lateFrom, 0)
    .option(
      '--cut',
      'the connection ends when the body is out, before the answer; then the same body is sent again, as a POS does with a sale event, and the report says whether the service had taken the first',
      false,
    )
    .option('--fresh', 'under a new calculationId, in place of the one in FILE', false)
  withPartner(command).action(
    exits(async (file: string, { late, cut, fresh, ...named }: SendOptions) => {
      const read = readPartnerBody(file)
      const sent = fresh ? withFreshId(read) : read
      const service = findPartner(named)
      print(`POST ${service.url}${sent.path}`)
      print(`  calculation ${sent.calculationId}, ${sent.body.length} bytes`)
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

function withFreshId({ body, calculationId, path }: PartnerBody): PartnerBody {
  const fresh = randomUUID()
  const text = body.toString('utf8').replaceAll(JSON.stringify(calculationId), JSON.stringify(fresh))
  return { body: Buffer.from(text), calculationId: fresh, path }
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
  const { status, reason, result, basket, error } = answer as {
    readonly [name in 'status' | 'reason' | 'result']?: unknown
  } & { readonly basket?: { readonly totals?: Record<string, unknown> }; readonly error?: Record<string, unknown> }
  const { gross, net } = basket?.totals ?? {}
  const details = error?.['details'] as Record<string, unknown> | undefined
  return [
    ...(status === undefined ? [] : [`status ${status}${reason === undefined ? '' : `, reason ${reason}`}`]),
    ...(result === undefined ? [] : [`result ${result}`]),
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
