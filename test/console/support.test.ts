import { randomUUID } from 'node:crypto'
import t from 'tap'
import { aBasket, aSale, type BasketBody, type BasketBuilder } from '../e2e/basket.js'
import { aMouse, aSignedIn, type SignedIn, script } from './a-console.js'

t.setTimeout(400_000)

const support = 'support-token-of-the-support-test'
const oslo = { venueId: 'oslo-cafe', baxId: '7100001', cashRegisterId: '2', channel: 'pos' }
/** A member with script in everything that a programme or an import may write about one. */
const guest = {
  memberId: `guest ${script}`.slice(0, 64),
  loyaltyIds: ['CARD-4711', `OTHER ${script}`.slice(0, 64)],
  tier: `tier ${script}`.slice(0, 64),
  segments: [script.slice(0, 64), 'newsletter'],
}

const console = await aSignedIn(t, {
  token: support,
  env: {
    LOYALTY_TOKENS: `admin:admin-token-of-the-areas-test,support:${support},reader:reader-token-of-the-support-test`,
  },
})

/** Today in Oslo. */
const day = new Intl.DateTimeFormat('sv-SE', { timeZone: 'Europe/Oslo' }).format(new Date())
/** Half past twelve there: breakfast is over. */
const noon = `${day}T12:30:00${offsetAt(new Date(`${day}T11:30:00Z`))}`

/** Oslo's offset from UTC, such as `+01:00`. */
function offsetAt(moment: Date): string {
  const format = new Intl.DateTimeFormat('en', { timeZone: 'Europe/Oslo', timeZoneName: 'longOffset' })
  return format
    .formatToParts(moment)
    .find(({ type }) => type === 'timeZoneName')!
    .value.replace('GMT', '')
}

function aCoffee(card: string): BasketBuilder {
  return aBasket(card, oslo)
    .with({ currency: 'NOK', requestedAt: noon })
    .line({ productId: 'cappuccino', productGroupId: 'hot-drinks', unitPrice: 5200 })
}

function threeBuns(): BasketBody {
  const ids = { productId: 'cinnamon-bun', productMasterId: 'nw-cinnamon-bun', productGroupId: 'bakery' }
  return aBasket('LOY-BJORN', oslo)
    .with({ currency: 'NOK', requestedAt: noon })
    .line({ ...ids, quantity: 3, unitPrice: 4500 })
    .body()
}

/** Sells a basket as it was answered. */
async function sell({ service }: SignedIn, basket: BasketBody, members: BasketBody = {}): Promise<void> {
  const answer = await service.send('/v1/pos/basket', JSON.stringify(basket))
  const { status, basket: charged = basket } = answer.json as BasketBody
  const event = aSale(basket, { status, paidTotal: charged['totals'].net, ...members })
  const sold = await service.send('/v1/pos/sale', JSON.stringify(event))
  if (sold.status !== 200) throw new Error(sold.text)
}

/** Findings of axe, elements shown as text, and elements wider than their window. */
async function wrongs({ page, faults }: SignedIn): Promise<unknown> {
  const elements = await page.locator('main img, main script, dialog img, dialog script').count()
  const beyond = await page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth')
  return { faults: await faults(), elements, isTooWide: Number(beyond) > 0 }
}

const fine = { faults: [], elements: 0, isTooWide: false }

