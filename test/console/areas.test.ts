import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import t from 'tap'
import { aBasket, aSale, type BasketBuilder } from '../e2e/basket.js'
import { aSignedIn, draftOf, type SignedIn, script, typeDraft } from './a-console.js'

t.setTimeout(400_000)

const oslo = { venueId: 'oslo-cafe', baxId: '7100001', cashRegisterId: '2', channel: 'pos' }

/** A basket of Anna's that takes the one use a week that she has of a limit. */
function sandwiches(): BasketBuilder {
  return aBasket('LOY-ANNA', oslo)
    .with({ currency: 'NOK' })
    .line({ productId: 'sandwich', productGroupId: 'lunch', quantity: 4, unitPrice: 9800 })
}

async function priced({ service }: SignedIn): Promise<BasketBuilder> {
  const basket = sandwiches()
  const text = basket.text()
  const answer = await service.send('/v1/pos/basket', text)
  if (answer.json?.status !== 'applied') throw new Error(`the basket was not applied: ${answer.text}`)
  return basket
}

const console = await aSignedIn(t)

t.test('a basket that holds a limit is released, with what becomes free said before', async (t) => {
  if (console === null) return
  const { page, go, faults } = console
  await priced(console)
  await go('/limits?show=member')
  await page.getByText('0 of those loaded are exhausted').waitFor()
  await page.getByText('all held by open baskets').waitFor()
  await page.keyboard.press('j')
  await page.keyboard.press('Enter')
  await page.getByText('1 of 1 is taken').waitFor()
  t.match(page.url(), /\/limits\/order-25-week\?.*subject=m-anna/)
  t.same(await faults(), [], 'a limit')
  await page.getByRole('button', { name: 'Release' }).click()
  await page.getByText(/1 of order-25-week \(\d{4}-W\d\d, m-anna\) becomes free/).waitFor()
  t.same(await faults(), [], 'releasing')
  await page.getByLabel('Reason, for colleagues').fill('the register broke down')
  await page.getByRole('dialog').getByRole('button', { name: 'Release' }).click()
  await page.getByText('Reservation released by admin-').waitFor()
  await page.getByRole('dialog').getByRole('button', { name: 'Close' }).click()
  await page.getByText('0 of 1 is taken').waitFor()
  await page.keyboard.press('Escape')
  await page.getByText('0 of those loaded are exhausted').waitFor()
})

t.test('a draft says its faults as one types, survives a reload, and prices a basket', async (t) => {
  if (console === null) return
  const { page, go, faults } = console
  await go('/programme/draft/json')
  await page.getByRole('button', { name: 'Begin with version 1' }).click()
  await page.getByLabel('Programme, JSON').waitFor()
  const text = await draftOf(page)
  await page.getByText(/^No fault/).waitFor()
  await typeDraft(page, text.replace('"percentage": 10', '"percentage": 1000'))
  const fault = page.getByRole('button', { name: /bakery-10 .*, Reward, Percentage off/ })
  await fault.waitFor()
  await page.reload()
  await fault.click()
  const line = text.slice(0, text.indexOf('"percentage": 10')).split('\n').length
  t.match(await fault.innerText(), new RegExp(`Line ${line}\\b`))
  await page.keyboard.type('7')
  t.match(await draftOf(page), '"percentage": 71000', 'its place in the text')
  await typeDraft(page, '{"venues": [\n\n}')
  await page.getByText('1 fault: it cannot be published yet.').waitFor()
  await page.getByRole('button', { name: /^Line 3 document/ }).waitFor()
  await typeDraft(page, text.replace('"percentage": 10', '// since spring\n      "percentage": 15'))
  await page.getByText(/^No fault/).waitFor()
  t.same(await faults(), [], 'the editor')

  await page.getByRole('link', { name: 'Try a basket' }).click()
  await page.getByRole('combobox', { name: 'Venue', exact: true }).selectOption('oslo-cafe')
  await page.getByLabel('Product', { exact: true }).fill('cinnamon')
  await page.keyboard.press('Enter')
  await page.getByLabel(/^Units or weight of Cinnamon bun/).fill('2')
  await page.getByLabel('Who buys').selectOption('known')
  await page.getByLabel('Member id or loyalty id').fill('LOY-ANNA')
  await page
    .getByText(/^To pay with the draft 72\.6\d NOK, today \(version 1\) 76\.95 NOK; without benefits 90\.00 NOK/)
    .waitFor()
  const receipt = page.getByRole('region', { name: 'With the draft' })
  await receipt.waitFor()
  t.match(await receipt.innerText(), /2 Cinnamon bun <img src=x[\s\S]*90\.00[\s\S]*bakery-10 <img src=x[\s\S]*−13\.50/)
  t.equal(await page.locator('main img, main script').count(), 0)
  t.same(await faults(), [], 'a basket that is tried')
})

