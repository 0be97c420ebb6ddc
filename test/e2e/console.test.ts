import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import t, { type Test } from 'tap'
import { aBasket } from './basket.js'
import { aBrowser, aPage, faultsOf } from './console-browser.js'
import { type RunningService, startService, unhurried } from './service.js'

const root = join(import.meta.dirname, '..', '..', '..')
const admin = 'admin-token-of-the-console-test'
const reader = 'reader-token-of-the-console-test'
/** Text that would run, or become an element, where it were taken for HTML. */
const script = '<img src=x onerror="document.title=1"><script>document.title=1</script>'

t.setTimeout(300_000)

/** The sample programme with script in every text that people write. */
function hostileProgramme(): string {
  const programme = JSON.parse(readFileSync(join(root, 'engine', 'programme', 'sample-programme.json'), 'utf8'))
  programme.venues[0].name = `Oslo ${script}`.slice(0, 128)
  programme.venues[0].products[1].name = `Cappuccino ${script}`.slice(0, 128)
  for (const benefit of programme.benefits) benefit.text = `${benefit.benefitId} ${script}`.slice(0, 128)
  programme.members[0].segments = ['newsletter', script.slice(0, 64)]
  return JSON.stringify(programme)
}

/** Shared by both use cases: a service that has priced a basket, and a browser. null: there is no browser. */
async function aConsole(t: Test) {
  const browser = await aBrowser(t)
  if (browser === null) return null
  const service = await aService(t)
  return { browser, service, calculationId: await priced(service) }
}

async function aService(t: Test): Promise<RunningService> {
  const folder = mkdtempSync(join(tmpdir(), 'lps-console-'))
  const programme = join(folder, 'programme.json')
  writeFileSync(programme, hostileProgramme())
  const env = { ...unhurried, LOYALTY_PROGRAM: programme, LOYALTY_TOKENS: `reader:${reader},admin:${admin}` }
  const service = await startService({ env })
  t.teardown(async () => {
    await service.stop()
    rmSync(folder, { recursive: true, force: true })
  })
  return service
}

/** Prices a basket of Anna's as a POS does; resolves to its calculation. */
async function priced(service: RunningService): Promise<string> {
  const oslo = { venueId: 'oslo-cafe', baxId: '7100001', cashRegisterId: '2', channel: 'pos' }
  const basket = aBasket('LOY-ANNA', oslo)
    .with({ currency: 'NOK' })
    .line({ productId: 'cappuccino', productGroupId: 'hot-drinks', quantity: 2, unitPrice: 5200 })
    .line({ productId: 'cinnamon-bun', productMasterId: 'nw-cinnamon-bun', productGroupId: 'bakery', unitPrice: 4500 })
  const answer = await service.send('/v1/pos/basket', basket.text())
  if (answer.json?.status !== 'applied') throw new Error(`the basket was not applied: ${answer.text}`)
  return basket.body()['calculationId']
}

async function signIn(page: Page, service: RunningService, token: string): Promise<void> {
  await page.goto(`${service.internalUrl}/console`)
  await page.getByLabel('Token').fill(token)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('heading', { name: 'Today' }).waitFor()
}

const console = await aConsole(t)

