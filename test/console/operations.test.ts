import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { aBasket, aSale, type BasketBody } from '../e2e/basket.js'
import { aConsole, type SignedIn } from './a-console.js'

t.setTimeout(400_000)

const root = join(import.meta.dirname, '..', '..', '..')
const oslo = { venueId: 'oslo-cafe', baxId: '7100001', cashRegisterId: '2', channel: 'pos' }
const maximum = 6
/** Time until a change counts at the POS, on a busy machine. */
const patienceMs = 60_000

/** Terms that close a benefit to Anna, who is gold, on a Tuesday at half past twelve in Oslo, and the console's words for each. */
const noon = '2026-11-24T12:30:00+01:00'
const closing: readonly (readonly [terms: BasketBody, why: string])[] = [
  [{ enabled: false }, 'not enabled'],
  [{ validFrom: '2100-01-01T00:00:00+01:00' }, 'starts 1 January 2100'],
  [{ validUntil: '2020-01-01T00:00:00+01:00' }, 'ended 1 January 2020'],
  [{ venueIds: ['bergen-bakery'] }, 'only at Northwind Bakeri, Bergen'],
  [{ channels: ['mpos'] }, 'only on mpos'],
  [
    { schedule: [{ days: ['mon', 'tue'], from: '13:00', until: '14:00' }] },
    'only Mon, Tue 13:00–14:00 (it was Tue 12:30)',
  ],
  [{ audience: { memberIds: ['m-bjorn'] } }, 'only for 1 named member'],
  [{ audience: { tiers: ['silver'] } }, 'only silver (the member had gold)'],
  [{ audience: { segments: ['staff'] } }, 'only staff (the member is in none of them)'],
  [{ audience: { visits: { from: 1_000 } } }, 'only from 1,000 visits on (there were 4)'],
  [
    { audience: { birthday: { daysBefore: 1, daysAfter: 2 } } },
    'only from 1 days before to 2 days after the birthday (not known)',
  ],
  [{ audience: { joinedWithinDays: 30 } }, 'only within 30 days of joining (joined: not known)'],
  [
    { audience: { anniversary: { daysBefore: 0, daysAfter: 7 } } },
    'only from 0 days before to 7 days after the anniversary of joining (joined: not known)',
  ],
  [{ audience: { lastVisit: { atLeastDays: 60 } } }, 'only for members not seen for 60 days (last visit: '],
  [
    { audience: { balances: [{ currencyId: 'free-coffee', from: 500, to: 900 }] } },
    'only for members with 500 Free coffee to 900 Free coffee (there were ',
  ],
]

/**
 * The sample programme with a cake that is half price six times a day, a cup on which gold members earn 1.15 times its price, and
 * benefits that each have one term.
 */
function anOffer(): string {
  const programme = JSON.parse(readFileSync(join(root, 'engine', 'programme', 'sample-programme.json'), 'utf8'))
  programme.venues[0].products.push({ productId: 'cake', name: 'Opening cake', unitPrice: 6000 })
  programme.benefits.push({
    benefitId: 'opening',
    text: 'Opening offer',
    venueIds: ['oslo-cafe'],
    reward: { kind: 'line_percentage', select: { productIds: ['cake'] }, percentage: 50 },
    limits: [{ limitId: 'opening-day', scope: 'everyone', period: 'day', counts: 'baskets', maximum }],
  })
  programme.venues[0].products.push({ productId: 'cup', name: 'Cup', unitPrice: 100, noDiscount: true })
  programme.earning.push({
    ...{ ruleId: 'cups', currencyId: 'bonus-kroner', give: 1, per: { amount: 1 }, includeNoDiscount: true },
    select: { productIds: ['cup'] },
    multipliers: [{ audience: { tiers: ['gold'] }, factor: '1.15' }],
  })
  const reward = { kind: 'line_percentage', select: { productIds: ['nothing'] }, percentage: 5 }
  for (const [at, [terms]] of closing.entries())
    programme.benefits.push({ benefitId: `closed-${at}`, text: `Closed ${at}.`, reward, ...terms })
  return JSON.stringify(programme, null, 2)
}

const console = await aConsole(t, { programme: anOffer() })
/** Open holds of POSs. */
const held: BasketBody[] = []