t.test('"I did not get my free coffee": support finds out why, claims the sale, and the guest gets it', async (t) => {
  if (console === null) return
  const { page, service, call } = console
  const mouse = aMouse()
  await call('MemberService/UpsertMembers', { requestId: randomUUID(), members: [guest] })
  const stamps = { currencyId: 'stamps', amount: '8', reason: script.slice(0, 100) }
  await call('ValueService/AdjustValue', { requestId: randomUUID(), member: { memberId: guest.memberId }, ...stamps })
  // The ninth coffee, with a card that was never enrolled: without it the tenth is not free.
  const lost = aCoffee(`OLD ${script}`.slice(0, 64)).body()
  await sell(console, lost, { receiptNumber: 90210 })

  await page.keyboard.press('Control+k')
  await page.getByRole('textbox', { name: 'Search' }).fill('90210')
  await page.getByRole('link', { name: '90210' }).first().waitFor()
  await page.keyboard.press('Enter')
  await page.getByText(/^No member has loyalty id OLD <img src=x/).waitFor()
  t.same(await wrongs(console), fine, 'why')

  await mouse.click(page.getByRole('link', { name: 'Claim for a member' }))
  await page.getByText('Find the member who gets the sale.').waitFor()
  await page.getByLabel(/^How a member id/).fill('CARD-47')
  await page.getByRole('link', { name: guest.memberId }).waitFor()
  t.same(await wrongs(console), fine, 'who')
  await mouse.click(page.getByRole('link', { name: guest.memberId }))
  await page.getByText(/^The claim gives 1 Coffee stamps <img.*: 8 → 9 /).waitFor()
  t.same(await wrongs(console), fine, 'what it gives')
  const claim = page.getByRole('dialog').getByRole('button', { name: 'Claim sale' })
  t.ok(await claim.isDisabled(), 'not without a reason')
  await page.getByLabel('Reason, for colleagues').fill(script)
  await mouse.click(claim)
  await page.getByRole('dialog').getByText('+1 Coffee stamps <img').waitFor()
  await page.getByText('Sale claimed by support-').waitFor()
  t.ok(mouse.clicks <= 8, `seen in the audit after ${mouse.clicks} clicks`)
  t.same(await wrongs(console), fine, 'claimed')
  t.equal(
    await page.getByText('could not be asked for anew').count(),
    0,
    'what the claim would give is not asked again',
  )
  await page.getByRole('dialog').getByRole('button', { name: 'Close' }).click()
  await page.getByText(/^Tier <img src=x.*; 9 Coffee stamps <img.*, 9 are enough; nothing held\.$/).waitFor()
  await page.getByRole('combobox', { name: 'At' }).selectOption('oslo-cafe')
  await page.getByRole('row', { name: /tenth-coffee <img.*9 Coffee stamps <img.* for each unit once/ }).waitFor()
  t.same(await wrongs(console), fine, 'a member')

  const next = aCoffee('CARD-4711').body()
  const answer = await service.send('/v1/pos/basket', JSON.stringify(next))
  t.equal((answer.json as BasketBody)['basket'].totals.net, 0, 'the next one is free')
  await console.go(`/calculations/${next['calculationId']}`)
  await page
    .getByText(/costs 9 Coffee stamps <img.*, held/)
    .first()
    .waitFor()
  t.same(await wrongs(console), fine, 'what it costs')
  t.same(console.complaints, [], 'nothing that its policy refuses')
})

t.test('each benefit that did not apply says why, in numbers, and which of its terms kept it closed', async (t) => {
  if (console === null) return
  const { page, go } = console
  const buns = threeBuns()
  await sell(console, buns)
  await go(`/calculations/${buns['calculationId']}`)
  const why = async (benefitId: string) => {
    const row = page.getByRole('listitem').filter({ hasText: new RegExp(`^${benefitId} <img`) })
    return (await row.first().innerText()).replaceAll('\n', ' ')
  }
  await page.getByRole('heading', { name: 'Not open to this member, here and then' }).waitFor()
  t.match(await why('bakery-10'), /beaten by buns-3-for-2 <img.* \(45\.00 against 13\.50\)$/)
  t.match(await why('order-25-kr'), /needs 115\.00 NOK more$/)
  t.match(await why('gold-hot-drinks-20'), /only gold \(the member had silver\)$/)
  t.match(await why('member-cappuccino'), /only Mon–Fri 06:00–10:00 \(it was \w{3},? 12:30\)$/)
  t.match(await why('breakfast-deal'), /only 06:00–11:00 \(it was \w{3},? 12:30\)$/)
  t.match(await why('beans-1-off'), /only at Northwind Shop, Helsinki$/)
  t.same(await wrongs(console), fine, 'reasons')

  await page.getByRole('button', { name: 'Try again as if' }).click()
  await page.getByLabel('Loyalty id (empty: nobody)').fill('LOY-ANNA')
  await page.getByLabel('Time (empty: as then)').fill(`${day}T09:00`)
  await page.getByRole('button', { name: 'Try', exact: true }).click()
  await page.getByText(/^applied \(by version 1\)\. .* less to pay than was answered\.$/).waitFor()
  t.match(page.url(), /tool=as-if/)
  t.same(await wrongs(console), fine, 'as if')
  await page.getByRole('button', { name: 'Replay' }).click()
  await page.getByText('byte for byte').waitFor()
})

