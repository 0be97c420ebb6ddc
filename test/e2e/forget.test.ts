import { execFile } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { promisify } from 'node:util'
import type { Redis } from 'ioredis'
import t, { type Test } from 'tap'
import { createProgrammeReader } from '../../gateway/background/programme-reader.js'
import { ForgettingState, MemberService } from '../../gateway/gen/loyalty/v1/member_service_pb.js'
import { ProgrammeService } from '../../gateway/gen/loyalty/v1/programme_service_pb.js'
import { forgetMembers } from '../../gateway/use-cases/forget-members.js'
import { createRedisCache } from '../../store/redis/create-redis-cache.js'
import { readAnswer } from '../../store/redis/record.js'
import { e2eProgramme, type Served, startServed } from '../gateway/internal/served.js'
import { legible, legibleBytes } from '../store/ledger-checker.js'
import { startOperatedRedis } from '../store/redis/caches.js'
import { plenty } from '../support/ledger-builders.js'
import { createPostgresLedger } from '../support/open-ledger.js'
import { findBinary } from '../support/servers/find-binary.js'
import { startPostgres } from '../support/servers/start-postgres.js'
import { until } from '../support/until.js'
import { aBasket, aSale, type BasketBody } from './basket.js'

const run = promisify(execFile)
const { upsertMembers, forgetMember, getForgetting, getMember } = MemberService.method
const { publishProgramme, getProgramme } = ProgrammeService.method

t.setTimeout(600_000)

/** The output of `pg_dump`, bytes unpacked. */
async function dumpOfPostgres(url: string): Promise<string> {
  const { stdout } = await run(await findBinary('pg_dump', 'postgresql'), [url], { maxBuffer: 1024 ** 3 })
  return legible(stdout)
}

/** Every key of a Redis with its value, bytes unpacked. */
async function dumpOfRedis(redis: Redis): Promise<string> {
  const parts: string[] = []
  for (const key of await redis.keys('*')) {
    const type = await redis.type(key)
    parts.push(key, type)
    if (type === 'zset') parts.push(...(await redis.zrange(key, '0', '-1')))
    if (type === 'list') parts.push(...(await redis.lrange(key, 0, -1)))
    if (type === 'string') parts.push((await redis.get(key)) ?? '')
    if (type !== 'hash') continue
    for (const [field, value] of Object.entries(await redis.hgetallBuffer(key))) {
      parts.push(field, legibleBytes(value))
      if (field !== 'answer') continue
      const answer = readAnswer(key.slice(key.lastIndexOf(':') + 1), value)
      if (answer === null) throw new Error(`no answer under ${key}`)
      parts.push(legibleBytes(Buffer.from(answer.packed)))
    }
  }
  return parts.join('\n')
}

/** The programme of the tests with one more member, whom a benefit names. */
function programmeNaming(memberId: string, loyaltyIds: readonly string[]): string {
  const document = JSON.parse(readFileSync(e2eProgramme, 'utf8')) as BasketBody
  document['members'].push({ memberId, loyaltyIds })
  document['benefits'][0].audience = { memberIds: [memberId, 'member-1'] }
  document['benefits'][0].text = `Coffee ${randomUUID()}`
  return JSON.stringify(document)
}

async function publish(t: Test, served: Served, document: string): Promise<void> {
  const admin = served.admin(t)
  const expectedVersion = (await admin.ask(getProgramme, { withoutDocument: true })).programme!.version
  await admin.ask(publishProgramme, { requestId: randomUUID(), document, expectedVersion })
}

