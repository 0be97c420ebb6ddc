import { createHmac } from 'node:crypto'
import { readBasket } from '../../engine/wire/read-basket.js'
import { readReturn } from '../../engine/wire/read-return.js'
import { readSale } from '../../engine/wire/read-sale.js'
import { isStale, readSignature, signatureWindowS, verifySignature } from '../../gateway/pos/authentication.js'
import { isUuid, isUuidInAnyCase } from '../../gateway/pos/request.js'
import type { Problem, Seen } from './run.js'

const linesMax = 200

export function problemsOfRequest(seen: Seen, secret: string): Problem[] {
  return [
    ...problem('signature', signatureProblem(seen, secret)),
    ...problem('content-type', contentTypeProblem(seen)),
    ...problem('idempotency-key', keyProblem(seen)),
    ...problem('request-id', requestIdProblem(seen)),
    ...problem('form', formProblem(seen)),
  ]
}

function problem(rule: Problem['rule'], text: string | null): Problem[] {
  return text === null ? [] : [{ rule, text }]
}

function signatureProblem({ headers, body, receivedAt }: Seen, secret: string): string | null {
  const header = headers['pos-signature']
  if (header === undefined) return 'there is no POS-Signature'
  const signature = readSignature(String(header))
  if (signature === null) return `POS-Signature: expected t=<unix seconds>,v1=<64 hex digits>, received ${header}`
  if (!verifySignature(signature, body, [Buffer.from(secret)])) {
    const digests = signature.digests.map((digest) => Buffer.from(digest).toString('hex'))
    const mistake = mistakes(secret, body, signature.t).find(([digest]) => digests.includes(digest))
    return `POS-Signature does not verify${mistake === undefined ? '' : `: ${mistake[1]}`}`
  }
  return isStale(signature, receivedAt)
    ? `POS-Signature: t is more than ${signatureWindowS} s from the clock here (stale_timestamp)`
    : null
}

function mistakes(secret: string, body: Buffer, t: string): (readonly [digest: string, text: string])[] {
  const of = (key: string | Buffer, ...parts: (string | Buffer)[]) =>
    parts.reduce((hmac, part) => hmac.update(part), createHmac('sha256', key)).digest('hex')
  return [
    [
      of(Buffer.from(secret, 'hex'), `${t}.`, body),
      'the key is the text of the secret, not the bytes of its hex digits',
    ],
    [of(Buffer.from(secret, 'base64'), `${t}.`, body), 'the key is the text of the secret, not what its base64 means'],
    [of(secret, body), 'the moment and a full stop stand before the body'],
    [of(secret, t, body), 'a full stop stands between the moment and the body'],
    [of(`${secret}\n`, `${t}.`, body), 'the key ends with a line feed that is not of the secret'],
    [of(secret, `${t}.`, body.toString().trim()), 'the signature is of other bytes than those that were sent'],
  ]
}

function contentTypeProblem({ headers }: Seen): string | null {
  const type = headers['content-type'] ?? 'nothing'
  return /^application\/json\s*(;|$)/i.test(type) ? null : `Content-Type: expected application/json, received ${type}`
}

function keyProblem({ kind, headers, value }: Seen): string | null {
  const key = String(headers['idempotency-key'] ?? 'nothing')
  if (!isUuid(key)) return `Idempotency-Key: expected a UUID, lower-case and hyphenated, received ${key}`
  const name = kind === 'return' ? 'returnId' : 'calculationId'
  if (value === null || value[name] === key) return null
  return `Idempotency-Key: expected the ${name} ${value[name]}, received ${key}`
}

function requestIdProblem({ headers }: Seen): string | null {
  const id = headers['x-request-id']
  return id === undefined || isUuidInAnyCase(String(id)) ? null : `X-Request-Id: expected a UUID, received ${id}`
}

function formProblem({ kind, body, value }: Seen): string | null {
  const refusal = refusalOf[kind](body, String(value?.[kind === 'return' ? 'returnId' : 'calculationId']))
  if (refusal === null) return null
  const { field, expected, received } = refusal.details
  return `the service refuses this ${kind} (${refusal.code}): ${field}: expected ${expected}, received ${received}`
}

function basketRefusal(body: Buffer, key: string) {
  const read = readBasket(body, key, linesMax)
  return read.kind === 'refused' ? read.refusal : (read.tooManyLines ?? read.arithmetic)
}

const refusalOf = {
  basket: basketRefusal,
  sale: (body: Buffer, key: string) => refusalIn(readSale(body, key)),
  return: (body: Buffer, key: string) => refusalIn(readReturn(body, key)),
}

function refusalIn(read: ReturnType<typeof readSale> | ReturnType<typeof readReturn>) {
  return read.kind === 'refused' ? read.refusal : null
}
