import t, { type Test } from 'tap'
import { aBasket } from '../e2e/basket.js'
import { aConsole } from './a-console.js'
import { sampleProgramme } from './a-shop.js'

t.setTimeout(400_000)

const namedWithinMs = 60_000
const register = (cashRegisterId: string) => ({ ...oslo, cashRegisterId })
const oslo = { venueId: 'oslo-cafe', baxId: '7100001', channel: 'pos' }

/** A gateway whose answers come too late at this deadline, and its Today. */
async function onCall(t: Test, deadlineMs: number) {
  const programme = JSON.stringify(sampleProgramme())
  const console = await aConsole(t, { programme, env: { LOYALTY_DEADLINE_MS: String(deadlineMs) } })
  if (console === null) return null
  const { page, ...reader } = await console.as('reader')
  return { ...reader, page, lead: page.getByRole('main').getByRole('status').first(), service: console.service }
}

const basketAt = (cashRegisterId: string) =>
  aBasket('LOY-ANNA', register(cashRegisterId)).with({ currency: 'NOK' }).line({ productId: 'x', unitPrice: 100 })

t.test('refused signatures of one register are named first within a minute, on Today and System', async (t) => {
  const found = await onCall(t, 4_500)
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
    .getByRole('row', { name: /register 2 3 of 3 invalid signature 3 0/ })
    .first()
    .waitFor()
  await go('/system')
  await lead.filter({ hasText: named }).waitFor()
})

t.test('a storm of 503 is named first within a minute', async (t) => {
  const found = await onCall(t, 1)
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