t.test('every filter of the calculations is in the address, and a link with all of them finds the one', async (t) => {
  if (console === null) return
  const { page, go } = console
  await go('/calculations')
  await page.getByText('More filters').click()
  await page.getByLabel('Receipt number').fill('90210')
  await page.getByRole('textbox', { name: 'Register' }).fill('2')
  await page.getByLabel('From', { exact: true }).fill('2026-01-01T00:00')
  await page.getByRole('button', { name: 'Apply' }).click()
  await page.getByRole('row', { name: /member not found/ }).waitFor()
  t.same(await wrongs(console), fine, 'filters')
  const { searchParams } = new URL(page.url())
  t.match(searchParams.get('receipt'), /90210/)
  t.match(searchParams.get('from'), /^2026-01-01T00:00:00\+/)
  await page.reload()
  await page.getByRole('row', { name: /member not found/ }).waitFor()
  await page.getByRole('combobox', { name: 'Answer' }).selectOption('applied')
  await page.getByText('No calculation fits.').waitFor()
  await page.getByRole('button', { name: /^Take away the filter Receipt number/ }).click()
  await page
    .getByRole('row', { name: /applied/ })
    .first()
    .waitFor()
})

t.test('sales come by themselves, say what was expected, and are returned or moved after a quote', async (t) => {
  if (console === null) return
  const { page, go, call } = console
  await go('/sales')
  await page.getByText('Live: new sales are offered as they come.').waitFor()
  await page.getByRole('row', { name: /member not found/ }).waitFor()
  const buns = threeBuns()
  await sell(console, buns, { paidTotal: 8900 })
  await page.getByRole('button', { name: 'Show 1 new sale' }).click()
  const mouse = aMouse()
  await mouse.click(page.getByRole('row', { name: /89\.00 NOK.*another amount paid/ }))
  await page.getByText('another amount paid: 90.00 NOK was expected, 89.00 NOK reported').waitFor()
  await page.getByRole('row', { name: /Paid 90\.00 NOK 89\.00 NOK \(−1\.00\)/ }).waitFor()
  t.same(await wrongs(console), fine, 'a sale')

  await mouse.click(page.getByRole('button', { name: 'Return', exact: true }))
  await page
    .getByLabel(/^Units of line/)
    .first()
    .fill('1')
  await page.getByText(/If the basket that is kept were priced anew/).waitFor()
  t.same(await wrongs(console), fine, 'a quote')
  await page.getByLabel('Reference, such as the credit note').fill('note-1')
  await page.getByLabel('Reason, for colleagues').fill('fell on the floor')
  await mouse.click(page.getByRole('dialog').getByRole('button', { name: 'Return' }))
  await page.getByText('Return recorded by support-').waitFor()
  await mouse.click(page.getByRole('dialog').getByRole('button', { name: 'Close' }))
  await page.getByRole('cell', { name: 'note-1' }).waitFor()
  t.ok(mouse.clicks <= 5, `quoted, recorded and seen in ${mouse.clicks} clicks`)

  await page.getByRole('button', { name: 'Move sale' }).click()
  await page.getByLabel('Card or member id of the right member').fill('LOY-HENRIK')
  await page.getByRole('button', { name: 'Show what would move' }).click()
  await page.getByText('Of m-henrik').waitFor()
  await page.getByText(/^Takes back what was earned: \d+ Points/).waitFor()
  await page.getByText(/^Earns \d+ Points/).waitFor()
  t.same(await wrongs(console), fine, 'what would move')
  await page.getByLabel('Reason, for colleagues').fill('the card of a friend')
  await page.getByRole('dialog').getByRole('button', { name: 'Move sale' }).click()
  await page.getByText('The sale is moved to m-henrik.').waitFor()
  await page.getByText('Sale moved by support-').waitFor()
  await page.getByRole('dialog').getByRole('button', { name: 'Close' }).click()
  const { accounts } = await call('ValueService/GetBalances', { member: { memberId: 'm-henrik' } })
  t.match(accounts, [{ currencyId: 'points', pending: /^\d+$/ }])

  const cheese = aBasket('LOY-HENRIK', oslo)
    .with({ currency: 'NOK', requestedAt: noon })
    .line({ productId: 'espresso', unitPrice: 3600 })
    .line({ productId: 'cheese', weighed: true, quantity: 2, unitPrice: 18900 })
    .body()
  await sell(console, cheese)
  await go(`/sales/${cheese['calculationId']}`)
  await page.getByRole('row', { name: /^cheese weighed 2\.000 0\.000/ }).waitFor()
  await page.getByRole('button', { name: 'Return', exact: true }).click()
  await page.getByLabel(/^Units of line/).fill('0.5')
  await page.getByLabel(/^Measure of line cheese/).fill('0.25')
  const refund = page.getByRole('dialog').getByText(/^Refund/)
  t.equal(await refund.count(), 0, 'half an espresso is no unit')
  await page.getByLabel(/^Units of line/).fill('')
  await refund.getByText('47.25 NOK').waitFor()
  t.same(await wrongs(console), fine, 'a part of a weighed line')

  await go('/sales?discrepancy=any')
  await page.getByText(/^1 sale of the last 7 days disagrees/).waitFor()
  await page.getByRole('link', { name: 'another amount paid' }).click()
  t.match(page.url(), /discrepancy=paid_total_mismatch.*registerId=/)
  t.same(await wrongs(console), fine, 'discrepancies')
})

