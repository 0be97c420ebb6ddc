import { randomUUID } from 'node:crypto'
import { setTimeout } from 'node:timers/promises'
import t from 'tap'
import { aBasket, aSale, type BasketBody } from '../e2e/basket.js'
import { aConsole, type SignedIn, script } from './a-console.js'

t.setTimeout(400_000)

const oslo = { venueId: 'oslo-cafe', baxId: '7100001', cashRegisterId: '2', channel: 'pos' }
const memberId = 'm-anna'

const console = await aConsole(t)
const support = await console?.as('support')

function aCoffee(card: string) {
  const line = { productId: 'cappuccino', productGroupId: 'hot-drinks', unitPrice: 5200 }
  return aBasket(card, oslo).with({ currency: 'NOK' }).line(line).body()
}

/** Sells a basket as it was answered, and waits until the sale has its calculation. */
async function sell({ service, call }: SignedIn, basket: BasketBody, event: BasketBody): Promise<number> {
  const { json } = await service.send('/v1/pos/basket', JSON.stringify(basket))
  const { status, basket: charged = basket } = json as BasketBody
  const paidTotal = charged['totals'].net + (event['more'] ?? 0)
  const { more: _, ...others } = event
  await service.send('/v1/pos/sale', JSON.stringify(aSale(basket, { status, paidTotal, ...others })))
  const { calculationId } = basket
  const sale = async () => JSON.stringify(await call('SaleService/GetSale', { calculationId }))
  while (!/SALE_RESULT_RECORDED|"joinedAt"/.test(await sale())) await setTimeout(50)
  return paidTotal
}

t.test('a member is a timeline: visits, value, tier and notes of support, by kind in the address', async (t) => {
  if (support === undefined) return
  const { page, go, call, faults, complaints } = support
  const member = { memberId }
  await call('ValueService/AdjustValue', {
    ...{ requestId: randomUUID(), member, currencyId: 'stamps', amount: '2', reason: `spilt ${script}`.slice(0, 100) },
  })
  await sell(support, aCoffee('LOY-ANNA'), { receiptNumber: 4711 })
  await go(`/members/${memberId}`)
  const timeline = page.getByRole('region', { name: 'Timeline' })
  await timeline.getByRole('link', { name: /, applied, receipt 4711$|, unchanged, receipt 4711$/ }).waitFor()
  await timeline.getByText(/adjusted: spilt <img/).waitFor()
  const habits = page.locator('section').filter({ has: page.getByRole('heading', { name: 'Habits' }) })
  t.match(await habits.innerText(), /Spent in all\s+\d+\.\d\d NOK[\s\S]*Visits most\s+Oslo[\s\S]*Buys most/)

  await page.getByRole('button', { name: 'Write note' }).click()
  const dialog = page.getByRole('dialog', { name: `Note about ${memberId}` })
  await dialog.getByLabel('Note').fill(`wants oat milk ${script}`)
  t.same(await faults(), [], 'a note')
  await dialog.getByRole('button', { name: 'Write note' }).click()
  await dialog.getByText('The note is in the timeline.').waitFor()
  await dialog.getByRole('button', { name: 'Close' }).click()
  await timeline.getByText(/^Note: wants oat milk <img/).waitFor()
  t.equal(await page.locator('main img, main script').count(), 0, 'script shows as text')
  t.same(await faults(), [], 'the timeline')

  await page.getByRole('combobox', { name: 'Kind' }).selectOption('action')
  await timeline
    .getByText(/^Value adjusted/)
    .first()
    .waitFor()
  t.equal(await timeline.getByText('receipt 4711').count(), 0)
  t.match(page.url(), /kind=action/)
  await page.goBack()
  await go(`/members/${memberId}?kind=visit`)
  await timeline.getByRole('link', { name: /receipt 4711/ }).click()
  await page.getByRole('heading', { name: /^Sale / }).waitFor()
  t.same(complaints, [])
})

t.test('who may not write or read notes sees neither, and a note that is addressed names the roles', async (t) => {
  const reader = await console?.as('reader')
  if (reader === undefined) return
  const { page, go } = reader
  await go(`/members/${memberId}`)
  await page
    .getByRole('region', { name: 'Timeline' })
    .getByRole('link', { name: /receipt 4711/ })
    .waitFor()
  t.equal(await page.getByRole('button', { name: 'Write note' }).count(), 0)
  t.equal(await page.getByText('oat milk').count(), 0)
  t.notOk((await page.getByRole('combobox', { name: 'Kind' }).innerText()).includes('support'))
  await go(`/members/${memberId}?do=note`)
  await page
    .getByRole('dialog')
    .getByText(/support, admin/)
    .waitFor()
})

