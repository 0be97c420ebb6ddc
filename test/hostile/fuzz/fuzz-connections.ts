import http2 from 'node:http2'
import { create, type DescField, type DescMessage, type DescMethod, toBinary } from '@bufbuild/protobuf'
import { httpFaultStatuses, statusOfCode } from '../../../gateway/pos/errors.js'
import { signature } from '../../e2e/service.js'
import { pathOf } from '../../gateway/internal/grpc-client.js'
import { faultsOfError, readAnswers, speak } from '../../gateway/pos/a-listener.js'
import type { Dice } from '../../support/dice.js'
import { aGoodBasket } from '../body-row.js'
import { framed, rawCall, unaryMethods } from '../raw-call.js'
import type { Fuzzer } from './fuzzer.js'

/** The allowed outcomes of a call: served, or refused for its input. */
const codes = new Set([0, 3, 5, 6, 8, 9, 10, 12])
/** Calls of a session before a new one is opened. */
const callsPerSession = 500

/** Messages of every unary method with changed bytes, in frames that may be wrong too, with an admin's token. */
export const fuzzFrames: Fuzzer = {
  name: 'frames',
  atOnce: 16,
  async open({ service: { internalUrl }, token }) {
    let line = openLine(internalUrl)
    const current = (): Line => {
      if (line.calls === callsPerSession || line.session.closed || line.session.destroyed) {
        line.isFull = true
        line = openLine(internalUrl)
      }
      line.calls += 1
      line.open += 1
      return line
    }
    return {
      async one(index, dice, tally) {
        const method = dice.pick(unaryMethods)
        const { body, isFrame } = drawBody(dice, method)
        const own = current()
        const outcome = await rawCall(own.session, { path: pathOf(method), token, body })
        own.open -= 1
        if (own.isFull && own.open === 0) own.session.close()
        tally.count(outcome.code === null ? 'no status' : `${outcome.code} ${outcome.reason}`.trim())
        // For an invalid frame gRPC itself answers `internal`.
        const fine = outcome.code !== null && (codes.has(outcome.code) || (outcome.code === 13 && !isFrame))
        if (!fine || outcome.reason === 'INTERNAL_ERROR')
          tally.fault(index, `${method.name}: ${JSON.stringify(outcome)}`)
      },
      async close() {
        line.session.destroy()
      },
    }
  },
}

interface Line {
  readonly session: http2.ClientHttp2Session
  calls: number
  /** Calls in progress: a session that takes no more is closed after the last of them. */
  open: number
  isFull: boolean
}

function openLine(url: string): Line {
  const session = http2.connect(url)
  session.on('error', () => {})
  return { session, calls: 0, open: 0, isFull: false }
}

function drawBody(dice: Dice, method: DescMethod): { readonly body: Buffer; readonly isFrame: boolean } {
  const message = mutated(dice, drawMessage(dice, method.input))
  if (dice.chance(0.85)) return { body: framed(message), isFrame: true }
  const body = dice.pick([
    () => framed(message, dice.between(0, 255)),
    () => framed(message, 0, Math.max(0, message.length + dice.between(-5, 5))),
    () => framed(message).subarray(0, dice.between(0, message.length + 5)),
    () => Buffer.concat([framed(message), framed(message)]),
    () => Buffer.from(message),
  ])()
  return { body, isFrame: false }
}

/** A message with some of its scalar fields set. */
function drawMessage(dice: Dice, schema: DescMessage): Buffer {
  const set = Object.fromEntries(
    schema.fields
      .filter((field) => field.fieldKind === 'scalar' && field.oneof === undefined && dice.chance(0.6))
      .map((field) => [field.localName, drawScalar(dice, field)]),
  )
  return Buffer.from(toBinary(schema, create(schema, set)))
}

function drawScalar(dice: Dice, field: DescField): unknown {
  const isText = field.fieldKind === 'scalar' && field.scalar === 9
  if (isText)
    return dice.pick([
      '',
      'anna',
      'member-1',
      'cake-member',
      '0a1b2c3d-4e5f-6789-abcd-ef0123456789',
      'x'.repeat(200),
      '{}',
    ])
  const isBytes = field.fieldKind === 'scalar' && field.scalar === 12
  if (isBytes)
    return Buffer.from(
      dice.pick(['', 'productId;unitPrice\nbun;10,50', 'x'.repeat(200), '\uFEFF"', '\xff\0']),
      'latin1',
    )
  if (field.fieldKind === 'scalar' && field.scalar === 8) return dice.chance(0.5)
  const isLong = field.fieldKind === 'scalar' && [3, 4, 6, 16, 18].includes(field.scalar)
  const value = dice.pick([0, 1, 50, -1, 2 ** 31 - 1])
  return isLong ? BigInt(value) : value
}

