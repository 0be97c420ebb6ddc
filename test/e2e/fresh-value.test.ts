import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { timestampFromMs } from '@bufbuild/protobuf/wkt'
import t, { type Test } from 'tap'
import { MemberService } from '../../gateway/gen/loyalty/v1/member_service_pb.js'
import { ReturnService } from '../../gateway/gen/loyalty/v1/return_service_pb.js'
import { RewardService } from '../../gateway/gen/loyalty/v1/reward_service_pb.js'
import { ValueService } from '../../gateway/gen/loyalty/v1/value_service_pb.js'
import { aDocument } from '../gateway/internal/calculation-suite.js'
import type { GrpcClient } from '../gateway/internal/grpc-client.js'
import { type Served, startServed } from '../gateway/internal/served.js'
import { startPostgres } from '../support/servers/start-postgres.js'
import { startRedis } from '../support/servers/start-redis.js'
import { aBasket, aSale } from './basket.js'

const { adjustValue } = ValueService.method
const { upsertMembers, mergeMembers, setTier, blockMember } = MemberService.method
const { issueVouchers, importCodes, claimCode, activateReward } = RewardService.method
const { recordReturn } = ReturnService.method

const price = 450
const tries = 50
const currencyId = 'card'

/** Ten stamps make a coffee free; tea is free before the first visit, cake for gold. */
const programme = aDocument((document) => {
  const reward = (productId: string) => ({
    kind: 'line_percentage',
    percentage: 100,
    select: { productIds: [productId] },
  })
  Object.assign(document, {
    currencies: [
      { currencyId, name: 'Stamps' },
      { currencyId: 'points', name: 'Points' },
    ],
    earning: [{ ruleId: 'card', currencyId, give: 1, per: { units: 1 }, select: { productIds: ['coffee'] } }],
    exchanges: [
      { exchangeId: 'card', from: { currencyId: 'points', amount: 5 }, to: { currencyId, amount: 10 }, validDays: 30 },
    ],
    tiers: [{ tierId: 'gold', rank: 1, currencyId: 'points', amount: 1_000, windowMonths: 12, keepMonths: 6 }],
    benefits: [
      { benefitId: 'coffee', text: 'Coffee', reward: reward('coffee'), costs: { currencyId, amount: 10, per: 'unit' } },
      { benefitId: 'tea', text: 'Tea', reward: reward('tea'), audience: { visits: { to: 0 } } },
      { benefitId: 'cake', text: 'Cake', reward: reward('cake'), audience: { tiers: ['gold'] } },
    ],
  })
})

interface Scene {
  /** Client of the gateway that makes the changes. */
  readonly admin: GrpcClient
  readonly card: string
  readonly memberId: string
}

/** A change of a member's value, and the price of a product before it and after it. */
interface Change {
  readonly title: string
  readonly product: 'coffee' | 'tea' | 'cake'
  readonly prices: readonly [number, number | 'member_not_found']
  prepare?(scene: Scene): Promise<unknown>
  change(scene: Scene): Promise<unknown>
}

const request = () => ({ requestId: randomUUID(), reason: 'test' })
const memberOf = ({ memberId }: Scene) => ({ by: { case: 'memberId', value: memberId } }) as const
const codeOf = ({ memberId }: Scene) => `code-of-${memberId}`
const adjust = (scene: Scene, amount: bigint, of = currencyId) =>
  scene.admin.ask(adjustValue, { ...request(), member: memberOf(scene), currencyId: of, amount })

const changes: readonly Change[] = [
  { title: 'AdjustValue', product: 'coffee', prices: [price, 0], change: (scene) => adjust(scene, 10n) },
  {
    title: 'IssueVouchers',
    product: 'coffee',
    prices: [price, 0],
    change: (scene) =>
      scene.admin.ask(issueVouchers, { ...request(), currencyId, amount: 10n, members: [memberOf(scene)] }),
  },
  {
    title: 'ClaimCode',
    product: 'coffee',
    prices: [price, 0],
    prepare: (scene) => scene.admin.ask(importCodes, { ...request(), currencyId, amount: 10n, codes: [codeOf(scene)] }),
    change: (scene) => scene.admin.ask(claimCode, { ...request(), member: memberOf(scene), code: codeOf(scene) }),
  },
  {
    title: 'ActivateReward',
    product: 'coffee',
    prices: [price, 0],
    prepare: (scene) => adjust(scene, 5n, 'points'),
    change: (scene) =>
      scene.admin.ask(activateReward, {
        ...request(),
        ...{ member: memberOf(scene), fromCurrencyId: 'points', toCurrencyId: currencyId, times: 1 },
      }),
  },
  {
    title: 'SetTier',
    product: 'cake',
    prices: [price, 0],
    change: (scene) => {
      const until = timestampFromMs(Date.now() + 86_400_000)
      return scene.admin.ask(setTier, { ...request(), member: memberOf(scene), tier: 'gold', until })
    },
  },
  {
    title: 'MergeMembers',
    product: 'coffee',
    prices: [price, 0],
    async change(scene) {
      const into = await enrol(scene.admin)
      await adjust(into, 10n)
      await scene.admin.ask(mergeMembers, { ...request(), from: memberOf(scene), into: memberOf(into) })
    },
  },
  {
    title: 'BlockMember',
    product: 'coffee',
    prices: [price, 'member_not_found'],
    change: ({ admin, memberId }) => admin.ask(blockMember, { ...request(), memberId }),
  },
]

