import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core'
import { findBrowser } from '../../test/support/find-browser.js'
import { plainMix } from '../load/draw-baskets.js'
import { createSpread } from '../load/tally.js'
import type { Bench } from '../run/bench.js'
import type { Result } from '../run/result.js'
import type { StartedServer } from '../run/start-server.js'
import { type BenchCase, figure, loadOf, target } from './bench-case.js'

const args = ['--no-sandbox', '--disable-gpu', '--no-first-run', '--disable-background-networking', '--disable-sync']
/** From an empty cache until the first screen shows what it asks for. */
const firstMsMax = 1_000
/** Of a later screen, beside the time for which it waits for the service. */
const ownMsMax = 100
const colds = 15
const rounds = 10
const areas = ['Calculations', 'Members', 'Sales', 'Limits', 'Programme', 'Reports', 'System', 'Today']
const bytesMax = 250 * 1024

/** How long the console takes to show its screens to somebody on the same computer. */
export const consoleScreensCase: BenchCase = { name: 'console/screens', run: screensCase }

async function* screensCase(bench: Bench): AsyncGenerator<Result> {
  const executablePath = await findBrowser()
  if (executablePath === null) throw new Error('no Chromium here: CHROMIUM=/path/to/it')
  const server = await bench.start({ stores: 'embedded', catalogue: { kind: 'sample' } })
  await sell(bench, server)
  const browser = await chromium.launch({ executablePath, args, timeout: 120_000 })
  try {
    yield await first(browser, server)
    yield await later(browser, server)
  } finally {
    await browser.close()
    await bench.release(server)
  }
}

/** So that lists have rows. */
async function sell(bench: Bench, server: StartedServer): Promise<void> {
  const stages = [{ rate: 20, seconds: 6, counted: true }]
  const catalogue = { kind: 'sample' } as const
  await bench.load(
    server,
    loadOf(bench, { name: 'console/screens', catalogue, mix: { ...plainMix, lines: [8] }, stages }),
  )
}

/** Somebody who is signed in, with an empty cache. */
async function visitor(browser: Browser, { internal, token }: StartedServer): Promise<BrowserContext> {
  const url = `http://${internal}`
  const headers = { origin: url, 'x-loyalty-console': '1' }
  const response = await fetch(`${url}/console/session`, { method: 'POST', headers, body: JSON.stringify({ token }) })
  const [name, value] = response.headers.get('set-cookie')!.split(';')[0]!.split('=') as [string, string]
  const context = await browser.newContext({ viewport: { width: 1_440, height: 900 } })
  await context.addCookies([{ name, value, url }])
  await context.addInitScript(watch)
  return context
}

async function first(browser: Browser, server: StartedServer): Promise<Result> {
  const taken = createSpread()
  const bytes: number[] = []
  for (let at = 0; at < colds; at++) {
    const context = await visitor(browser, server)
    const page = await context.newPage()
    await page.goto(`http://${server.internal}/console/today`)
    const shown = Number(await shownAt(page))
    taken.add(shown)
    bytes.push(Number(await page.evaluate(scriptBytes(shown))))
    await context.close()
  }
  const spread = taken.spread()
  const largest = Math.max(...bytes)
  return {
    name: 'console/screens/first',
    unit: 'ms',
    spread: { ...spread, p999: null },
    figures: [figure('compressed script', largest / 1024, 'KB')],
    targets: [
      target(`half within ${firstMsMax / 1000} s`, spread.p50 <= firstMsMax),
      target(`at most ${bytesMax / 1024} KB of script`, largest <= bytesMax),
    ],
    note: `Today from an empty cache, signed in, until its figures are there, ${colds} times`,
  }
}

async function later(browser: Browser, server: StartedServer): Promise<Result> {
  const own = createSpread()
  const whole = createSpread()
  const context = await visitor(browser, server)
  const page = await context.newPage()
  await page.goto(`http://${server.internal}/console/today`)
  await shownAt(page)
  // The code of all screens is loaded behind the first one.
  await page.waitForTimeout(3_000)
  for (let at = 0; at < rounds * areas.length; at++) {
    const name = areas[at % areas.length]!
    const beganAt = Number(await page.evaluate(press(name)))
    const endedAt = Number(await shownAt(page))
    const waitedMs = Number(await page.evaluate(waited(beganAt, endedAt)))
    whole.add(endedAt - beganAt)
    own.add(endedAt - beganAt - waitedMs)
  }
  await context.close()
  const spread = own.spread()
  const all = whole.spread()
  return {
    name: 'console/screens/later',
    unit: 'ms',
    spread: { ...spread, p999: null },
    figures: [figure('with the service p50', all.p50, 'ms'), figure('with the service p95', all.p95, 'ms')],
    targets: [target(`half within ${ownMsMax} ms`, spread.p50 <= ownMsMax)],
    note: `each area by its link, ${rounds} times: from the click until nothing of it changes any more, without the time for which a call was under way`,
  }
}

/** Keeps the moment of the last change of the page, in the page. */
const watch = `
  window.changedAt = 0
  new MutationObserver(() => { window.changedAt = performance.now() })
    .observe(document, { childList: true, subtree: true, characterData: true })
`
const quietMs = 400

/** The moment since which the screen is as it stays, by the clock of the page, in milliseconds. */
async function shownAt(page: Page): Promise<unknown> {
  return page.evaluate(`(async () => {
    for (;;) {
      await new Promise((resolve) => setTimeout(resolve, 50))
      const isThere = document.querySelector('main h1') !== null
      const isLoading = [...document.querySelectorAll('main [role=status]')].some((one) => one.textContent === 'Loading')
      if (isThere && !isLoading && performance.now() - window.changedAt > ${quietMs}) return window.changedAt
    }
  })()`)
}

/** Presses the link of an area; its result is when. */
const press = (name: string) => `(() => {
  const link = [...document.querySelectorAll('nav a')].find((one) => one.textContent === '${name}')
  const at = performance.now()
  link.click()
  return at
})()`

/** For how long between two moments at least one call of a service was under way. */
const waited = (from: number, until: number) => `(() => {
  let [sum, end] = [0, ${from}]
  for (const { startTime, responseEnd } of performance.getEntriesByType('resource').filter(({ name }) => name.includes('/loyalty.v1.'))) {
    if (responseEnd <= end || startTime >= ${until}) continue
    sum += Math.min(responseEnd, ${until}) - Math.max(startTime, end)
    end = Math.min(responseEnd, ${until})
  }
  return sum
})()`

/** Compressed bytes of the scripts that the page had loaded at a moment. */
const scriptBytes = (until: number) => `performance.getEntriesByType('resource')
  .filter(({ name, responseEnd }) => /\\.js$/.test(name) && responseEnd <= ${until})
  .reduce((sum, { encodedBodySize }) => sum + encodedBodySize, 0)`
