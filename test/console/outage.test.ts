import t, { type Test } from 'tap'
import { aBasket } from '../e2e/basket.js'
import { openLink } from '../faults/link.js'
import { Dice } from '../support/dice.js'
import { startPostgres } from '../support/servers/start-postgres.js'
import { aConsole, aMouse } from './a-console.js'
import { sampleProgramme } from './a-shop.js'

t.setTimeout(400_000)

const namedWithinMs = 60_000
const register = (cashRegisterId: string) => ({ ...oslo, cashRegisterId })
const oslo = { venueId: 'oslo-cafe', baxId: '7100001', channel: 'pos' }

/** A gateway, and its Today. */
async function onCall(t: Test, env: Readonly<Record<string, string>> = {}) {
  const console = await aConsole(t, { programme: JSON.stringify(sampleProgramme()), env })
  if (console === null) return null
  const { page, ...reader } = await console.as('reader')
  return { ...reader, page, lead: page.getByRole('main').getByRole('status').first(), service: console.service }
}

const basketAt = (cashRegisterId: string) =>
  aBasket('LOY-ANNA', register(cashRegisterId)).with({ currency: 'NOK' }).line({ productId: 'x', unitPrice: 100 })

t.test('refused signatures of one register are named first within a minute, on Today and System', async (t) => {
  const found = await onCall(t)
  if (found === null) return
  const { service, page, lead, go } = found
  for (let at = 0; at < 400; at += 1) await service.send('/v1/pos/basket', basketAt('1').text())
  const secret = 'the-secret-before-the-last-rotation'
  for (let at = 0; at < 3; at += 1) await service.send('/v1/pos/basket', basketAt('2').text(), { secret })
  const named =
    /^3 of \d+ calls were refused or failed in the last minute: invalid signature 3, most from .*, register 2 \(3\)/
  await lead.filter({ hasText: named }).waitFor({ timeout: namedWithinMs })
  t.notMatch(await lead.innerText(), /well/)
  await page
    .getByRole('row', { name: /register 2 3 of 3 invalid signature 3 .* ms 0$/ })
    .first()
    .waitFor()
  const mouse = aMouse()
  await mouse.click(page.getByRole('link', { name: /register 2$/ }).first())
  await page.getByText('No request has come since this screen was opened.').waitFor()
  await service.send('/v1/pos/basket', basketAt('2').text(), { secret })
  await page.getByRole('row', { name: /invalid signature .* 2 / }).waitFor()
  t.ok(mouse.clicks <= 2, `what is refused, where and since when, in ${mouse.clicks} clicks`)
  await go('/system')
  await lead.filter({ hasText: named }).waitFor()
  // A minute later the hour is still not well.
  await lead
    .filter({ hasText: /calls were refused or failed in the last hour: invalid signature/ })
    .waitFor({ timeout: 90_000 })
  t.notMatch(await lead.innerText(), /well/)
})

t.test('a storm of 503 is named first within a minute', async (t) => {
  const found = await onCall(t, { LOYALTY_DEADLINE_MS: '1' })
  if (found === null) return
  const { service, lead, faults } = found
  let away = 0
  for (let at = 0; at < 300; at += 1) {
    const { status } = await service.send('/v1/pos/basket', basketAt('1').text())
    if (status === 503) away += 1
  }
  t.ok(away > 3, `${away} were 503`)
  const named = /calls were refused or failed in the last minute: service unavailable \(503\) \d+/
  await lead.filter({ hasText: named }).waitFor({ timeout: namedWithinMs })
  t.notMatch(await lead.innerText(), /well/)
  t.same(await faults(), [])
})

t.test('a slow Postgres is named first within a minute, beside the answers that it delays', async (t) => {
  const postgres = await startPostgres()
  const link = await openLink(postgres.port, new Dice(1))
  t.teardown(async () => {
    await link.close()
    await postgres.stop()
  })
  const url = await postgres.createDatabase()
  const found = await onCall(t, { DATABASE_URL: url.replace(`:${postgres.port}/`, `:${link.port}/`) })
  if (found === null) return
  const { service, lead, go } = found
  await lead.filter({ hasText: 'well' }).waitFor()
  link.slow(600, 100)
  const beganMs = performance.now()
  // Beans have a budget, so the ledger is asked before the answer.
  const beans = { productId: 'coffee-beans', ean: '6408430000012', unitPrice: 1_290 }
  const helsinki = { venueId: 'helsinki-shop', baxId: '7300001', cashRegisterId: '1', channel: 'pos' }
  for (let at = 0; at < 8; at += 1) {
    const basket = aBasket('LOY-ANNA', helsinki).with({ currency: 'EUR' }).line(beans)
    t.equal((await service.send('/v1/pos/basket', basket.text())).status, 200)
  }
  const named = /^p99 was .*, register 1 \(\d+\).*; Postgres: answers slowly, in [\d,.]+ ms/
  await lead.filter({ hasText: named }).waitFor({ timeout: namedWithinMs - (performance.now() - beganMs) })
  t.notMatch(await lead.innerText(), /well/)
  await go('/system')
  await lead.filter({ hasText: named }).waitFor()
})