function mutated(dice: Dice, message: Buffer): Buffer {
  let out = message
  for (let count = dice.between(0, 4); count > 0; count -= 1) {
    const at = dice.between(0, out.length)
    const bytes = Buffer.from(
      Array.from({ length: dice.between(0, 4) }, () =>
        dice.pick([0, 1, 0x0a, 0x12, 0x7b, 0x7f, 0x80, 0xff, dice.between(0, 255)]),
      ),
    )
    out = Buffer.concat([out.subarray(0, at), bytes, out.subarray(at + dice.between(0, 3))])
  }
  return out
}

const statuses = new Set<number>([100, 200, ...httpFaultStatuses, ...Object.values(statusOfCode)])

/**
 * One or two valid calls as bytes, cut, doubled and mixed with pieces of HTTP: each connection gets an answer of the contract, or is
 * closed.
 */
export const fuzzFraming: Fuzzer = {
  name: 'framing',
  atOnce: 24,
  async open({ service: { url, secret } }) {
    const { hostname: host, port } = new URL(url)
    const good = aGoodBasket()
    return {
      async one(index, dice, tally) {
        const call = aCall(good, secret)
        const { text, closed } = await speak(
          { host, port: Number(port) },
          Buffer.from(mutatedCall(dice, call), 'latin1'),
          {
            finish: true,
            answers: 1,
          },
        )
        const answers = readAnswers(text)
        if (!closed && answers.length === 0) tally.fault(index, 'the connection stays open without an answer')
        if (text !== '' && answers.length === 0) tally.fault(index, `no answer: ${text.slice(0, 100)}`)
        if (answers.length === 0) tally.count('nothing')
        for (const answer of answers) {
          tally.count(`${answer.status}`)
          if (!statuses.has(answer.status) || answer.status === 500) tally.fault(index, `status ${answer.status}`)
          else if (answer.status >= 400) {
            const faults = faultsOfError(answer, codeOf(answer.body))
            if (faults.length > 0) tally.fault(index, faults.join())
          }
        }
      },
      async close() {},
    }
  },
}

function codeOf(body: string): string {
  try {
    return String(JSON.parse(body).error.code)
  } catch {
    return ''
  }
}

function aCall(good: Record<string, unknown>, secret: string): string {
  const body = JSON.stringify(good)
  return [
    'POST /v1/pos/basket HTTP/1.1',
    'Host: loyalty',
    'Content-Type: application/json',
    `Idempotency-Key: ${good['calculationId']}`,
    `POS-Signature: ${signature(secret, Math.floor(Date.now() / 1000), body)}`,
    `Content-Length: ${Buffer.byteLength(body)}`,
    '',
    body,
  ].join('\r\n')
}

const pieces = [
  ...[
    '\r\n',
    '\n',
    '\r',
    '\0',
    ' ',
    '\t',
    ':',
    ',',
    '\xff',
    '{',
    '\r\n\r\n',
    '0\r\n\r\n',
    'HTTP/1.1',
    'HTTP/2',
    'POST',
    'Host: b\r\n',
  ],
  ...[
    'Transfer-Encoding: chunked\r\n',
    'Transfer-Encoding: gzip, chunked\r\n',
    'Content-Length: 1\r\n',
    'Connection: close\r\n',
  ],
  ...[
    'Expect: 100-continue\r\n',
    'Upgrade: x\r\nConnection: upgrade\r\n',
    'X-Request-Id: 1\r\n',
    'POS-Signature: t=1\r\n',
    'Trailer: x\r\n',
  ],
  ...[
    'ffffffffffffffff\r\n',
    '5;a=b\r\n',
    '-1',
    '/../',
    '?',
    '#',
    '%00',
    'http://x/',
    'GET / HTTP/1.0\r\n\r\n',
    'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
  ],
]

function mutatedCall(dice: Dice, call: string): string {
  let text = dice.chance(0.3) ? call + call : call
  for (let count = dice.between(0, 3); count > 0; count -= 1) {
    const at = dice.between(0, text.length)
    text = text.slice(0, at) + text.slice(at + dice.between(0, 30))
  }
  for (let count = dice.between(0, 4); count > 0; count -= 1) {
    const at = dice.chance(0.7) ? dice.between(0, Math.min(text.length, 420)) : dice.between(0, text.length)
    text = text.slice(0, at) + dice.pick(pieces) + text.slice(at)
  }
  return text
}
