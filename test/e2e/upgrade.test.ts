import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import t, { type Test } from 'tap'
import { CalculationService } from '../../gateway/gen/loyalty/v1/calculation_service_pb.js'
import { type Served, startServed } from '../gateway/internal/served.js'
import { startPostgres } from '../support/servers/start-postgres.js'
import { startRedis } from '../support/servers/start-redis.js'
import { aBasket, aSale } from './basket.js'

const run = promisify(execFile)
const checkout = join(import.meta.dirname, '../../..')
const git = async (...words: string[]) => (await run('git', words, { cwd: checkout })).stdout

// A release is installed and built here.
t.setTimeout(900_000)

/** The tag of the newest release before this commit, such as `v1.2.0`. */
async function lastRelease(): Promise<string | undefined> {
  const tags = await git('tag', '--list', 'v*', '--merged=HEAD', '--no-contains=HEAD', '--sort=-version:refname')
  return tags.split('\n')[0] || undefined
}

/** Builds a release in a worktree of its own, which is removed after the test. */
async function build(t: Test, tag: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'lps-release-'))
  t.teardown(async () => {
    await rm(folder, { recursive: true, force: true })
    await git('worktree', 'prune')
  })
  await git('worktree', 'add', '--detach', folder, tag)
  await run(process.execPath, [join(folder, '.ci', 'prepare.mjs')], { cwd: folder })
  return folder
}

/** A basket that is applied, and its sale. */
async function sell({ send, applied }: Served) {
  const basket = await applied(aBasket('anna').line({ productId: 'coffee', unitPrice: 450 }))
  const sale = JSON.stringify(aSale(basket, { paidTotal: 405 }))
  const bodies = { basket: JSON.stringify(basket), sale }
  return { ...bodies, answer: await send('/v1/pos/basket', bodies.basket), recorded: await send('/v1/pos/sale', sale) }
}

t.test('a gateway of today starts beside one of the last release, and reads what it stored', async (t) => {
  const tag = await lastRelease()
  if (tag === undefined) return t.comment('no earlier release: there is no tag v* before this commit')
  const folder = await build(t, tag)
  const [postgres, redis] = await Promise.all([startPostgres(), startRedis()])
  const stores = {
    DATABASE_URL: await postgres.createDatabase(true),
    REDIS_URL: redis.url,
    LOYALTY_PROGRAM: join(folder, 'test/e2e/programme.json'),
  }
  const gateways: Served[] = []
  t.teardown(async () => {
    await Promise.all(gateways.map(({ service }) => service.stop()))
    await Promise.all([postgres.stop(), redis.stop()])
  })
  const old = await startServed(stores, join(folder, 'dist/gateway/main.js'))
  gateways.push(old)
  const before = await sell(old)
  const today = await startServed(stores)
  gateways.push(today)
  const during = await sell(old)
  for (const sold of [before, during]) {
    t.equal(sold.recorded.json.result, 'recorded')
    t.equal((await today.send('/v1/pos/basket', sold.basket)).text, sold.answer.text)
    t.equal((await today.send('/v1/pos/sale', sold.sale)).text, sold.recorded.text)
    const { calculationId } = JSON.parse(sold.basket)
    const { calculation } = await today.reader(t).ask(CalculationService.method.getCalculation, { calculationId })
    t.match(calculation, { netBefore: 450n, netAfter: 405n })
  }
})