t.test('support makes every change that it may, and reads who may make the others', async (t) => {
  if (console === null) return
  const { page, go, call } = console
  const member = `/members/${encodeURIComponent('m-finn')}`
  await go(member)
  const offered = page.locator('main header button')
  await offered.first().waitFor()
  t.same(await offered.allTextContents(), [
    ...['Claim sale', 'Adjust', 'Grant voucher', 'Exchange', 'Replace card', 'Edit', 'Write note'],
    ...['Block card', 'Give tier', 'Block', 'Merge', 'Export'],
  ])
  await call('ValueService/AdjustValue', {
    ...{ requestId: randomUUID(), member: { memberId: 'm-finn' }, currencyId: 'stamps', amount: '12', reason: 'x' },
  })
  await go(`${member}?do=adjust`)
  const currency = page.getByRole('dialog').getByLabel('Currency')
  t.equal(await currency.inputValue(), '', 'no currency is chosen for a person')
  await currency.selectOption('stamps')
  await page.getByLabel('Amount; with a minus to take').fill('4')
  const expiry = page.getByLabel('Expires')
  const byRule = expiry.locator('option', { hasText: /^As the currency says: last day (28|29|30|31) \w+ 20\d\d$/ })
  await byRule.waitFor({ state: 'attached' })
  t.same(await wrongs(console), fine, 'an adjustment')
  await expiry.selectOption('Never')
  await page.getByLabel('Reason, for colleagues').fill('for ever')
  await page.getByRole('dialog').getByRole('button', { name: 'Adjust' }).click()
  await page.getByText('Value adjusted by support-').waitFor()
  await page.getByRole('dialog').getByRole('button', { name: 'Close' }).click()
  const { accounts } = await call('ValueService/GetBalances', { member: { memberId: 'm-finn' } })
  const [{ lots }] = accounts as [{ lots: { amount: string; expiresAt?: string }[] }]
  t.same(
    [lots.map(({ amount }) => amount), lots.map(({ expiresAt }) => expiresAt !== undefined)],
    [
      ['12', '4'],
      [true, false],
    ],
  )
  await call('ValueService/AdjustValue', {
    ...{ requestId: randomUUID(), member: { memberId: 'm-finn' }, currencyId: 'stamps', amount: '-4', reason: 'x' },
  })
  await go(`${member}?do=exchange`)
  const exchange = page.getByRole('combobox', { name: /^Exchange/ })
  t.equal(await exchange.inputValue(), '', 'none is chosen already')
  await exchange.selectOption('ten-stamps')
  await page.getByText(/^Coffee stamps <img.*: 12 → 2$/).waitFor()
  t.same(await wrongs(console), fine, 'an exchange')
  await page.getByLabel('Reason, for colleagues').fill('asked for on the phone')
  await page.getByRole('dialog').getByRole('button', { name: 'Exchange' }).click()
  await page.getByText('Reward exchanged by support-').waitFor()
  await page.getByRole('dialog').getByRole('button', { name: 'Close' }).click()
  await page.getByRole('button', { name: 'Take back …' }).click()
  await page.getByLabel('Reason, for colleagues').fill('the wrong guest')
  t.same(await wrongs(console), fine, 'taking back')
  await page.getByRole('dialog').getByRole('button', { name: 'Take back' }).click()
  await page.getByText('Exchange cancelled by support-').waitFor()
  await page.getByRole('dialog').getByRole('button', { name: 'Close' }).click()
  await page.getByText('More', { exact: true }).click()
  await page.getByRole('button', { name: 'Block', exact: true }).click()
  await page.getByLabel('Reason, for colleagues').fill('a lost card')
  await page.getByRole('dialog').getByRole('button', { name: 'Block' }).click()
  await page.getByText('Member blocked or unblocked by support-').waitFor()
  await page.getByRole('dialog').getByRole('button', { name: 'Close' }).click()
  await page.getByText('Blocked: the POS does not find this member.').waitFor()

  await go(`${member}?do=forget`)
  await page.getByText('It takes the role admin; yours is support.').waitFor()
  t.same(await wrongs(console), fine, 'no permission')
  await page.getByRole('dialog').getByRole('button', { name: 'Close' }).click()
  t.notMatch(page.url(), /do=/)
})