t.test('a draft is tried on past baskets, and published only over the version that its writer has seen', async (t) => {
  if (console === null) return
  const { page, go, faults, call } = console
  await go('/programme/draft/shadow')
  await page.getByRole('button', { name: 'Run' }).click()
  await page.getByText(/^1 basket priced again/).waitFor()
  t.same(await faults(), [], 'a shadow run')

  const { document } = await call('ProgrammeService/GetProgramme', { version: 1 })
  const others = String(document).replace('"maximum": 50000', '"maximum": 60000')
  await call('ProgrammeService/PublishProgramme', { requestId: randomUUID(), document: others, expectedVersion: 1 })
  await go('/programme/draft/json')
  await page.getByRole('button', { name: 'Publish …' }).click()
  await page.getByRole('dialog').getByText('The draft was begun with version 1.').waitFor()
  const money = /^Changes beans-1-off .*at most 600\.00 EUR a month .* instead of .*500\.00 EUR/
  await page.getByRole('dialog').getByText(money).waitFor()
  t.same(await faults(), [], 'a stale draft')
  await page.getByRole('dialog').getByRole('button', { name: 'Take over these changes' }).click()
  const region = (name: string) => page.getByRole('heading', { name }).locator('..')
  await region('Changed by version 2 alone: is taken over')
    .getByText(/^beans-1-off /)
    .waitFor()
  await region('Changed in your draft alone: stays')
    .getByText(/^bakery-10 /)
    .waitFor()
  t.same(await faults(), [], 'taking over')
  await page.getByRole('button', { name: 'Take over into the draft' }).click()
  await page.getByText('The draft holds what version 2 changed, and can be published.').waitFor()
  await page.getByRole('button', { name: 'Publish …' }).click()
  await page.getByText('Becomes version 3.').waitFor()
  await page
    .getByText(/^Changes bakery-10 .*: 15 % off bakery and bread instead of 10 % off bakery and bread\.$/)
    .waitFor()
  await page.getByRole('dialog').locator('summary', { hasText: '(bakery-10)' }).click()
  await page.getByRole('dialog').getByText('Reward, Percentage off', { exact: true }).waitFor()
  t.equal(
    await page
      .getByRole('dialog')
      .getByText(/^Changes beans/)
      .count(),
    0,
    'what was published stays',
  )
  t.same(await faults(), [], 'publishing')
  await page.getByRole('button', { name: 'Publish', exact: true }).click()
  await page.getByText('Version 3 is in force everywhere').waitFor()
  await page.getByRole('dialog').getByRole('button', { name: 'Close' }).click()
  await page.getByText('There is no draft.').waitFor()

  await go('/programme/1')
  await page.getByRole('link', { name: 'Begin a draft' }).waitFor()
  await page.getByRole('button', { name: 'Roll back …' }).click()
  await page
    .getByRole('dialog')
    .getByText(/^Changes bakery-10 .*10 % off/)
    .waitFor()
  await page.getByRole('button', { name: 'Roll back', exact: true }).click()
  await page.getByText('Version 4 is in force everywhere').waitFor()
  await page.getByRole('dialog').getByRole('button', { name: 'Close' }).click()
  await go('/programme/4?base=2')
  await page.getByText(/^Changes beans-1-off .*500\.00 EUR/).waitFor()
  t.same(await faults(), [], 'a version')
})

t.test('the system shows itself, its venues, who changed what, and webhooks', async (t) => {
  if (console === null) return
  const { page, go, faults, call } = console
  await call('EventService/CreateWebhook', { requestId: randomUUID(), url: 'https://crm.example/loyalty' })
  await go('/system')
  await page.getByText('No basket waits for Postgres.').waitFor()
  const settings = page.getByRole('region', { name: 'Settings that are set' })
  t.match(await settings.innerText(), /LOYALTY_TOKENS\s+set, not shown/)
  t.match(await settings.innerText(), /LOYALTY_DEADLINE_MS\s+4500\s+450/)
  t.same(await faults(), [], 'the overview')
  await go('/system/venues/oslo-cafe')
  await page.getByLabel('Find a product').fill('sandwich')
  await page.getByRole('cell', { name: '98.00' }).waitFor()
  t.equal(await page.locator('main img, main script').count(), 0)
  t.same(await faults(), [], 'a venue')
  await go('/system/audit')
  await page.getByRole('cell', { name: 'Programme rolled back' }).click()
  await page.getByText('"rolledBackTo": 1').waitFor()
  t.same(await faults(), [], 'an audit record')
  await go('/system/webhooks')
  await page.getByRole('link', { name: 'https://crm.example/loyalty' }).click()
  await page.getByRole('heading', { name: 'Deliveries' }).waitFor()
  t.same(await faults(), [], 'a webhook')
})