/** A cake at a POS; resolves to whether it was half price. */
async function buy(): Promise<boolean> {
  const basket = aBasket('LOY-ANNA', oslo).with({ currency: 'NOK' }).line({ productId: 'cake', unitPrice: 6000 })
  const answer = await console!.service.send('/v1/pos/basket', basket.text())
  const isGiven = answer.text.includes('"Opening offer"')
  if (isGiven) held.push({ ...basket.body(), net: answer.json.basket.totals.net })
  return isGiven
}

/** Several POSs at once; resolves to how many got the offer. */
async function burst(): Promise<number> {
  const answers = await Promise.all(Array.from({ length: maximum }, buy))
  return answers.filter(Boolean).length
}

/** Buys until the POS gets the offer again; a change reaches every gateway within 2 s. */
async function buyAgain(): Promise<boolean> {
  const untilMs = performance.now() + patienceMs
  for (;;) {
    const isGiven = await buy()
    if (isGiven || performance.now() > untilMs) return isGiven
    await sleep(200)
  }
}

/** Nothing that axe finds, and nothing that its policy refused. */
async function isSound(t: Test, { faults, complaints }: SignedIn, where: string): Promise<void> {
  t.same(await faults(), [], where)
  t.same(complaints, [], where)
}

t.test('a limit runs out under load, and whoever is on call sees it on Today', async (t) => {
  if (console === null) return
  const untilMs = performance.now() + patienceMs
  let given = 0
  // A busy ledger may first leave limited benefits out.
  while (given < maximum && performance.now() < untilMs) given += await burst()
  t.equal(given + (await burst()), maximum, 'never more')
  for (const body of held.splice(0, maximum - 2)) {
    const sale = aSale(body, { paidTotal: body['net'], loyaltyDiscountTotal: 6_000 - body['net'] })
    t.equal((await console.service.send('/v1/pos/sale', JSON.stringify(sale))).status, 200)
  }

  const reader = await console.as('reader')
  const { page } = reader
  // Two of the six are held, so it is not exhausted yet.
  const gone = page.getByRole('link', { name: '1 shared limit is held by open baskets' })
  await gone.waitFor()
  // A busy machine may answer later than the contract.
  await page.getByText(/everything else is well\.|p99 was/).waitFor()
  await page.getByRole('region', { name: 'Limits that run out' }).getByText('6 of 6').waitFor()
  await page.getByRole('link', { name: 'opening-day Opening offer' }).waitFor()
  await page.getByRole('cell', { name: 'Opening offer', exact: true }).waitFor()
  await isSound(t, reader, 'Today')
  await gone.click()
  await page.getByText('1 shared counter: 0 exhausted').waitFor()
  await page.getByRole('cell', { name: 'opening-day' }).click()
  await page.getByText('6 of 6 is taken.').waitFor()
  await page
    .getByRole('article')
    .getByText(/^6 in \d+ minutes?$/)
    .waitFor()
  t.equal(await page.getByRole('region', { name: 'Held by open baskets' }).getByRole('row').count(), 3, 'two hold it')
  t.equal(await page.getByRole('button', { name: 'Release' }).count(), 0, 'a reader changes nothing')
  await page.getByText('the roles marketing and admin').waitFor()
  await isSound(t, reader, 'a limit')
})

t.test(
  'a calculation says what its sale would earn, to the unit, and which term kept each benefit closed',
  async (t) => {
    if (console === null) return
    const reader = await console.as('reader')
    const { page, go } = reader
    const cup = aBasket('LOY-ANNA', oslo)
      .with({ currency: 'NOK', requestedAt: noon })
      .line({ productId: 'cup', unitPrice: 100, noDiscount: true })
    await console.service.send('/v1/pos/basket', cup.text())
    await go(`/calculations/${cup.body()['calculationId']}`)
    const row = (name: string) => page.locator('li').filter({ hasText: name }).first()
    await row('Bonus kroner').waitFor()
    // In doubles 100 x 1.15 is 114.99999999999999.
    t.match(await row('Bonus kroner').innerText(), /earns 1\.15 if it is sold now; factor 1\.15/)
    for (const [at, [, why]] of closing.entries())
      t.match(await row(`Closed ${at}.`).textContent(), `Closed ${at}.${why}`, why)
    await isSound(t, reader, 'why')
  },
)

