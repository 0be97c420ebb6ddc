import t from 'tap'
import { aBasket, aSale } from '../e2e/basket.js'
import { aMouse, aSignedIn } from './a-console.js'

t.setTimeout(300_000)

const console = await aSignedIn(t, { programme: '{"venues": [], "benefits": []}' })

const prices =
  'productId;name;price;productGroupId\ncappuccino;Cappuccino;52,00;hot-drinks\nbun;Cinnamon bun;45,00;bakery\n'

t.test('an empty service gets a venue, a stamp card, a price list, a member and a stamp in 25 clicks', async (t) => {
  if (console === null) return
  const { page, service, go, faults, complaints } = console
  const mouse = aMouse()
  const part = page.getByRole('dialog', { name: 'Part of the sentence' })
  const parts = page.getByRole('navigation', { name: 'Parts of the programme' })
  const add = async (name: string, kind?: string) => {
    await mouse.click(parts.getByRole('button', { name: 'Add' }))
    await page.keyboard.type(name)
    if (kind !== undefined) await mouse.click(page.getByLabel(kind))
    await page.keyboard.press('Enter')
  }
  const open = (name: RegExp) => mouse.click(page.locator('main section').getByRole('button', { name }).first())
  const pickGroup = async () => {
    await part.getByRole('combobox', { name: 'Search what it is for' }).focus()
    await page.keyboard.type('hot-drinks')
    await page.keyboard.press('Enter')
    await page.keyboard.press('Escape')
  }

  await mouse.click(page.getByRole('link', { name: 'Add the first venue' }))
  await mouse.click(page.getByRole('button', { name: 'Begin with version 1' }))
  await add('Oslo café')
  await mouse.choose(part.getByLabel('Environment'), 'staging')
  await mouse.click(part.getByLabel('Currency'))
  await page.keyboard.type('NOK')
  await page.keyboard.press('Enter')
  await part.getByLabel('Time zone').focus()
  await page.keyboard.type('oslo')
  await part.getByRole('option', { name: 'Europe/Oslo' }).waitFor()
  t.same(await faults(), [], 'a venue')
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Enter')
  await page.keyboard.press('Tab')
  await page.keyboard.type('7100001')
  await page.keyboard.press('Enter')
  await page.keyboard.press('Escape')
  await page.getByText(/^No fault/).waitFor()

  await mouse.click(parts.getByRole('link', { name: /^Currencies/ }))
  await add('Coffee stamps', 'Stamp card')
  await page.getByRole('button', { name: /Coffee stamps, Cost, Amount.*still missing/ }).waitFor()
  await open(/Coffee stamps for every/)
  await part.getByLabel('Gives').fill('1')
  await part.getByLabel('Units').fill('1')
  await pickGroup()
  await open(/^costs/)
  await part.getByLabel('Amount').fill('9')
  await mouse.choose(part.getByLabel('Per'), 'unit')
  await page.keyboard.press('Escape')
  await open(/^…$/)
  await mouse.choose(part.getByLabel('Kind'), 'line_percentage')
  await part.getByLabel('Percentage off').fill('100')
  await page.keyboard.press('Escape')
  await open(/^everything$/)
  await pickGroup()
  await mouse.click(page.getByLabel('Enabled'))
  await page.getByText(/^All members.* get 100 % off hot-drinks.* costs 9 Coffee stamps for each unit/).waitFor()
  await page.getByText(/^No fault/).waitFor()
  t.same(await faults(), [], 'a stamp card')
  await mouse.click(page.getByRole('button', { name: 'Publish …' }))
  await mouse.click(page.getByRole('button', { name: 'Publish', exact: true }))
  await page.getByText('Version 2 is in force everywhere').waitFor()
  await page.keyboard.press('Escape')

  await mouse.click(page.getByRole('link', { name: 'System' }))
  await mouse.click(page.getByRole('link', { name: 'Venues' }))
  await mouse.click(page.getByRole('link', { name: 'Oslo café' }))
  await mouse.click(page.getByRole('button', { name: 'Import a price list …' }))
  await mouse.give(page.getByLabel('File'), 'prices.csv', prices)
  await mouse.click(page.getByRole('dialog').getByRole('button', { name: 'Replace the price list' }))
  await page.getByRole('dialog').getByRole('status').waitFor()
  await page.keyboard.press('Escape')
  await page.getByText('Price list: 2 products').first().waitFor()

  await mouse.click(page.getByRole('link', { name: 'Members' }))
  await mouse.click(page.getByRole('button', { name: 'Add member' }))
  await page.getByLabel('Member', { exact: true }).fill('anna')
  await page.getByLabel('Number of the new card').fill('CARD-1')
  await page.getByLabel('Reason, for colleagues').fill('first member')
  await page.keyboard.press('Enter')
  await page.getByText('anna is a member now.').waitFor()
  await page.keyboard.press('Escape')

  const place = { venueId: 'oslo-cafe', baxId: '7100001', cashRegisterId: '1', channel: 'pos' }
  const cappuccino = { productId: 'cappuccino', productGroupId: 'hot-drinks', unitPrice: 5_200 }
  const basket = aBasket('CARD-1', place).with({ currency: 'NOK' }).line(cappuccino).body()
  const { status } = (await service.send('/v1/pos/basket', JSON.stringify(basket))).json
  await service.send('/v1/pos/sale', JSON.stringify(aSale(basket, { status, paidTotal: 5_200 })))
  await go('/members/anna')
  await page.getByText(/1 of 9 Coffee stamps/).waitFor()
  t.comment(`${mouse.clicks} clicks`)
  t.ok(mouse.clicks <= 25, `${mouse.clicks} clicks`)
  t.same(complaints, [])
})