async function enrol(admin: GrpcClient): Promise<Scene> {
  const [memberId, card] = [`member-${randomUUID()}`, `card-${randomUUID()}`]
  await admin.ask(upsertMembers, { ...request(), members: [{ memberId, loyaltyIds: [card] }] })
  return { admin, card, memberId }
}

async function priceAt({ send }: Served, card: string, productId: string) {
  const sent = aBasket(card).line({ productId, unitPrice: price }).body()
  const { status, json } = await send('/v1/pos/basket', JSON.stringify(sent))
  if (status !== 200) throw new Error(JSON.stringify(json))
  const net: number = (json.basket ?? sent).totals.net
  return { sent, status: String(json.status), net }
}

async function sell(t: Test, { send }: Served, basket: Awaited<ReturnType<typeof priceAt>>): Promise<void> {
  const sale = aSale(basket.sent, { status: basket.status, paidTotal: basket.net })
  t.equal((await send('/v1/pos/sale', JSON.stringify(sale))).status, 200)
}

/** The number of baskets at one gateway, right after the answer of a sale at the other, that were priced without the sale's earnings. */
async function countStale(t: Test, [a, b]: readonly [Served, Served], times: number): Promise<number> {
  let stale = 0
  for (let at = 0; at < times; at += 1) {
    const scene = await enrol(a.admin(t))
    await adjust(scene, 9n)
    const sold = await priceAt(a, scene.card, 'coffee')
    if ((await priceAt(b, scene.card, 'coffee')).net !== price) throw new Error('nine stamps are too few')
    await sell(t, a, sold)
    if ((await priceAt(b, scene.card, 'coffee')).net !== 0) stale += 1
  }
  return stale
}

t.setTimeout(600_000)

await t.test('whoever has the answer of a change is priced with it by every gateway', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'lps-fresh-'))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  const file = join(folder, 'programme.json')
  writeFileSync(file, programme)
  const postgres = await startPostgres()
  t.teardown(() => postgres.stop())
  const redis = await startRedis()
  t.teardown(() => redis.stop())
  const env = { REDIS_URL: redis.url, DATABASE_URL: await postgres.createDatabase(), LOYALTY_PROGRAM: file }
  const gateways = [await startServed(env), await startServed(env)] as const
  const [a, b] = gateways
  t.teardown(() => Promise.all(gateways.map(({ service }) => service.stop())))

  await t.test(`of ${tries} sales at one gateway, each fills the card at the other`, async (t) => {
    t.equal(await countStale(t, gateways, tries), 0)
  })

  await t.test('a sale is a visit', async (t) => {
    const { card } = await enrol(a.admin(t))
    const welcome = await priceAt(a, card, 'tea')
    t.equal((await priceAt(b, card, 'tea')).net, 0)
    await sell(t, a, welcome)
    t.equal((await priceAt(b, card, 'tea')).net, price)
  })

  await t.test('RecordReturn gives back what was spent', async (t) => {
    const scene = await enrol(a.admin(t))
    await adjust(scene, 10n)
    const sold = await priceAt(a, scene.card, 'coffee')
    await sell(t, a, sold)
    t.equal((await priceAt(b, scene.card, 'coffee')).net, price)
    const calculationId = String(sold.sent['calculationId'])
    const lines = [{ lineId: 'line-1', quantityThousandths: 1_000n }]
    const occurredAt = timestampFromMs(Date.now())
    await scene.admin.ask(recordReturn, { ...request(), calculationId, lines, reference: calculationId, occurredAt })
    t.equal((await priceAt(b, scene.card, 'coffee')).net, 0)
  })

  for (const { title, product, prices, prepare, change } of changes) {
    await t.test(title, async (t) => {
      const scene = await enrol(a.admin(t))
      await prepare?.(scene)
      const look = async () => {
        const { status, net } = await priceAt(b, scene.card, product)
        return status === 'member_not_found' ? status : net
      }
      const before = await look()
      await change(scene)
      t.same([before, await look()], prices)
    })
  }

  await t.test('nor does it need Redis', async (t) => {
    await redis.kill()
    t.equal(await countStale(t, gateways, 3), 0)
  })
})