t.test('support releases what is stuck, and the next POS gets it', async (t) => {
  if (console === null) return
  const support = await console.as('support')
  const { page, go } = support
  await go('/limits')
  await page.getByRole('cell', { name: 'opening-day' }).click()
  await page.getByText('6 of 6 is taken.').waitFor()
  t.equal(await page.getByRole('button', { name: 'Raise the maximum …' }).count(), 0)
  await page.getByRole('button', { name: 'Release' }).first().click()
  await page.getByText(/1 of opening-day \(.*\) becomes free/).waitFor()
  await isSound(t, support, 'releasing')
  await page.getByLabel('Reason, for colleagues').fill('register 2 was restarted')
  await page.getByRole('dialog').getByRole('button', { name: 'Release' }).click()
  await page.getByText('Reservation released by support-').waitFor()
  await page.getByRole('dialog').getByRole('button', { name: 'Close' }).click()
  await page.getByText('5 of 6 is taken.').waitFor()
  t.ok(await buyAgain())
  t.notOk(await buy(), 'and that was the last one')
})

t.test('marketing raises the maximum, and POSs get it again', async (t) => {
  if (console === null) return
  const marketing = await console.as('marketing')
  const { page, go } = marketing
  await go('/limits')
  await page.getByRole('cell', { name: 'opening-day' }).click()
  await page.getByRole('button', { name: 'Raise the maximum …' }).click()
  await page.getByText('6 of 6 is taken now.').waitFor()
  const dialog = page.getByRole('dialog')
  t.ok(await dialog.getByRole('button', { name: 'Publish' }).isDisabled())
  await page.getByLabel('New maximum').fill('5')
  await page.getByText('A maximum above 6.').waitFor()
  await page.getByLabel('New maximum').fill('20')
  await page.getByText('14 more become free at once.').waitFor()
  await page.getByText('It stays so in every later period.', { exact: false }).waitFor()
  await page.getByText('Publishes version 2,').waitFor()
  await dialog.getByText('Opening offer (opening)', { exact: true }).click()
  await dialog.getByRole('cell', { name: 'Limits 1, Maximum' }).waitFor()
  t.equal(await dialog.getByRole('row').count(), 2, 'nothing else changes')
  await isSound(t, marketing, 'raising')
  await dialog.getByRole('button', { name: 'Publish' }).click()
  await page.getByText('The maximum of opening-day is 20 from version 2 on').waitFor()
  await page.getByText('Programme published by marketing-').waitFor()
  await dialog.getByRole('button', { name: 'Close' }).click()
  await page.getByText('6 of 20 is taken.').waitFor()
  await page.getByRole('row', { name: /opening-day.* 6 of 20/ }).waitFor()
  t.ok(await buyAgain())

  await go('/today')
  await page.getByText(/^Everything is well|everything else is well\.$|p99 was/).waitFor()
  await page.getByRole('link', { name: /exhausted|held by open baskets/ }).waitFor({ state: 'detached' })
  await page.getByText('version 2 everywhere').waitFor()
  await isSound(t, marketing, 'Today, all well')
})

t.test('on a phone, in the dark, in Norwegian, all of it fits and can be read', async (t) => {
  if (console === null) return
  const admin = await console.as('admin')
  const { page, go } = admin
  await page.emulateMedia({ colorScheme: 'dark' })
  await page.setViewportSize({ width: 360, height: 780 })
  await page.evaluate("localStorage.setItem('loyalty-language', 'nb')")
  for (const [path, shown] of [
    ['/today', 'Svar til kassene'],
    ['/limits', '1 felles teller'],
    ['/limits/opening-day', 'er tatt'],
    ['/reports', 'Hva medlemmene har nå'],
    ['/system', 'Ingen kurv venter på Postgres.'],
    ['/system/venues', 'Steder'],
    ['/system/audit', 'Revisjon'],
    ['/system/webhooks', 'Webhooker'],
  ] as const) {
    await go(path)
    await page.getByText(shown).first().waitFor()
    await isSound(t, admin, path)
    const beyond = await page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth')
    t.ok(Number(beyond) <= 0, `${path} fits its window`)
  }
})