t.test('requests come live, newest first, by venue, outcome and error, and open their calculation', async (t) => {
  if (support === undefined) return
  const { page, go, service, faults } = support
  await go('/calculations')
  await page.getByRole('link', { name: 'Live requests' }).click()
  await page.getByText('No request has come since this screen was opened.').waitFor()
  t.same(await faults(), [], 'nothing yet')
  const good = aCoffee('LOY-ANNA')
  await service.send('/v1/pos/basket', JSON.stringify(good))
  await service.send('/v1/pos/basket', JSON.stringify({ ...aCoffee('LOY-ANNA'), currency: 'ZZZ' }))
  const table = page.getByRole('region', { name: 'Live requests' })
  await table.getByText('unknown currency').waitFor()
  const rows = table.getByRole('row')
  t.match(await rows.nth(1).innerText(), /refused[\s\S]*unknown currency/, 'the newest is first')
  t.same(await faults(), [], 'requests')
  await page.getByRole('button', { name: 'Pause' }).click()
  await service.send('/v1/pos/basket', JSON.stringify(aCoffee('LOY-BJORN')))
  await page.waitForTimeout(500)
  t.equal(await rows.count(), 3, 'rows stay while it is paused')
  await page.getByRole('button', { name: 'Go on' }).click()
  await rows.nth(3).waitFor()

  await page.getByRole('combobox', { name: 'Error' }).selectOption('unknown_currency')
  await page.waitForURL(/code=unknown_currency/)
  await page.getByText('No request has come since this screen was opened.').waitFor()
  await service.send('/v1/pos/basket', JSON.stringify(aCoffee('LOY-ANNA')))
  await service.send('/v1/pos/basket', JSON.stringify({ ...aCoffee('LOY-ANNA'), currency: 'ZZZ' }))
  await table.getByText('unknown currency').waitFor()
  t.equal(await rows.count(), 2)

  await go('/requests')
  await page.getByText('No request has come since this screen was opened.').waitFor()
  await service.send('/v1/pos/basket', JSON.stringify(good))
  await rows.nth(1).waitFor()
  await page.keyboard.press('j')
  await page.keyboard.press('Enter')
  await page.waitForURL(new RegExp(`/calculations/${good['calculationId']}`))
})

t.test('a discrepancy has its difference in money, and leaves the list once it is settled with a note', async (t) => {
  if (support === undefined) return
  const { page, go, faults } = support
  await go('/sales?discrepancy=any')
  await page.getByText('Live: new sales are offered as they come.').waitFor()
  await sell(support, aCoffee('LOY-ANNA'), { receiptNumber: 815, more: -150 })
  const row = page.getByRole('row').filter({ hasText: '−1.50' })
  const offer = page.getByRole('button', { name: 'Show 1 new sale' })
  // The list is read once more when the feed begins, and may have the sale by then.
  await offer.or(row).first().waitFor()
  if (await offer.isVisible()) await offer.click()
  await row.getByRole('link').first().click()
  await page.getByRole('button', { name: 'Settle' }).click()
  const dialog = page.getByRole('dialog', { name: 'Settle discrepancies' })
  await dialog.getByText('another total').or(dialog.getByRole('listitem')).first().waitFor()
  await dialog.getByLabel('Reason, for colleagues').fill('rounded by the register')
  t.same(await faults(), [], 'settling')
  await dialog.getByRole('button', { name: 'Settle' }).click()
  await dialog.getByText('Discrepancies settled by support-').waitFor()
  await dialog.getByRole('button', { name: 'Close' }).click()
  await page.getByText(/^Settled by support-\w+: rounded by the register/).waitFor()
  t.equal(await page.getByRole('button', { name: 'Settle' }).count(), 0)
  await page.keyboard.press('Escape')
  await row.waitFor({ state: 'detached' })
  await page.getByRole('combobox', { name: 'settled' }).selectOption('too')
  await row.getByText(/settled: rounded by the register/).waitFor()
  t.match(page.url(), /settled=too/)
  t.same(await faults(), [], 'a settled one')
})
