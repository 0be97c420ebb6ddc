import { randomUUID } from 'node:crypto'
import { setTimeout } from 'node:timers/promises'
import type { Page } from 'playwright-core'
import t from 'tap'
import { aBasket } from '../e2e/basket.js'
import { aSignedIn, aWeekday, draftOf, type SignedIn, script, typeDraft } from './a-console.js'

t.setTimeout(300_000)

/** Anna's cinnamon bun of 45.00. */
function anna() {
  return aBasket('LOY-ANNA', { venueId: 'oslo-cafe', baxId: '7100001', cashRegisterId: '2', channel: 'pos' })
    .with({ currency: 'NOK', requestedAt: aWeekday() })
    .line({ productId: 'cinnamon-bun', productGroupId: 'bakery', unitPrice: 4500 })
}

/** The POS's answer for it. */
async function priced({ service }: SignedIn): Promise<string> {
  return (await service.send('/v1/pos/basket', anna().text())).text
}

/** True when the POS gets this answer within the seconds in which gateways take a new programme. */
async function seen(console: SignedIn, wanted: RegExp): Promise<boolean> {
  for (let attempt = 0; attempt < 50; attempt += 1) {
    if (wanted.test(await priced(console))) return true
    await setTimeout(200)
  }
  return false
}

const console = await aSignedIn(t, { env: { LOYALTY_CHANNELS: 'web,kiosk' } })

