import t from 'tap'
import { aBasket, aSale } from '../e2e/basket.js'
import { until } from '../support/until.js'
import { aSignedIn } from './a-console.js'

t.setTimeout(400_000)

const console = await aSignedIn(t)

const csv = (text: string) => ({ name: 'prices.csv', mimeType: 'text/csv', buffer: Buffer.from(text) })

t.test('a price list of a spreadsheet is looked through, and stored once it has no fault', async (t) => {
  if (console === null) return
  const { page, go, faults, complaints } = console
  await go('/system/venues/oslo-cafe')
  await page.getByRole('button', { name: 'Import a price list …' }).click()
  const dialog = page.getByRole('dialog')
  const file = dialog.getByLabel('File', { exact: true })
  const head = '\ufeffproductId;name;price;productGroupId\r\n'
  await file.setInputFiles(csv(`${head}cappuccino;Cappuccino;52.5.0;hot-drinks\r\n`))
  await dialog.getByText('1 fault: it cannot be stored so.').waitFor()
  t.match(await dialog.getByRole('region').innerText(), /2\s+price\s+a price such as 52 or 52\.50\s+52\.5\.0/)
  t.ok(await dialog.getByRole('button', { name: 'Replace the price list' }).isDisabled())
  t.same(await faults(), [], 'faults of a file')
  await file.setInputFiles(
    csv(`${head}cappuccino;Cappuccino;54,50;hot-drinks\r\ncortado;<b>Cortado</b>;49;hot-drinks\r\n`),
  )
  await dialog.getByText(/^1 new, 1 changed, \d removed, 0 as they were\.$/).waitFor()
  t.match(await dialog.getByRole('region').innerText(), /Cappuccino\s+cappuccino\s+changes\s+52\.00\s+54\.50/)
  t.same(await faults(), [], 'what a file changes')
  await dialog.getByRole('button', { name: 'Replace the price list' }).click()
  await dialog.getByText('Stored: 2 products.').waitFor()
  await dialog.getByText('Venue stored by admin-').waitFor()
  await dialog.getByRole('button', { name: 'Close' }).click()
  await page.getByRole('heading', { name: 'Price list: 2 products' }).waitFor()
  await page.getByRole('cell', { name: '<b>Cortado</b>' }).waitFor()
  t.same(complaints, [])
})

t.test('a webhook is added, with its secret shown once, and deleted', async (t) => {
  if (console === null) return
  const { page, go, faults } = console
  await go('/system/webhooks')
  await page.getByText('Events are sent nowhere.').waitFor()
  await page.getByRole('button', { name: 'Add a webhook …' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByText('Every event from now on is sent there.').waitFor()
  await dialog.getByLabel('Address').fill('https://anna@crm.example/loyalty')
  await dialog.getByLabel('tier.changed').check()
  await dialog.getByRole('button', { name: 'Add', exact: true }).click()
  await dialog.getByRole('alert').getByText('Address', { exact: true }).waitFor()
  await dialog.getByLabel('Address').fill('https://crm.example/loyalty')
  await dialog.getByText('Events of 1 type are sent there').waitFor()
  t.same(await faults(), [], 'adding')
  await dialog.getByRole('button', { name: 'Add', exact: true }).click()
  await dialog.getByText(/^whsec_/).waitFor()
  await dialog.getByText('Webhook created by admin-').waitFor()
  await dialog.getByRole('button', { name: 'Close' }).click()
  await page.getByText('1 webhook, 0 failing.').waitFor()
  await page.getByRole('link', { name: 'https://crm.example/loyalty' }).click()
  await page.getByRole('button', { name: 'Delete …' }).click()
  await dialog.getByText('Nothing more is sent to https://crm.example/loyalty.').waitFor()
  await dialog.getByRole('button', { name: 'Delete', exact: true }).click()
  await dialog.getByText('Webhook deleted by admin-').waitFor()
  await dialog.getByRole('button', { name: 'Close' }).click()
  await page.getByText('Events are sent nowhere.').waitFor()
})

t.test('audit records are found by who, what and when', async (t) => {
  if (console === null) return
  const { page, go, faults } = console
  await go('/system/audit')
  await page.getByRole('cell', { name: 'Webhook deleted' }).waitFor()
  const call = page.getByRole('combobox', { name: 'Call' })
  await call.fill('VenueService/UpsertVenue')
  await call.press('Enter')
  await page.getByRole('cell', { name: 'Webhook deleted' }).waitFor({ state: 'detached' })
  t.match(page.url(), /call=VenueService/)
  await page.getByRole('link', { name: /oslo-cafe$/ }).waitFor()
  t.same(await faults(), [], 'audit records')
  const who = page.getByLabel('By whom …')
  await who.fill('support-')
  await who.press('Enter')
  await page.getByText('No record fits.').waitFor()
  await go('/system/audit?until=2020-01-01')
  await page.getByText('No record fits.').waitFor()
})

t.test('what a benefit adds is found by pricing the baskets with and without it', async (t) => {
  if (console === null) return
  const { page, go, faults, service } = console
  const oslo = { venueId: 'oslo-cafe', baxId: '7100001', cashRegisterId: '2', channel: 'pos' }
  const basket = aBasket('LOY-ANNA', oslo)
    .with({ currency: 'NOK' })
    .line({ productId: 'sandwich', productGroupId: 'lunch', quantity: 4, unitPrice: 9800 })
  const { json } = await service.send('/v1/pos/basket', basket.text())
  const paidTotal = json.basket.totals.net
  const sale = aSale(basket.body(), { status: 'applied', paidTotal, loyaltyDiscountTotal: 39_200 - paidTotal })
  t.equal((await service.send('/v1/pos/sale', JSON.stringify(sale))).status, 200)
  const reached = async () => {
    await go('/reports')
    await page.getByText(/^1 sale, 1 with benefits/).waitFor()
    return await page.getByText('1 member got a benefit.').count()
  }
  t.equal(await until(reached, (count) => count === 1), 1)
  const row = page.getByRole('row', { name: /order-25-kr/ })
  await row.getByRole('button', { name: 'Cost without it …' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('button', { name: 'Price them' }).click()
  await dialog.getByText('1 basket priced twice, 0 passed over.').waitFor()
  await dialog
    .getByText(/^Of 25\.00 NOK given by this benefit 25\.00 NOK would not have been given without it/)
    .waitFor()
  t.same(await faults(), [], 'what a benefit adds')
})
