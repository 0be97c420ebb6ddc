import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { chromium } from 'playwright-core'
import t from 'tap'
import { aListener } from './a-listener.js'

const places = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome']
const executablePath = process.env['CHROMIUM'] ?? places.find((place) => existsSync(place))
const args = [
  ...['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking'],
  ...['--disable-component-update', '--disable-sync'],
]

t.setTimeout(300_000)

t.test('a browser shows the contract without any other request', async (t) => {
  if (executablePath === undefined) {
    t.comment('no Chromium here (CHROMIUM=/path/to/it): the page is not looked at')
    return
  }
  const server = await aListener(t)
  const profile = mkdtempSync(join(tmpdir(), 'lps-chromium-'))
  const browser = await chromium.launchPersistentContext(profile, { executablePath, args, timeout: 120_000 })
  t.teardown(async () => {
    await browser.close()
    rmSync(profile, { recursive: true, force: true, maxRetries: 10 })
  })
  const page = await browser.newPage()
  const asked: string[] = []
  const complaints: string[] = []
  page.on('request', (request) => asked.push(request.url()))
  page.on('console', (message) => complaints.push(message.text()))
  page.on('pageerror', (error) => complaints.push(error.message))
  const response = await page.goto(`${server.origin}/docs`, { timeout: 120_000 })
  t.equal(response?.status(), 200)
  t.same(asked, [`${server.origin}/docs`], 'one request, and nothing beside it')
  t.same(complaints, [], 'nothing that its policy refuses')
  t.equal(await page.title(), 'Loyalty Partner Service')
  t.ok(await page.getByRole('heading', { name: '/v1/pos/basket' }).isVisible())
  t.ok(await page.getByRole('cell', { name: 'POS-Signature' }).first().isVisible())
  const example = page.locator('details').first()
  t.notOk(await example.locator('pre').first().isVisible())
  await example.locator('summary').click()
  t.ok(await example.locator('pre').first().isVisible(), 'an example opens without a script')
  t.match(await example.locator('pre').nth(1).innerText(), /"status": "applied"/)
  await page.getByRole('link', { name: 'BasketAnswer' }).first().click()
  t.match(page.url(), /#BasketAnswer$/)
  const width = await page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth')
  t.ok(Number(width) <= 0, 'it fits its window')
  if (process.env['SCREENSHOT']) await page.screenshot({ path: process.env['SCREENSHOT'], fullPage: false })
})