t.test(
  'marketing builds a happy hour as a sentence, tries it, publishes it, sees it at the POS, and rolls back',
  async (t) => {
    if (console === null) return
    const { page, go, faults, complaints } = console
    await priced(console)
    await go('/programme/draft')
    await page.getByRole('button', { name: 'Begin with version 1' }).click()
    await page.getByText(/^No fault/).waitFor()
    const before = await draftOf(page)
    const parts = page.getByRole('navigation', { name: 'Parts of the programme' })
    await parts.getByRole('button', { name: 'Add' }).click()
    const adding = page.getByRole('dialog', { name: 'Add to Benefits' })
    await adding.getByLabel('Text on the receipt').fill(`Happy hour ${script}`)
    t.ok(await adding.getByRole('button', { name: 'Add' }).isDisabled(), 'no kind is chosen for anyone')
    await adding.getByLabel('Percentage off lines').check()
    t.same(await faults(), [], 'adding')
    await page.keyboard.press('Enter')
    const popover = page.getByRole('dialog', { name: 'Part of the sentence' })
    await popover.getByLabel('Percentage off').fill('3000')
    await parts.getByText('1 fault').waitFor()
    await popover.getByText('not 3000').waitFor()
    await popover.getByLabel('Percentage off').fill('30')
    t.same(await faults(), [], 'a part of the sentence')
    await page.keyboard.press('Escape')
    await open(page, 'everything')
    await page.keyboard.type('bakery')
    await page.keyboard.press('Enter')
    await page.keyboard.press('Escape')
    await open(page, 'at any hour')
    for (const day of ['Sat', 'Sun']) await popover.getByLabel(day).uncheck()
    await popover.getByLabel('From').fill('00:00')
    await page.keyboard.press('Escape')
    await open(page, '+ limit')
    for (const [label, value] of [
      ['Shared by', 'everyone'],
      ['Period', 'ever'],
      ['Counts', 'baskets'],
    ] as const)
      await popover.getByLabel(label, { exact: true }).selectOption(value)
    await popover.getByLabel('Maximum', { exact: true }).fill('500')
    await page.keyboard.press('Escape')
    t.notOk(await page.getByLabel('Enabled').isChecked(), 'nothing is given by accident')
    await page.getByLabel('Enabled').check()
    await page.getByText(/^No fault/).waitFor()
    await page.getByText(/^All members, Mon–Fri, everywhere, get 30 % off bakery/).waitFor()
    t.same(await faults(), [], 'the sentence')
    t.equal(await page.locator('main img, main script').count(), 0, 'script shows as text')

    await page.reload()
    await page.getByText(/at most 500 baskets/).waitFor()
    const written = await draftOf(page)
    const lost = before.slice(0, before.lastIndexOf('"benefits"')).trim()
    t.ok(written.startsWith(lost.slice(0, 2000)), 'what was not edited stays as it was')
    const place = written.lastIndexOf('"percentage": 30')
    const own = JSON.parse(written).benefits.at(-1)
    t.match(own, { text: /^Happy hour/, reward: { percentage: 30, select: { productGroupIds: ['bakery'] } } })
    t.match(own, { limits: [{ limitId: /^happy-hour.*-limit$/ }] }, 'a limit has a name already')
    t.same(JSON.parse(written).benefits.slice(0, -1), JSON.parse(before).benefits)
    await page.getByRole('link', { name: 'JSON' }).click()
    const storing = '**/loyalty.v1.ProgrammeService/StoreDraft'
    await page.route(storing, (route) => route.abort())
    await typeDraft(page, `${written.slice(0, place)}${written.slice(place).replace('30', '40')}`)
    await page.goBack()
    await page.getByText(/get 40 % off bakery/).waitFor()
    await page.getByText('Not stored yet: the service cannot be reached.').waitFor()
    await page.getByRole('link', { name: 'Today' }).click()
    await page.getByRole('dialog', { name: 'The draft is not stored yet' }).waitFor()
    t.same(await faults(), [], 'leaving')
    await page.getByRole('button', { name: 'Stay' }).click()
    await page.unroute(storing)
    await page.getByText(/^Stored by/).waitFor()

    await page.getByRole('link', { name: 'Try a basket' }).click()
    await page.getByRole('combobox', { name: 'Venue', exact: true }).selectOption('oslo-cafe')
    await page.getByLabel('Product', { exact: true }).fill('bakery')
    await page.getByRole('button', { name: /^Croissant/ }).waitFor()
    await page.keyboard.press('Enter')
    await page.getByLabel('Tier').selectOption('gold')
    await page.getByLabel(/^When/).fill(aWeekday().slice(0, 16))
    const drafted = page.getByRole('region', { name: 'With the draft' })
    await drafted.getByText(/^Happy hour <img/).waitFor()
    t.match(await drafted.innerText(), /Happy hour <img src=x[\s\S]*−18\.00/)
    t.notMatch(await page.getByRole('region', { name: 'Today (version 1)' }).innerText(), /Happy hour/)
    await page.getByText('To pay with the draft 27.00 NOK, today (version 1) 40.50 NOK').waitFor()
    await page.getByText(/^earns 5 Points <img.* if it is sold now; factor 2$/).waitFor()
    t.same(await faults(), [], 'a basket that is tried')
    await page.reload()
    await page.getByText('To pay with the draft 27.00 NOK, today (version 1) 40.50 NOK').waitFor()
    t.match(page.url(), /venue=oslo-cafe/, 'a colleague sees the same basket')
    await page.getByLabel(/^Units or weight of Cinnamon bun/).fill('none')
    await page.getByText('not a line so').waitFor()
    await page.getByRole('button', { name: /^Remove Cinnamon bun/ }).click()
    await page.getByText('The basket is empty: add a product.').waitFor()
    await page.getByRole('link', { name: 'Paste a POS body as it is' }).click()
    await page.getByLabel('Body of POST /v1/pos/basket').fill('{"lines": 1}')
    await page.getByText('This is no JSON of a basket.').waitFor()
    await page.getByLabel('Body of POST /v1/pos/basket').fill(anna().text())
    await page.getByRole('button', { name: 'Try', exact: true }).click()
    await page.getByText(/^To pay with the draft 25\.65 NOK, today \(version 1\) 38\.4/).waitFor()
    t.same(await faults(), [], 'a body that is tried')
    await page.getByRole('link', { name: 'Shadow run' }).click()
    await page.getByRole('button', { name: 'Run' }).click()
    await page.getByText(/^1 basket priced again/).waitFor()
    await page.getByRole('button', { name: 'Publish …' }).click()
    await page.getByText('Becomes version 2.').waitFor()
    await page.getByRole('button', { name: 'Publish', exact: true }).click()
    await page.getByText('Version 2 is in force everywhere').waitFor()
    t.ok(await seen(console, /Happy hour/), 'the POS prints it')

    await go('/programme/1')
    await page.getByRole('button', { name: 'Roll back …' }).click()
    await page.getByRole('button', { name: 'Roll back', exact: true }).click()
    await page.getByText('Version 3 is in force everywhere').waitFor()
    t.ok(await seen(console, /^(?!.*Happy hour)/), 'and then no more')
    t.same(complaints, [], 'nothing that its policy refuses')
  },
)

