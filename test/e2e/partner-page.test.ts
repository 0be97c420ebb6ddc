import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { partnerKey } from '../../gateway/pos/partner/access.js'
import { aBasket, aSale, berlin } from './basket.js'
import { aBrowser, aPage, faultsOf } from './console-browser.js'
import { lpsFolder } from './run-lps.js'
import { type RunningService, startService, unhurried } from './service.js'

const env = { ...unhurried, LOYALTY_PROGRAM: join(import.meta.dirname, 'programme.json') }
const shots = process.env['SHOTS']

const unknownId = '5b0e2c1a-7d34-4f6e-9a1b-0c2d3e4f5a6b'

t.setTimeout(600_000)

function aFolder(t: Test): string {
  const folder = mkdtempSync(join(tmpdir(), 'lps-partner-'))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** The partner page of a service, signed in by the key of a venue. */
async function signedIn(service: RunningService, key: string) {
  const post = (path: string, form: Record<string, string>, cookie = '') =>
    fetch(service.url + path, {
      method: 'POST',
      redirect: 'manual',
      headers: { origin: service.url, cookie },
      body: new URLSearchParams(form),
    })
  const cookie = (await post('/partner/sign-in', { key })).headers.get('set-cookie')?.split(';')[0] ?? ''
  const read = async (path = '/partner') => await (await fetch(service.url + path, { headers: { cookie } })).text()
  /** The answer to the newest request of an endpoint, with changes. */
  async function trial(endpoint: string, form: Record<string, string>) {
    const rows = (await read()).split('<tr>').filter((row) => row.includes(`<td>${endpoint}</td>`))
    const [, id] = /href="(\/partner\/[^"]+)"/.exec(rows[0] ?? '')!
    const text = await (await post(id!, form, cookie)).text()
    const [, status, answer = ''] = /would be answered (\d+)<\/h3><pre tabindex="0">([\s\S]*?)<\/pre>/.exec(text)!
    return { status: Number(status), json: JSON.parse(answer.replaceAll('&quot;', '"')) }
  }
  return { read, trial }
}

async function keyOf(folder: string, venueId: string, t: Test): Promise<string> {
  const { run, write, folder: own } = lpsFolder(t)
  mkdirSync(join(own, '.data'))
  write('.data/partner-key', readFileSync(join(folder, 'partner-key')))
  const { out } = await run('partner-key', venueId)
  return out.trim()
}