await t.test('after ForgetMember the dumps of Postgres and Redis hold no id of the member', async (t) => {
  const redis = await startOperatedRedis()
  const postgres = await startPostgres()
  const url = await postgres.createDatabase()
  const served = await startServed({ REDIS_URL: redis.url, DATABASE_URL: url })
  t.teardown(async () => {
    await served.service.stop()
    await redis.stop()
    await postgres.stop()
  })
  const admin = served.admin(t)
  const memberId = `member-${randomUUID()}`
  const [old, current, stranger] = [`card-${randomUUID()}`, `card-${randomUUID()}`, `card-${randomUUID()}`]
  // In a field of the POS's own.
  const guest = `guest-${randomUUID()}`
  const ids = [memberId, old, current, stranger, guest]
  const enrol = (loyaltyIds: string[]) =>
    admin.ask(upsertMembers, { requestId: randomUUID(), members: [{ memberId, loyaltyIds, tier: 'gold' }] })
  const ask = (loyaltyId: string) =>
    served.send('/v1/pos/basket', aBasket(loyaltyId).line({ productId: 'coffee', unitPrice: 450 }).text())

  await enrol([old])
  await publish(t, served, programmeNaming(memberId, [old]))
  const sold = await served.applied(aBasket(old).line({ productId: 'cake', unitPrice: 900 }))
  await served.send('/v1/pos/sale', JSON.stringify(aSale(sold, { paidTotal: 700 })))
  const { calculationId, context } = sold
  const lines = [{ lineId: 'line-1', quantity: 1 }]
  const returned = { returnId: randomUUID(), calculationId, lines, context, occurredAt: '2026-11-23T12:00:00Z', guest }
  t.match((await served.send('/v1/pos/return', JSON.stringify(returned))).json, { result: 'recorded' })
  await ask(old)
  await enrol([current])
  await until(
    () => ask(current),
    ({ json }) => json.status === 'applied',
  )
  await ask(stranger)
  const onTheWay = async () => (await dumpOfRedis(redis.direct)).includes('record\n')
  t.notOk(await until(onTheWay, (isThere) => !isThere), 'nothing is on its way any more')
  const [inPostgres, inRedis] = [await dumpOfPostgres(url), await dumpOfRedis(redis.direct)]
  for (const id of ids) t.ok(inPostgres.includes(id), `${id} is in Postgres`)
  for (const id of [old, current, stranger, guest]) t.ok(inRedis.includes(id), `${id} is in Redis`)

  const requestId = randomUUID()
  t.match(await admin.ask(forgetMember, { requestId, memberId }), { counters: 1n, sales: 1n })
  const progress = async () => await served.reader(t).ask(getForgetting, { requestId })
  t.match(await progress(), { state: ForgettingState.PENDING, completedAt: undefined })
  t.match(await admin.ask(forgetMember, { requestId: randomUUID(), loyaltyId: stranger }), { calculations: 1n })
  t.match(await admin.unary(forgetMember, { requestId: randomUUID(), memberId, loyaltyId: stranger }), {
    violations: [/^member_id: expected nothing beside a loyalty_id/],
  })
  const left = await dumpOfRedis(redis.direct)
  for (const id of ids) t.notOk(left.includes(id), `${id} is gone from Redis at once`)

  // A gateway does this 15 minutes later.
  const ledger = await createPostgresLedger({
    url,
    expiryS: 1_800,
    idempotencyS: 86_400,
    readMs: plenty,
    hangMs: plenty,
    saleMs: plenty,
  })
  const cache = createRedisCache({ url: redis.url, prefix: 'loyalty-staging', callMs: plenty })
  const programmeReader = createProgrammeReader()
  t.teardown(() => Promise.all([ledger.close(), cache.close(), programmeReader.close()]))
  await forgetMembers(
    { adminLedger: ledger, cache, facts: { limits: new Map() }, keptRequests: null, programmeReader },
    0,
  )
  const dump = await dumpOfPostgres(url)
  t.ok(dump.includes('member-1') && dump.includes('forgotten-'), 'the dump holds something')
  for (const id of ids) t.notOk(dump.includes(id), `${id} is gone from Postgres`)
  t.match(await progress(), { state: ForgettingState.COMPLETE, completedAt: {} })

  await publish(t, served, programmeNaming(memberId, [old, current]))
  for (const by of [
    { case: 'memberId', value: memberId },
    { case: 'loyaltyId', value: old },
  ] as const)
    t.match(await admin.unary(getMember, { by }), { reason: 'MEMBER_NOT_FOUND' }, 'no programme brings it back')
  const after = await dumpOfPostgres(url)
  for (const id of ids) t.notOk(after.includes(id), `${id} does not come back with a document`)
})