t.test(
  'an entry is copied under names of its own and taken away again; another kind of reward has its own fields',
  async (t) => {
    if (console === null) return
    const { page, go, faults } = console
    await go('/programme/draft?part=benefits&entry=0')
    await page.getByRole('button', { name: 'Begin with version 3' }).click()
    const before = await draftOf(page)
    await page.getByRole('button', { name: 'Duplicate' }).click()
    await page.getByRole('button', { name: 'Benefit id' }).getByText('bakery-2').waitFor()
    t.notOk(await page.getByLabel('Enabled').isChecked(), 'a copy gives nothing twice')
    await open(page, '10 % off')
    const popover = page.getByRole('dialog', { name: 'Part of the sentence' })
    await popover.getByLabel('Kind').selectOption('buy_get')
    const [buy, get] = ['Buy', 'Get'].map((name) => popover.getByRole('group', { name, exact: true }))
    await buy!.getByLabel('Units').fill('2')
    await get!.getByLabel('Units').fill('1')
    await get!.getByLabel('Percentage off').fill('100')
    await page.getByText(/^No fault/).waitFor()
    const { reward } = JSON.parse(await draftOf(page)).benefits[1]
    t.same(reward, { kind: 'buy_get', buy: { quantity: 2 }, get: { quantity: 1, percentage: 100 } })
    await popover.getByRole('button', { name: 'Done' }).click()
    await open(page, 'everywhere')
    await popover.getByRole('combobox', { name: 'Channels' }).focus()
    const offered = popover.getByRole('listbox', { name: 'Channels' }).getByRole('option')
    t.same(
      (await offered.allInnerTexts()).map((text) => text.trim()),
      ['pos', 'mpos', 'web', 'kiosk'],
    )
    await page.keyboard.press('Escape')
    await open(page, '+ limit')
    await page.keyboard.press('Escape')
    t.equal(JSON.parse(await draftOf(page)).benefits[1].limits, undefined, 'a limit without a choice goes again')
    await page.getByRole('button', { name: 'Remove', exact: true }).first().click()
    await page.getByText(/is removed/).waitFor()
    t.same(await faults(), [], 'an entry that is removed')
    t.equal(await draftOf(page), before, 'byte for byte what it was')

    await page.emulateMedia({ colorScheme: 'dark' })
    await page.setViewportSize({ width: 360, height: 780 })
    for (const part of ['benefits', 'venues', 'members', 'currencies', 'earning', 'exchanges', 'tiers']) {
      await go(`/programme/draft?part=${part}`)
      await page.getByText(/^No fault/).waitFor()
      t.same(await faults(), [], part)
      const beyond = await page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth')
      t.ok(Number(beyond) <= 0, `${part} fits its window`)
    }
  },
)

t.test('search finds a benefit by its text, and support grants a voucher or a code', async (t) => {
  if (console === null) return
  const { page, go, faults, call } = console
  await page.setViewportSize({ width: 1440, height: 900 })
  await go('/members/m-anna')
  await page.getByRole('button', { name: 'Grant voucher' }).click()
  await page.getByLabel('Currency').selectOption('free-coffee')
  await page.getByLabel('Amount').fill('2')
  await page.getByText('Given: 2.').waitFor()
  t.same(await faults(), [], 'granting')
  await page.getByLabel('Reason, for colleagues').fill('waited too long')
  await page.getByRole('button', { name: 'Grant', exact: true }).click()
  await page.getByText('Vouchers given by admin-').waitFor()
  await page.getByRole('dialog').getByRole('button', { name: 'Close' }).click()
  const imported = { requestId: randomUUID(), currencyId: 'free-coffee', amount: 3 }
  await call('RewardService/ImportCodes', { ...imported, codes: ['WELCOME-4711'] })
  await page.getByRole('button', { name: 'Grant voucher' }).click()
  await page.getByRole('dialog').getByLabel('What').selectOption('code')
  await page.getByRole('textbox', { name: 'Code' }).fill('WELCOME-4711')
  await page.getByLabel('Reason, for colleagues').fill('read out on the phone')
  await page.getByRole('button', { name: 'Grant', exact: true }).click()
  await page.getByRole('dialog').getByText('+3 Free coffee').waitFor()
  await page.getByRole('dialog').getByRole('button', { name: 'Close' }).click()

  await page.keyboard.press('Control+k')
  await page.getByRole('textbox', { name: 'Search' }).fill('order-25-kr')
  await page.getByRole('link', { name: /, order-25-kr/ }).waitFor()
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: /^order-25-kr <img/ }).waitFor()
  t.equal(await page.locator('main img, main script').count(), 0)
  t.same(await faults(), [], 'a benefit')
  await page.getByRole('button', { name: 'Edit as a draft' }).click()
  await page.getByRole('button', { name: 'Benefit id' }).getByText('order-25-kr').waitFor()

  await go('/calculations')
  await page.getByText('Columns').click()
  t.same(await faults(), [], 'columns')
  await page.getByRole('checkbox').first().uncheck()
  const heads = await page.getByRole('columnheader').count()
  await page.reload()
  await page.getByRole('columnheader').first().waitFor()
  t.equal(await page.getByRole('columnheader').count(), heads, 'the choice of columns stays')
})

/** Opens a part of the sentence by its text. */
function open(page: Page, text: string): Promise<void> {
  return page.locator('main section').getByRole('button', { name: text, exact: true }).first().click()
}