t.test('the gateways that run, and what is wrong with one, stand on the overview', async (t) => {
  if (console === null) return
  const { page, go, faults } = console
  await go('/system')
  await page.getByText('1 gateway runs on this ledger. None has a fault.').waitFor()
  const list = page.getByRole('region', { name: 'Gateways' })
  t.match(await list.innerText(), /:\d+ \(\d+\)\s+runs\s+1 of 1\s+\d+\s+none\s+\d+\.\d+\.\d+ \(\S+\), Node\.js \d/)

  const hour = (plus: number) => new Date(Date.now() + plus * 3_600_000).toISOString()
  const sick = { host: 'oslo-1', pid: 7, port: 8080, processes: 1, processesWanted: 2, cache: 'CACHE_REACH_DOWN' }
  const silent = { ...sick, host: script, cache: 'CACHE_REACH_UP', silent: true }
  const shared = { version: '1.0.0', nodeVersion: '24.1.0', programmeVersion: 1, startedAt: hour(0), seenAt: hour(1) }
  for (const [gateways, expected] of [
    [[sick, silent], '1 gateway runs on this ledger. 2 need a look.'],
    [[], 'No gateway has reported to the ledger yet.'],
  ] as const) {
    await page.unrouteAll()
    await page.route('**/loyalty.v1.SystemService/ListGateways', (route) =>
      route.fulfill({ json: { at: hour(1), gateways: gateways.map((each) => ({ ...shared, ...each })) } }),
    )
    await go('/system')
    await page.getByText(expected).waitFor()
    t.same(await faults(), [], expected)
    if (gateways.length === 0) continue
    await page.getByText('one process is missing, prices by an older programme version, does not reach Redis').waitFor()
    await page.getByText('silent: cut off').waitFor()
    t.equal(await page.locator('main img, main script').count(), 0)
  }
  await page.unrouteAll()
})

t.test('reports sum up what was sold and given, and save it', async (t) => {
  if (console === null) return
  const { page, go, faults, service, complaints } = console
  const basket = await priced(console)
  const sale = await service.send('/v1/pos/sale', JSON.stringify(aSale(basket.body())))
  t.equal(sale.status, 200, sale.text)
  await go('/reports')
  await page.getByText(/^1 sale, 1 with benefits/).waitFor()
  const byBenefit = page.getByRole('region', { name: 'By benefit', exact: true })
  await byBenefit.getByRole('cell', { name: /^order-25-kr </ }).waitFor()
  t.same(await faults(), [], 'reports')
  const venues = page.getByRole('region', { name: 'By venue', exact: true })
  t.match(await venues.innerText(), /\s1\s+1\s+1\s+0\s/, 'a basket with two benefits is one sale')
  const [saved] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Save as CSV: By benefit' }).click(),
  ])
  const lines = readFileSync(await saved.path(), 'utf8').split('\r\n')
  t.equal(
    lines[0],
    '\ufeffName,Id,Currency,Baskets,Redeemed,"Members, each once",Discount,Against before,Per sale,Share,Paid',
  )
  t.match(lines[1], /,order-25-kr,NOK,1,1,\d*,25\.00,,25\.00,/)
  await page.evaluate("localStorage.setItem('loyalty-language', 'nb')")
  await page.reload()
  const [norwegian] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: /^Lagre som CSV: Per sted$/ }).click(),
  ])
  const [head, row] = readFileSync(await norwegian.path(), 'utf8').split('\r\n')
  t.match(head, /^\ufeff.*;Id;Valuta;/)
  t.match(row, /;oslo-cafe;NOK;1;.*;44,60;/, 'name and id, and decimals as in Norway')
  await page.evaluate("localStorage.setItem('loyalty-language', 'en')")

  await page.emulateMedia({ colorScheme: 'dark' })
  await page.setViewportSize({ width: 360, height: 780 })
  for (const path of ['/limits', '/programme/4', '/programme/draft/try', '/reports', '/system', '/system/audit']) {
    await go(path)
    await page.getByRole('heading').first().waitFor()
    await page.waitForLoadState('load')
    t.same(await faults(), [], path)
    const beyond = await page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth')
    t.ok(Number(beyond) <= 0, `${path} fits its window`)
  }
  t.same(complaints, [], 'nothing that its policy refuses')
})