t.test('a member who was merged away is shown until the dialog is closed, then the one who stays', async (t) => {
  if (console === null) return
  const { page, go, call } = console
  const members = ['m-twice-1', 'm-twice-2'].map((memberId) => ({ memberId, loyaltyIds: [`CARD ${memberId}`] }))
  const [first, second] = members
  const both = [{ ...first, tier: 'gold', joinedOn: '2024-05-17', blocked: true }, second]
  await call('MemberService/UpsertMembers', { requestId: randomUUID(), members: both })
  await go('/members/m-twice-1?do=merge')
  await page.getByLabel('Card or member id that stays').fill('CARD m-twice-2')
  await page.getByRole('button', { name: 'Show what would move' }).click()
  await page.getByRole('columnheader', { name: 'm-twice-1, goes' }).waitFor()
  await page.getByRole('columnheader', { name: 'm-twice-2, stays' }).waitFor()
  await page.getByText('Lost: Tier gold; Joined 2024-05-17; State blocked.').waitFor()
  await page.getByText('1 loyalty id').waitFor()
  await page.getByLabel('Reason, for colleagues').fill('enrolled twice')
  await page.getByRole('dialog').getByRole('button', { name: 'Merge' }).click()
  await page.getByText('Members merged by support-').waitFor()
  t.same(await wrongs(console), fine, 'merged')
  await page.getByRole('dialog').getByRole('button', { name: 'Close' }).click()
  await page.getByRole('heading', { name: 'm-twice-2' }).waitFor()
})

t.test('an audit record says what changed from what, whose card moved, and how far a forgetting is', async (t) => {
  if (console === null) return
  const { page, go, call, service } = console
  const upsert = (member: BasketBody, more: BasketBody = {}) =>
    call('MemberService/UpsertMembers', { requestId: randomUUID(), members: [member], ...more })
  await upsert({ memberId: 'm-holder', loyaltyIds: ['CARD-1'], tier: 'gold' })
  await upsert({ memberId: 'm-taker', loyaltyIds: ['CARD-2'] })
  await upsert({ memberId: 'm-taker', loyaltyIds: ['CARD-1', 'CARD-2'] }, { moveCards: true })
  const newest = async (subjectId: string) => {
    const filter = { subjectKind: 'member', subjectId, pageSize: 1 }
    const { records } = (await call('AuditService/ListAuditRecords', filter)) as { records: BasketBody[] }
    return records[0]!['auditId'] as string
  }
  await go(`/system/audit/${await newest('m-taker')}`)
  await page.getByText('Loyalty id CARD-1 moved from member m-holder to member m-taker.').waitFor()
  await page.getByRole('row', { name: 'loyaltyIds ["CARD-2"] ["CARD-1","CARD-2"]' }).waitFor()
  t.same(await wrongs(console), fine, 'a change')

  const forgotten = await fetch(new URL('/loyalty.v1.MemberService/ForgetMember', service.internalUrl), {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: 'Bearer admin-token-of-the-areas-test' },
    body: JSON.stringify({ requestId: randomUUID(), memberId: 'm-holder' }),
  })
  t.equal(forgotten.status, 200)
  await go(`/system/audit/${await newest('forgotten')}`)
  await page.getByText('Programme documents may still name the member. Complete by').waitFor()
  t.same(await wrongs(console), fine, 'a forgetting')
})

t.test('in a narrow window and in the dark everything fits, and axe finds nothing', async (t) => {
  if (console === null) return
  const { page, go, call } = console
  await page.emulateMedia({ colorScheme: 'dark' })
  await page.setViewportSize({ width: 360, height: 780 })
  const { calculations } = (await call('CalculationService/ListCalculations', {})) as { calculations: BasketBody[] }
  const { calculationId } = calculations.at(-1)!
  for (const [path, shown] of [
    ['/calculations?registerId=2', 'Register: 2'],
    [`/calculations/${calculationId}?tool=as-if`, 'Try again as if'],
    ['/members?q=LOY', 'm-anna'],
    [`/members/${encodeURIComponent(guest.memberId)}`, 'What could be redeemed now'],
    [`/members/${encodeURIComponent(guest.memberId)}?do=claim`, 'Receipt number, transaction id'],
    ['/sales?discrepancy=any', 'disagrees'],
    [`/sales/${calculationId}`, 'What was expected'],
  ] as const) {
    await go(path)
    await page.getByText(shown).first().waitFor()
    t.same(await wrongs(console), fine, path)
  }
  t.same(console.complaints, [], 'nothing that its policy refuses')
})