t.test('support signs in by the printed link, sees why a basket was priced so, and adjusts the member', async (t) => {
  if (console === null) return
  const { browser, service, calculationId } = console
  const { page, complaints } = await aPage(browser)
  const link = /^console on (\S+)/.exec(service.output.find((line) => line.startsWith('console on'))!)![1]!
  await page.goto(link)
  await page.getByRole('heading', { name: 'Today' }).waitFor()
  t.notMatch(page.url(), /ticket/, 'the ticket has left the address')
  t.same(await faultsOf(page), [], 'today')

  await page.keyboard.press('Control+k')
  await page.getByRole('textbox', { name: 'Search' }).fill(calculationId)
  await page.getByRole('link', { name: calculationId }).first().waitFor()
  await page.keyboard.press('Enter')
  await page.getByText('proven best').waitFor()
  t.match(page.url(), new RegExp(`/console/calculations/${calculationId}$`))
  await page
    .getByText(/^needs \d+ more/)
    .first()
    .waitFor()
  const receipt = page.getByRole('region', { name: 'As returned' })
  await receipt.getByText('2 Cappuccino <img').waitFor()
  t.match(await receipt.innerText(), /2 Cappuccino <img src=x onerror="document.title=1">/, 'script shows as text')
  t.match(await receipt.innerText(), /gold-hot-drinks-20 <img src=x/)
  await page.getByRole('button', { name: 'Replay' }).click()
  await page.getByText('byte for byte').waitFor()
  t.same(await faultsOf(page), [], 'a calculation')

  await page.getByRole('link', { name: 'm-anna' }).first().click()
  await page.getByRole('button', { name: 'Adjust' }).click()
  await page.getByRole('dialog').getByLabel('Currency').selectOption({ label: 'Coffee stamps' })
  await page.getByLabel('Amount; with a minus to take').fill('-1')
  await page.getByText('no more can be taken').waitFor()
  await page.getByLabel('Amount; with a minus to take').fill('3')
  await page.getByText('Available: 0 → 3').waitFor()
  t.same(await faultsOf(page), [], 'a dialog')
  await page.getByLabel('Reason, for colleagues').fill(script)
  await page.getByRole('dialog').getByRole('button', { name: 'Adjust' }).click()
  await page.getByText('3 Coffee stamps available now').waitFor()
  await page.getByText('Value adjusted by admin-').waitFor()
  await page.getByRole('dialog').getByRole('button', { name: 'Close' }).click()
  await page.getByRole('cell').getByText(script).first().waitFor()
  t.equal(await page.locator('main img, main script').count(), 0)
  t.same(await faultsOf(page), [], 'a member')
  t.same(complaints, [], 'nothing that its policy refuses')

  await page.goto(link)
  await page.getByRole('heading', { name: 'Today' }).waitFor()
  await page.getByText(/^admin-/).click()
  await page.getByRole('button', { name: 'Sign out' }).click()
  await page.getByRole('heading', { name: 'Sign in' }).waitFor()
  t.same(await faultsOf(page), [], 'signing in')
  await page.goto(link)
  await page.reload()
  await page.getByRole('heading', { name: 'Sign in' }).waitFor()
  t.same(await browser.cookies(), [], 'and no cookie is left')
})

t.test('a reader sees and changes nothing, in Norwegian and in the dark too', async (t) => {
  if (console === null) return
  const { browser, service, calculationId } = console
  const { page, complaints } = await aPage(browser)
  await page.emulateMedia({ colorScheme: 'dark' })
  await page.setViewportSize({ width: 360, height: 780 })
  await signIn(page, service, reader)
  await page.goto(`${service.internalUrl}/console/members/m-anna`)
  await page.getByRole('heading', { name: 'Balances' }).waitFor()
  t.equal(await page.getByRole('button', { name: /Adjust|Block|Merge|Forget/ }).count(), 0)
  const refused = await page.evaluate(`fetch('/loyalty.v1.MemberService/BlockMember', {
    method: 'POST', headers: { 'Content-Type': 'application/json', 'X-Loyalty-Console': '1' }, body: '{}'
  }).then(async (response) => [response.status, (await response.json()).code])`)
  t.same(refused, [403, 'permission_denied'])
  for (const [path, shown] of [
    ['/today', 'Baskets a minute'],
    ['/calculations', '1 row'],
    [`/calculations/${calculationId}`, 'Not applied'],
    ['/members/m-anna', 'All calculations'],
    ['/sales', 'A sale appears'],
  ] as const) {
    await page.goto(`${service.internalUrl}/console${path}`)
    await page.getByText(shown).first().waitFor()
    t.same(await faultsOf(page), [], path)
    const beyond = await page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth')
    t.ok(Number(beyond) <= 0, `${path} fits its window`)
  }
  await page.getByRole('button', { name: 'Menu' }).click()
  await page.getByText(/^reader-/).click()
  await page.getByLabel('Language').selectOption('nb')
  await page.getByRole('heading', { name: 'Salg' }).waitFor()
  t.equal(await page.evaluate('document.documentElement.lang'), 'nb')
  t.same(complaints, [], 'nothing that its policy refuses')
})
