import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import { ValueService } from '../../gateway/gen/loyalty/v1/value_service_pb.js'
import { openReconciler } from '../../store/open-reconciler.js'
import { startServed } from '../gateway/internal/served.js'
import { stampCard } from '../gateway/internal/spending-suite.js'
import { startPostgres } from '../support/servers/start-postgres.js'
import { aBasket, aSale, type BasketBody } from './basket.js'

const folder = mkdtempSync(join(tmpdir(), 'lps-crash-'))
t.teardown(() => rmSync(folder, { recursive: true, force: true }))
t.setTimeout(600_000)

/** Milliseconds after which a gateway is killed while it answers. */
const killedAfterMs = [4, 25, 60]
const posCount = 12

await t.test('gateways killed between hold, answer and sale lose no stamp and spend none twice', async (t) => {
  const postgres = await startPostgres()
  t.teardown(() => postgres.stop())
  const databaseUrl = await postgres.createDatabase()
  const file = join(folder, 'programme.json')
  writeFileSync(file, stampCard)
  const start = () => startServed({ DATABASE_URL: databaseUrl, LOYALTY_PROGRAM: file })
  const survivor = await start()
  t.teardown(() => survivor.service.stop())
  const admin = survivor.admin(t)
  const member = { by: { case: 'loyaltyId', value: 'anna' } } as const
  const adjustment = { member, currencyId: 'suite-card', amount: 30n, reason: 'test' }

  /** Sends each through a gateway that is killed during it, then again through the survivor; resolves to the survivor's answers. */
  async function sendThroughCrash(path: string, bodies: readonly BasketBody[], afterMs: number) {
    const victim = await start()
    const texts = bodies.map((body) => JSON.stringify(body))
    const first = texts.map((text) => victim.service.send(path, text).catch(() => null))
    await sleep(afterMs)
    await victim.service.stop('SIGKILL')
    const again = await Promise.all(texts.map((text) => survivor.send(path, text)))
    for (const [at, answer] of (await Promise.all(first)).entries()) {
      t.equal(again[at]!.status, 200, again[at]!.text)
      if (answer?.status === 200) t.equal(again[at]!.text, answer.text, 'an answer that was given is given again')
    }
    return again
  }

  let spent = 0n
  for (const afterMs of killedAfterMs) {
    await admin.ask(ValueService.method.adjustValue, { requestId: randomUUID(), ...adjustment })
    const bodies = Array.from({ length: posCount }, () =>
      aBasket('anna').line({ productId: 'coffee', unitPrice: 450 }).body(),
    )
    const answers = await sendThroughCrash('/v1/pos/basket', bodies, afterMs)
    const free = bodies.filter((_, at) => answers[at]!.json.status === 'applied')
    const { accounts } = await admin.ask(ValueService.method.getBalances, { member })
    t.match(accounts, [{ held: BigInt(free.length) * 10n, debt: 0n }], 'each free coffee holds its ten stamps')
    t.ok(free.length >= 3)
    const sales = free.map((body) => aSale(body, { paidTotal: 0 }))
    await sendThroughCrash('/v1/pos/sale', sales, afterMs)
    spent += BigInt(free.length) * 10n
  }

  const { accounts } = await admin.ask(ValueService.method.getBalances, { member })
  const given = BigInt(killedAfterMs.length) * adjustment.amount
  t.match(accounts, [{ available: given - spent, held: 0n, debt: 0n }], 'a free coffee gives no stamp')
  const reconciler = await openReconciler({ databaseUrl, dataFolder: '' })
  const found = await reconciler.reconcile({ since: '2000-01-01', until: null }, () => {})
  await reconciler.close()
  t.match(found.spending, { holdsAstray: 0, accountsAstray: 0 })
  t.equal(found.value.accountsAstray, 0)
})
