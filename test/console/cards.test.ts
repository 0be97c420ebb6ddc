import { randomUUID } from 'node:crypto'
import t from 'tap'
import { aBasket, type BasketBody } from '../e2e/basket.js'
import { aMouse, aSignedIn } from './a-console.js'

t.setTimeout(400_000)

const oslo = { venueId: 'oslo-cafe', baxId: '7100001', cashRegisterId: '2', channel: 'pos' }
const console = await aSignedIn(t)

t.test('a lost card is replaced: the old one ends, value and tier stay; cards end and members are added', async (t) => {
  if (console === null) return
  const { page, go, call, service, faults } = console
  const [memberId, reason] = ['m-lost', 'Reason, for colleagues']
  const dialog = page.getByRole('dialog')
  const done = async (button: string, said: string) => {
    await page.getByLabel(reason).fill('lost at the sea')
    t.same(await faults(), [], button)
    await dialog.getByRole('button', { name: button }).click()
    await page.getByText(said).waitFor()
    await page.getByText('Members stored by admin-').waitFor()
    await dialog.getByRole('button', { name: 'Close' }).click()
  }
  await go('/members')
  await page.getByRole('button', { name: 'Add member' }).click()
  await page.getByLabel('Member', { exact: true }).fill(memberId)
  await page.getByLabel('Number of the new card').fill('LOY-ANNA')
  await page.getByText('This card belongs to m-anna: merge the two members instead.').waitFor()
  await page.getByLabel('Number of the new card').fill('OLD-CARD')
  await page.getByLabel('Birthday, as month-day: 05-17').fill('05-17')
  await done('Add member', 'm-lost is a member now.')
  await page.getByRole('heading', { name: memberId }).waitFor()
  const member = { memberId }
  const gift = { currencyId: 'stamps', amount: '3', reason: 'a gift' }
  await call('ValueService/AdjustValue', { requestId: randomUUID(), member, ...gift })

  await go('/today')
  const mouse = aMouse()
  await mouse.click(page.getByRole('link', { name: 'Members' }))
  await page.keyboard.type('OLD-CARD')
  await mouse.click(page.getByRole('link', { name: memberId }))
  await mouse.click(page.getByRole('button', { name: 'Replace card' }))
  await page.getByLabel('Number of the new card').fill('NEW-CARD')
  await done('Replace card', 'NEW-CARD replaces OLD-CARD.')
  t.ok(mouse.clicks + 2 <= 5, 'in 5 clicks, with those of the dialog')
  const stored = await call('MemberService/GetMember', { memberId })
  t.match(stored['member'], { loyaltyIds: ['NEW-CARD'], birthday: '05-17' })
  const { accounts } = (await call('ValueService/GetBalances', { member })) as BasketBody
  t.match(accounts, [{ currencyId: 'stamps', available: '3' }])
  const statusOf = async (card: string) =>
    (
      await service.send(
        '/v1/pos/basket',
        aBasket(card, oslo).with({ currency: 'NOK' }).line({ productId: 'x', unitPrice: 100 }).text(),
      )
    ).json.status
  // A change reaches every gateway within 2 s.
  await page.waitForTimeout(3_000)
  t.equal(await statusOf('OLD-CARD'), 'member_not_found')
  t.not(await statusOf('NEW-CARD'), 'member_not_found')

  await go(`/members/${memberId}?do=edit`)
  await page.getByLabel('Segments, with commas').fill('staff, press')
  await done('Edit', 'm-lost is changed.')
  await go(`/members/${memberId}?do=endCard`)
  await page.getByText('It is the only card').waitFor()
  t.ok(await dialog.getByRole('button', { name: 'Block card' }).isDisabled())
  const cards = { memberId, loyaltyIds: ['NEW-CARD', 'PHONE'] }
  await call('MemberService/UpsertMembers', { requestId: randomUUID(), members: [cards] })
  await page.reload()
  await page.getByLabel('Card that ends').selectOption('NEW-CARD')
  await done('Block card', 'NEW-CARD is no longer a card of the member.')
  const after = (await call('MemberService/GetMember', { memberId }))['member'] as BasketBody
  t.match(after, { loyaltyIds: ['PHONE'], segments: ['staff', 'press'], birthday: '05-17' })
})