t.test('a POS developer sees and tries the requests of a venue on staging, and nothing is stored', async (t) => {
  const folder = aFolder(t)
  let service = await startService({ env, folder })
  t.teardown(() => service.stop())
  const key = await keyOf(folder, 'venue-1', t)
  const [own, other] = [await signedIn(service, key), await signedIn(service, await keyOf(folder, 'venue-2', t))]

  const basket = aBasket('TEST-20-PERCENT').line({ productId: 'coffee', unitPrice: 1_000 }).body()
  t.equal((await service.send('/v1/pos/basket', JSON.stringify(basket))).json.status, 'applied')
  t.match((await service.send('/v1/pos/basket', JSON.stringify({ ...basket, lines: 1 }))).status, 400)
  const text = JSON.stringify(basket)
  t.match((await own.trial('basket', { body: text })).json, { status: 'applied', basket: { totals: { net: 800 } } })
  const asAnother = await own.trial('basket', { body: text, loyaltyId: 'TEST-NOT-FOUND' })
  t.match(asAnother, { status: 200, json: { status: 'member_not_found' } })
  t.match(await own.trial('basket', { body: text, time: 'never' }), { status: 400, json: { error: { details: {} } } })
  const elsewhere = JSON.stringify({ ...basket, context: { ...berlin, venueId: 'venue-2', baxId: 'bax-3' } })
  t.match((await own.trial('basket', { body: elsewhere })).json, { error: { code: 'venue_not_configured' } })

  const sale = aSale(basket, { paidTotal: 700, loyaltyDiscountTotal: 200 })
  const refused = { ...sale, paidTotal: -1 }
  t.equal((await service.send('/v1/pos/sale', JSON.stringify(refused))).status, 400)
  const event = JSON.stringify(sale)
  const recorded = { status: 200, json: { result: 'recorded' } }
  t.match(await own.trial('sale', { body: event }), recorded)
  t.match((await own.trial('sale', { body: event.replaceAll(basket['calculationId'], unknownId) })).json, {
    result: 'unknown_calculation',
  })
  const first = await service.send('/v1/pos/sale', event)
  t.match(first, { ...recorded, headers: { 'idempotent-replayed': undefined } }, 'the trial had stored nothing')
  t.match(await own.trial('sale', { body: event }), recorded)
  t.match(await own.trial('sale', { body: JSON.stringify({ ...sale, paidTotal: 800 }) }), { status: 409 })

  const back = {
    ...{ returnId: unknownId, calculationId: basket['calculationId'], lines: [{ lineId: 'line-1', quantity: 1 }] },
    ...{ occurredAt: new Date().toISOString(), context: berlin },
  }
  t.equal((await service.send('/v1/pos/return', JSON.stringify({ ...back, lines: [] }))).status, 400)
  const quoted = await own.trial('return', { body: JSON.stringify(back) })
  t.match(quoted, { status: 200, json: { returnId: unknownId, result: 'quoted', refund: 700 } })
  const returned = await service.send('/v1/pos/return', JSON.stringify(back))
  t.match(returned.json, { result: 'recorded', refund: 700 }, 'the trial had stored nothing')
  t.match(await own.trial('return', { body: JSON.stringify(back) }), { status: 400 })

  const page = await own.read()
  t.match(page, /<code>paid_total_mismatch<\/code>/)
  t.equal(page.match(/href="\/partner\//g)?.length, 6)
  const foreign = await other.read()
  t.match(foreign, /Requests of <code>venue-2/)
  t.notMatch(foreign, /href="\/partner\/|paid_total_mismatch/)
  t.match(await (await signedIn(service, service.secret)).read(), /Key of the venue/, 'a signing secret is no key')

  await service.stop()
  service = await startService({ env, folder })
  t.match(await (await signedIn(service, key)).read(), /paid_total_mismatch/, 'the key holds after a restart')
})

t.test('production has no partner page unless it is wanted', async (t) => {
  const long = 'k'.repeat(40)
  const live = { ...env, LOYALTY_ENVIRONMENT: 'production', LOYALTY_SECRETS: long, LOYALTY_TOKENS: `admin:${long}` }
  const service = await startService({ env: live })
  t.teardown(() => service.stop())
  t.equal((await fetch(`${service.url}/partner`)).status, 404)
  const wanted = { ...live, LOYALTY_PARTNER_PAGE: 'on' }
  await t.rejects(startService({ env: wanted }), /LOYALTY_PARTNER_KEY: expected a key/)
  const on = await startService({ env: { ...wanted, LOYALTY_PARTNER_KEY: long } })
  t.teardown(() => on.stop())
  t.match(await (await signedIn(on, partnerKey(long, 'venue-3'))).read(), /Requests of <code>venue-3/)
})

t.test('the page reads well, light and dark, on a phone and a laptop', async (t) => {
  const browser = await aBrowser(t)
  if (browser === null) return
  const folder = aFolder(t)
  const service = await startService({ env, folder })
  t.teardown(() => service.stop())
  const basket = aBasket('TEST-20-PERCENT').line({ productId: 'coffee', unitPrice: 1_000 }).with({ own: '<script>1' })
  const body = basket.body()
  await service.send('/v1/pos/basket', JSON.stringify(body))
  await service.send('/v1/pos/basket', JSON.stringify({ ...body, calculationId: unknownId, currency: 'SEK' }), {})
  await service.send('/v1/pos/basket', JSON.stringify(body), { secret: 'another-secret-of-tests' })
  await service.send('/v1/pos/sale', JSON.stringify(aSale(body, { paidTotal: 700, loyaltyDiscountTotal: 200 })))
  const key = await keyOf(folder, 'venue-1', t)
  for (const [width, height, colorScheme] of [
    [360, 740, 'dark'],
    [1_440, 900, 'light'],
  ] as const) {
    const { page, complaints } = await aPage(browser)
    const look = async (name: string) => {
      const at = `${name}-${width}-${colorScheme}`
      t.same(await faultsOf(page), [], at)
      const over = await page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth')
      t.equal(over, 0, at)
      if (shots === undefined) return
      mkdirSync(shots, { recursive: true })
      await page.screenshot({ path: join(shots, `${at}.png`), fullPage: true })
    }
    await page.emulateMedia({ colorScheme })
    await page.setViewportSize({ width, height })
    await page.goto(`${service.url}/partner`)
    await page.getByLabel('Key of the venue').fill('wrong')
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('alert').waitFor()
    await look('sign-in')
    await page.getByLabel('Key of the venue').fill(key)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('heading', { name: 'Discrepancies' }).waitFor()
    t.equal(await page.locator('tbody tr').count(), 5)
    await look('list')
    await page.locator('tbody a').last().click()
    await page.getByLabel('Another member').fill('TEST-NOT-FOUND')
    await look('request')
    await page.getByRole('button', { name: 'What would be answered?' }).click()
    await page.getByText('"member_not_found"').waitFor()
    t.match(await page.getByLabel('Body').inputValue(), /<script>1/)
    await look('tried')
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByLabel('Key of the venue').waitFor()
    t.same(complaints, [])
    await page.close()
  }
})
