import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { aBasket } from '../e2e/basket.js'
import { type RunningService, startService, unhurried } from '../e2e/service.js'
import { aSignedIn, type SignedIn } from './a-console.js'

t.setTimeout(400_000)

const oslo = { venueId: 'oslo-cafe', baxId: '7100001', cashRegisterId: '2', channel: 'pos' }
const admin = 'admin-token-of-the-session-test'
const dayMs = 86_400_000
const folder = mkdtempSync(join(tmpdir(), 'lps-session-'))
t.teardown(() => rmSync(folder, { recursive: true, force: true }))

const console = await aSignedIn(t, { env: { LOYALTY_TOKENS: `admin:${admin}` }, token: admin, folder })

/** A basket that has just been priced; resolves to its calculation. */
async function priced({ service }: SignedIn): Promise<string> {
  const basket = aBasket('LOY-ANNA', oslo)
    .with({ currency: 'NOK' })
    .line({ productId: 'cinnamon-bun', productGroupId: 'bakery', unitPrice: 4500 })
  const answer = await service.send('/v1/pos/basket', basket.text())
  if (answer.status !== 200) throw new Error(answer.text)
  return basket.body()['calculationId']
}

t.test('a computer whose clock is wrong shows the time of the ledger', async (t) => {
  if (console === null) return
  const { service } = console
  const calculationId = await priced(console)
  const signedIn = console.page.context()
  const context = await signedIn.browser()!.newContext({ storageState: await signedIn.storageState(), locale: 'en-GB' })
  const page = await context.newPage()
  for (const wrongMs of [-40 * dayMs, 400 * dayMs]) {
    await page.clock.install({ time: Date.now() + wrongMs })
    await page.goto(`${service.internalUrl}/console/calculations/${calculationId}`)
    await page.getByText(/open, expires in (29|30) minutes/).waitFor()
    const shown = await page.locator('dd time').first().innerText()
    t.notMatch(shown, /20\d\d/, `a moment of this year is shown without it: ${shown}`)
    await page.goto(`${service.internalUrl}/console/reports`)
    const last = await page.getByLabel('Last day').inputValue()
    t.ok(Math.abs(Date.parse(last) - Date.now()) < 2 * dayMs, `reports end today, on ${last}`)
  }
  await context.close()
})

t.test('a session that ends in the middle leads to the sign-in, and back to the same address', async (t) => {
  if (console === null) return
  const { page, go, complaints } = console
  await go('/calculations?venueId=oslo-cafe')
  await page.getByText(/^\d+ rows?$/).waitFor()
  const address = page.url()
  await page.context().clearCookies()
  await page.getByRole('row').nth(1).click()
  await page.getByText('Your session has ended. Sign in to go on where you were.').waitFor()
  t.equal(await page.getByRole('navigation').count(), 0, 'nothing of the console is left')
  const opened = page.url()
  t.match(opened, /\/calculations\/.+venueId=oslo-cafe/)
  await page.getByLabel('Token').fill(admin)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('heading', { name: /^Calculation/, level: 2 }).waitFor()
  t.equal(page.url(), opened)
  await page.keyboard.press('Escape')
  await page.waitForURL(address)

  await page.context().clearCookies()
  await page.evaluate(`window.dispatchEvent(new Event('visibilitychange'))`)
  await page.getByText('Your session has ended.').waitFor()
  await page.getByLabel('Token').fill(admin)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByText(/^\d+ rows?$/).waitFor()
  t.same(complaints, [])
})

t.test('a gateway that dies and comes back is survived: the page says so, and what was typed stays', async (t) => {
  if (console === null) return
  const { page, go, service, faults, complaints } = console
  const asked: string[] = []
  page.on('request', (request) => asked.push(new URL(request.url()).pathname))
  await go('/members/m-anna')
  await page.getByRole('button', { name: 'Adjust' }).click()
  await page.getByRole('dialog').getByLabel('Currency').selectOption({ index: 1 })
  await page.getByLabel('Amount; with a minus to take').fill('3')
  await page.getByLabel('Reason, for colleagues').fill('a cup was spilled')
  await page.getByText(/^Available: \d+ → \d+$/).waitFor()
  await service.stop('SIGKILL')
  await page.getByRole('dialog').getByRole('button', { name: 'Adjust' }).click()
  await page.getByRole('dialog').getByText('The service does not answer.').waitFor()
  await page.getByText('The service cannot be reached.').waitFor()
  t.equal(await page.getByLabel('Amount; with a minus to take').inputValue(), '3')
  t.same(await faults(), [], 'away, with a dialog')
  const before = asked.length
  await page.waitForTimeout(8_000)
  const attempts = asked.slice(before).filter((path) => path === '/health/live').length
  t.ok(attempts >= 2 && attempts <= 4, `${attempts} attempts in 8 seconds: pauses grow`)

  const again = await startAgain(service)
  t.teardown(() => again.stop())
  await page.getByText('The service cannot be reached.').waitFor({ state: 'detached' })
  await page.getByRole('dialog').getByRole('button', { name: 'Adjust' }).click()
  await page.getByText(/3 Coffee stamps <img.* available now/).waitFor()
  await page.getByRole('dialog').getByRole('button', { name: 'Close' }).click()

  await page.getByRole('link', { name: 'Today', exact: true }).click()
  await page.getByText('Baskets a minute').first().waitFor()
  await again.stop('SIGKILL')
  await page.getByText('The service cannot be reached.').waitFor()
  t.ok(await page.getByText('Baskets a minute').first().isVisible(), 'what came last stays')
  for (const area of ['Sales', 'Programme', 'System']) {
    await page.getByRole('link', { name: area, exact: true }).click()
    await page.getByRole('heading', { name: area, level: 1 }).waitFor()
  }
  await page.getByRole('link', { name: 'Today', exact: true }).click()
  const last = await startAgain(service)
  t.teardown(() => last.stop())
  await page.getByRole('button', { name: 'Try now' }).click()
  await page.getByText('Baskets a minute').first().waitFor()
  t.same(complaints, [])
})

/** The same stores and addresses as before. */
function startAgain({ url, internalUrl }: RunningService): Promise<RunningService> {
  const env = {
    ...unhurried,
    LOYALTY_HTTP: new URL(url).host,
    LOYALTY_GRPC: new URL(internalUrl).host,
    LOYALTY_TOKENS: `admin:${admin}`,
  }
  return startService({ env, folder })
}
