import type { Page } from 'playwright-core'
import t, { type Test } from 'tap'
import { createEntryPage } from '../../gateway/listeners/entry-page.js'
import { openDocs } from '../../gateway/listeners/static-files.js'
import { sharedDocuments } from '../../gateway/pos/pages/pages.js'
import { aBrowser, aPage, faultsOf } from '../e2e/console-browser.js'
import { aListener } from './internal/a-listener.js'

const settings = { bodyBytesMax: 262_144, linesMax: 200, deadlineMs: 450, posReturns: true }
const phone = { width: 360, height: 740 }
const laptop = { width: 1_440, height: 900 }

t.setTimeout(600_000)

/** The internal site, and a browser page that records its requests. null: there is no browser here. */
async function aReader(t: Test) {
  const browser = await aBrowser(t)
  if (browser === null) return null
  const links = { docs: { path: '/docs', about: 'Documentation' } }
  const entry = createEntryPage({ environment: 'staging', links, venues: null })
  const documents = { docs: openDocs('internal'), entry, json: sharedDocuments(settings) }
  const { origin } = await aListener(t, { documents })
  const { page, complaints } = await aPage(browser)
  const asked: string[] = []
  page.on('request', (request) => asked.push(request.url()))
  return { origin, page, complaints, asked }
}

async function pathsOf(page: Page, origin: string): Promise<string[]> {
  await page.goto(`${origin}/docs`)
  const links = page.locator('.VPSidebar a')
  return await links.evaluateAll((all) => all.map((link) => (link as unknown as { pathname: string }).pathname))
}

for (const [viewport, colorScheme] of [
  [phone, 'dark'],
  [laptop, 'light'],
] as const) {
  t.test(`every page fits ${viewport.width} pixels, and axe finds nothing in ${colorScheme}`, async (t) => {
    const reader = await aReader(t)
    if (reader === null) return
    const { origin, page, complaints, asked } = reader
    await page.emulateMedia({ colorScheme })
    await page.setViewportSize(viewport)
    const paths = await pathsOf(page, origin)
    t.ok(paths.length > 20, `${paths.length} pages`)
    for (const path of ['/', '/docs', ...paths]) {
      await page.goto(origin + path, { waitUntil: 'networkidle' })
      const over = await page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth')
      t.equal(over, 0, path)
      t.same(await faultsOf(page), [], path)
    }
    t.same(
      asked.filter((url) => !url.startsWith(`${origin}/`)),
      [],
      'no other host',
    )
    t.same(complaints, [], 'nothing that its policy refuses')
  })
}

t.test('a browser shows the contract with its examples and schemas', async (t) => {
  const reader = await aReader(t)
  if (reader === null) return
  const { origin, page, complaints } = reader
  await page.goto(`${origin}/docs`)
  await page.locator('.VPSidebar').getByRole('link', { name: 'The contract' }).click()
  await page.waitForURL(/\/docs\/contract$/)
  t.equal(await page.title(), 'The contract · Loyalty Partner Service')
  const example = page.locator('main details').first()
  t.notOk(await example.locator('pre').first().isVisible())
  await example.locator('summary').click()
  t.match(await example.locator('pre').nth(1).innerText(), /"status": "applied"/)
  await page.locator('main').getByRole('link', { name: 'BasketAnswer', exact: true }).first().click()
  await page.waitForURL(/#basketanswer$/)
  t.same(complaints, [])
})

t.test('tabs show the first basket, its sale and a return in each language', async (t) => {
  const reader = await aReader(t)
  if (reader === null) return
  const { origin, page, complaints } = reader
  await page.goto(`${origin}/docs/languages`, { waitUntil: 'networkidle' })
  const tabs = page.locator('main .tabs label')
  const languages = ['curl', 'TypeScript', 'Python', 'Java', 'C#', 'PHP', 'Go']
  t.same(await tabs.allInnerTexts(), [...languages, ...languages])
  const shown = () => page.locator('main pre:visible').allInnerTexts()
  t.match(await shown(), [/openssl dgst[\s\S]*post \/v1\/pos\/basket/, /post \/v1\/pos\/return/])
  for (const go of await tabs.getByText('Go').all()) await go.click()
  t.match(await shown(), [/client\.Calculate\(/, /client\.RecordReturn\(/])
  t.same(complaints, [])
})

t.test('the switch chooses light or dark, and the choice is remembered', async (t) => {
  const reader = await aReader(t)
  if (reader === null) return
  const { origin, page, complaints } = reader
  const paper = () => page.evaluate('getComputedStyle(document.body).backgroundColor')
  await page.emulateMedia({ colorScheme: 'dark' })
  await page.setViewportSize(laptop)
  await page.goto(`${origin}/docs`, { waitUntil: 'networkidle' })
  const dark = await paper()
  await page.locator('.VPNavBarAppearance').getByRole('switch').click()
  await page.goto(`${origin}/docs/api`)
  t.not(await paper(), dark)
  t.same(complaints, [])
})

t.test('the search finds sections by their words, with the keyboard alone', async (t) => {
  const reader = await aReader(t)
  if (reader === null) return
  const { origin, page, complaints } = reader
  await page.goto(`${origin}/docs`, { waitUntil: 'networkidle' })
  for (const [words, url] of [
    ['sale event failureReason', /\/docs\/integration#the-sale-event$/],
    ['BasketMemberNotFound', /\/docs\/contract#basketmembernotfound$/],
  ] as const) {
    await page.keyboard.press('/')
    await page.locator('#localsearch-input').fill(words)
    await page.locator('#localsearch-list a').first().waitFor()
    await page.keyboard.press('Enter')
    await page.waitForURL(url)
  }
  t.same(complaints, [])
})
