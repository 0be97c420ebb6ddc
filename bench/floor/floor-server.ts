import { createHmac, timingSafeEqual } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createLeast } from './least.js'

/**
 * The unavoidable work of such a service in plain node:http: verifies the signature, parses and writes the JSON, stores
 * the answer in Redis and the compressed request in Postgres, in background batches.
 */

const secret = process.env['LOYALTY_SECRETS']!
const least = createLeast(process.env['REDIS_URL']!, process.env['DATABASE_URL']!)

const server = createServer((request, response) => {
  const parts: Buffer[] = []
  request.on('data', (part: Buffer) => parts.push(part))
  request.on('end', () => {
    const body = parts.length === 1 ? parts[0]! : Buffer.concat(parts)
    answer(request, body).then(
      ({ status, bytes }) => send(response, status, bytes),
      (error: Error) => send(response, 500, Buffer.from(error.message)),
    )
  })
})
server.listen(0, '127.0.0.1', () => {
  process.stderr.write(`listening on http://127.0.0.1:${(server.address() as AddressInfo).port}\ninternal on nowhere\n`)
})
process.on('SIGTERM', () => process.exit(0))

async function answer(request: IncomingMessage, body: Buffer): Promise<{ status: number; bytes: Buffer }> {
  if (!isSigned(request, body)) return { status: 401, bytes: Buffer.from('{}') }
  return { status: 200, bytes: await least.answer(body) }
}

function isSigned(request: IncomingMessage, body: Buffer): boolean {
  const [, seconds, hex] = /^t=(\d+),v1=([0-9a-f]{64})$/.exec(String(request.headers['pos-signature'])) ?? []
  if (seconds === undefined || hex === undefined) return false
  const expected = createHmac('sha256', secret).update(`${seconds}.`).update(body).digest()
  return timingSafeEqual(expected, Buffer.from(hex, 'hex'))
}

function send(response: ServerResponse, status: number, bytes: Buffer): void {
  response.writeHead(status, { 'Content-Type': 'application/json', 'Content-Length': bytes.length }).end(bytes)
}
