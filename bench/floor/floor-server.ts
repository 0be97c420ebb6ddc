import { createHmac, timingSafeEqual } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { promisify } from 'node:util'
import { brotliCompress, constants } from 'node:zlib'
import { Redis } from 'ioredis'
import postgres from 'postgres'

/**
 * The unavoidable work of such a service in plain node:http: verifies the signature, parses and writes the JSON, stores
 * the answer in Redis and the compressed request in Postgres, in background batches.
 */

const compress = promisify(brotliCompress)
const compressOptions = { params: { [constants.BROTLI_PARAM_QUALITY]: 1, [constants.BROTLI_PARAM_LGWIN]: 18 } }
/** The service's own lifetime of an answer, in seconds. */
const answerLifetimeS = 900
const flushEveryMs = 20
const batchMax = 64
/** Requests that wait for Postgres at most; more are lost, which only a floor may do. */
const waitingMax = 20_000

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

function createLeast(redisUrl: string, databaseUrl: string) {
  const redis = new Redis(redisUrl)
  const sql = postgres(databaseUrl, { max: 4, onnotice: () => {} })
  const waiting: { readonly id: string; readonly body: Buffer }[] = []
  void flushForEver(sql, waiting)
  return {
    /** Resolves to the answer's bytes, stored in Redis. */
    async answer(body: Buffer): Promise<Buffer> {
      const basket = JSON.parse(body.toString()) as { readonly calculationId: string }
      const answer = Buffer.from(JSON.stringify({ calculationId: basket.calculationId, status: 'applied', basket }))
      await redis.set(`floor:${basket.calculationId}`, answer, 'EX', answerLifetimeS)
      if (waiting.length < waitingMax) waiting.push({ id: basket.calculationId, body })
      return answer
    },
  }
}

async function flushForEver(
  sql: postgres.Sql,
  waiting: { readonly id: string; readonly body: Buffer }[],
): Promise<never> {
  await sql`create table if not exists floor_request (id uuid primary key, body bytea not null)`
  await sql`alter table floor_request alter column body set storage external`
  for (;;) {
    await new Promise((resolve) => setTimeout(resolve, flushEveryMs))
    while (waiting.length > 0) {
      const batch = waiting.splice(0, batchMax)
      const bodies = await Promise.all(batch.map(({ body }) => compress(body, compressOptions)))
      const hex = bodies.map((body) => `\\x${body.toString('hex')}`)
      await sql`
        insert into floor_request
        select * from unnest(${batch.map(({ id }) => id)}::uuid[], ${hex}::text[]::bytea[])
        on conflict do nothing`
    }
  }
}
