import { promisify } from 'node:util'
import { brotliCompress, constants } from 'node:zlib'
import { Redis } from 'ioredis'
import postgres from 'postgres'

export interface Least {
  /** @returns the answer's bytes, stored in Redis */
  answer(body: Buffer): Promise<Buffer>
}

const compress = promisify(brotliCompress)
const compressOptions = { params: { [constants.BROTLI_PARAM_QUALITY]: 1, [constants.BROTLI_PARAM_LGWIN]: 18 } }
/** The service's own lifetime of an answer, in seconds. */
const answerLifetimeS = 900
const flushEveryMs = 20
const batchMax = 64
/** Requests that wait for Postgres at most; more are lost, which only a floor may do. */
const waitingMax = 20_000

export function createLeast(redisUrl: string, databaseUrl: string): Least {
  const redis = new Redis(redisUrl)
  const sql = postgres(databaseUrl, { max: 4, onnotice: () => {} })
  const waiting: { readonly id: string; readonly body: Buffer }[] = []
  void flushForEver(sql, waiting)
  return {
    async answer(body) {
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
