import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type BrowserContext, chromium, type Page } from 'playwright-core'
import type { Test } from 'tap'
import { findBrowser } from '../support/find-browser.js'

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
const args = ['--no-sandbox', '--disable-gpu', '--no-first-run', '--disable-background-networking', '--disable-sync']
const patienceMs = 30_000

/** A Chromium with a profile of its own, until the test ends. null: there is none here. */
export async function aBrowser(t: Test): Promise<BrowserContext | null> {
  const executablePath = await findBrowser()
  if (executablePath === null) {
    t.comment('no Chromium here (CHROMIUM=/path/to/it): the console is not looked at')
    return null
  }
  const profile = mkdtempSync(join(tmpdir(), 'lps-chromium-'))
  const browser = await chromium.launchPersistentContext(profile, { executablePath, args, timeout: 120_000 })
  browser.setDefaultTimeout(patienceMs)
  t.teardown(async () => {
    await browser.close()
    rmSync(profile, { recursive: true, force: true, maxRetries: 10 })
  })
  return browser
}

/** A page that records violations of its policy and its errors. */
export async function aPage(browser: BrowserContext): Promise<{ readonly page: Page; readonly complaints: string[] }> {
  const page = await browser.newPage()
  const complaints: string[] = []
  page.on('pageerror', (error) => complaints.push(error.message))
  page.on('console', (message) => {
    if (/Content Security Policy|Trusted/.test(message.text())) complaints.push(message.text())
  })
  return { page, complaints }
}

/** Findings of axe on the page: rule and element. */
export async function faultsOf(page: Page): Promise<unknown> {
  await page.evaluate(axe)
  return page.evaluate(
    'axe.run().then(({ violations }) => violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)]))',
  )
}
