import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type BrowserContext, chromium } from 'playwright-core'
import t, { type Test } from 'tap'
import { createEntryPage } from '../../gateway/listeners/entry-page.js'
import { contractDocuments } from '../../gateway/rest/pages/pages.js'
import { aListener } from './rpc/a-listener.js'

const places = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome']
const executablePath = process.env['CHROMIUM'] ?? places.find((place) => existsSync(place))
const skip = executablePath === undefined && 'no Chromium here (CHROMIUM=/path/to/it): the pages are not looked at'
const args = [
  ...['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking'],
  ...['--disable-component-update', '--disable-sync'],
]
const settings = { bodyBytesMax: 262_144, linesMax: 200, deadlineMs: 450 }

t.setTimeout(300_000)

async function aSite(t: Test): Promise<string> {
  const { openapi, site } = contractDocuments(settings, 'internal')
  const entry = createEntryPage({
    site,
    environment: 'staging',
    links: { docs: { path: '/docs', about: 'Documentation' } },
    venues: null,
  })
  return (await aListener(t, { documents: { site, entry, json: { '/openapi.json': Buffer.from(openapi) } } })).origin
}

/** A page of its own profile, and what it asked for and complained of. */
async function aPage(t: Test, more: Parameters<typeof chromium.launchPersistentContext>[1] = {}) {
  const profile = mkdtempSync(join(tmpdir(), 'lps-chromium-'))
  const options = { executablePath: executablePath!, args, timeout: 120_000, ...more }
  const browser: BrowserContext = await chromium.launchPersistentContext(profile, options)
  t.teardown(async () => {
    await browser.close()
    rmSync(profile, { recursive: true, force: true, maxRetries: 10 })
  })
  const page = await browser.newPage()
  page.setDefaultTimeout(60_000)
  const asked: string[] = []
  const complaints: string[] = []
  page.on('request', (request) => asked.push(request.url()))
  page.on('console', (message) => complaints.push(message.text()))
  page.on('pageerror', (error) => complaints.push(error.message))
  return { page, asked, complaints }
}

t.test('a browser shows the contract and asks nobody else', { skip }, async (t) => {
  const origin = await aSite(t)
  const { page, asked, complaints } = await aPage(t)
  const response = await page.goto(`${origin}/docs/contract`, { timeout: 120_000 })
  t.equal(response?.status(), 200)
  t.equal(await page.title(), 'The contract · Loyalty Partner Service')
  t.ok(await page.getByRole('heading', { name: '/v1/pos/basket' }).isVisible())
  t.ok(await page.getByRole('cell', { name: 'POS-Signature' }).first().isVisible())
  const example = page.locator('details').first()
  t.notOk(await example.locator('pre').first().isVisible())
  await example.locator('summary').click()
  t.match(await example.locator('pre').nth(1).innerText(), /"status": "applied"/)
  await page.locator('main').getByRole('link', { name: 'BasketAnswer' }).first().click()
  t.match(page.url(), /#BasketAnswer$/)
  for (const url of asked) t.ok(url.startsWith(`${origin}/docs/`), url)
  t.same(complaints, [], 'nothing that its policy refuses')
})

t.test('no page is wider than its window, from 360 px on', { skip }, async (t) => {
  const origin = await aSite(t)
  const { page, complaints } = await aPage(t, { viewport: { width: 360, height: 740 } })
  await page.goto(`${origin}/docs`, { timeout: 120_000 })
  const paths = await page.evaluate<string[]>(
    "[...document.querySelectorAll('#contents a')].map((link) => link.getAttribute('href'))",
  )
  t.ok(paths.length > 15)
  for (const path of ['/', '/docs', ...paths]) {
    await page.goto(origin + path)
    const over = await page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth')
    t.equal(over, 0, path)
  }
  t.same(complaints, [])
})

t.test('the switch goes from the colours of the system to light and dark, and is remembered', { skip }, async (t) => {
  const origin = await aSite(t)
  const { page, complaints } = await aPage(t, { colorScheme: 'dark' })
  const paper = () => page.evaluate('getComputedStyle(document.body).backgroundColor')
  await page.goto(`${origin}/docs`, { timeout: 120_000 })
  const dark = await paper()
  const button = page.locator('#theme')
  t.equal(await button.innerText(), 'Auto')
  await button.click()
  const light = await paper()
  t.not(light, dark)
  await page.goto(`${origin}/docs/api`)
  t.equal(await paper(), light, 'remembered')
  await button.click()
  t.equal(await paper(), dark)
  await button.click()
  t.equal(await button.innerText(), 'Auto')
  t.same(complaints, [])
})

t.test('the search finds sections by their words, with the keyboard alone', { skip }, async (t) => {
  const origin = await aSite(t)
  const { page, complaints } = await aPage(t)
  await page.goto(`${origin}/docs`, { timeout: 120_000 })
  await page.keyboard.press('/')
  await page.keyboard.type('failureReason timeout')
  await page.locator('#found a').first().waitFor()
  t.match(await page.locator('#found a').first().innerText(), /sale event/i)
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('ArrowUp')
  await page.keyboard.press('Enter')
  await page.waitForURL(/\/docs\/integration#the-sale-event$/)
  await page.keyboard.press('/')
  await page.keyboard.type('nothing-has-this')
  t.match(await page.locator('#found').innerText(), /Nothing has/)
  await page.keyboard.press('Escape')
  t.notOk(await page.locator('#found').isVisible())
  t.same(complaints, [])
})
