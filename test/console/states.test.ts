import { Code, ConnectError } from '@connectrpc/connect'
import { errorToJson } from '@connectrpc/connect/protocol-connect'
import type { Page, Route } from 'playwright-core'
import t from 'tap'
import { ErrorInfoSchema } from '../../gateway/gen/google/rpc/error_details_pb.js'
import { axeFaults } from './a-console.js'
import { sampleProgramme } from './a-shop.js'
import { aShop, aVisitor, beginDraft, type Visitor } from './a-visitor.js'
import { layoutFaults } from './screen-faults.js'
import type { Screen } from './screens.js'

t.setTimeout(900_000)

const shop = await aShop(t, sampleProgramme(), 20)
const look = { viewport: { width: 1_440, height: 900 } }
const screens = shop === null ? [] : shop.screens

const calls = '**/loyalty.v1.*/*'
/** Calls of the frame, which exists before any screen. */
const frame = /AccessService/

/** A screen's result in place of an answer: an error, or none yet. */
type Answer = (route: Route) => Promise<unknown>

const failing: Answer = (route) =>
  route.fulfill({ status: 500, json: errorToJson(new ConnectError('broken by the test', Code.Internal), undefined) })
const refusing: Answer = (route) => {
  const who = { reason: 'PERMISSION_DENIED', domain: 'loyalty.v1', metadata: { roles: 'marketing,admin' } }
  const error = new ConnectError('no', Code.PermissionDenied, undefined, [{ desc: ErrorInfoSchema, value: who }])
  return route.fulfill({ status: 403, json: errorToJson(error, undefined) })
}
const empty: Answer = (route) => route.fulfill({ json: {} })

/** Answers so to every call of a screen, until it ends. */
async function answering(page: Page, answer: Answer): Promise<() => Promise<void>> {
  await page.route(calls, (route) => (frame.test(route.request().url()) ? route.continue() : answer(route)))
  return () => page.unroute(calls)
}

/** Goes there like a person who has the console open. */
async function walk(page: Page, { path }: Screen): Promise<void> {
  await page.evaluate(`__TSR_ROUTER__.history.push('/console${path}')`)
}

/** A page of the console that has loaded nothing of a screen yet, but its code. */
async function atHome({ visit }: Visitor): Promise<void> {
  await visit('/no-such-page')
}

async function aLook(t: Parameters<typeof aVisitor>[0]): Promise<Visitor> {
  const visitor = await aVisitor(t, shop!, 'admin', look)
  await beginDraft(visitor)
  return visitor
}

t.test('while a screen loads, a skeleton shows after 150 ms and not before', async (t) => {
  if (shop === null) return
  const visitor = await aLook(t)
  const { page } = visitor
  for (const screen of screens.filter(({ isDraft, isForm }) => !isDraft && !isForm)) {
    await atHome(visitor)
    let release = () => {}
    const held = new Promise<void>((resolve) => {
      release = resolve
    })
    const end = await answering(page, async (route) => {
      await held
      await route.continue()
    })
    await page.evaluate(watchSkeletons)
    await walk(page, screen)
    await page.locator('main').getByText('Loading', { exact: true }).first().waitFor()
    const afterMs = Number(await page.evaluate('window.skeletonAfterMs'))
    t.ok(afterMs >= 140, `${screen.path}: a skeleton after ${Math.round(afterMs)} ms`)
    t.same(await axeFaults(page), [], `axe on ${screen.path} as it loads`)
    release()
    await page.locator('main').getByText('Loading', { exact: true }).first().waitFor({ state: 'detached' })
    await end()
  }
})

/** Notes how long after now the first skeleton is there. */
const watchSkeletons = `(() => {
  const began = performance.now()
  delete window.skeletonAfterMs
  const observer = new MutationObserver(() => {
    const isThere = [...document.querySelectorAll('main [role=status]')].some((one) => one.textContent === 'Loading')
    if (!isThere) return
    window.skeletonAfterMs = performance.now() - began
    observer.disconnect()
  })
  observer.observe(document.body, { childList: true, subtree: true })
})()`

t.test('a screen that fails says what, with a request id, and is there after another try', async (t) => {
  if (shop === null) return
  const visitor = await aLook(t)
  const { page, complaints } = visitor
  for (const screen of screens) {
    await atHome(visitor)
    const end = await answering(page, failing)
    await walk(page, screen)
    const alerts = page.locator('main [role=alert]')
    if (screen.isDraft || screen.isForm) {
      await page.locator('main h1').waitFor()
      await page.waitForTimeout(500)
    } else await alerts.first().waitFor()
    // A stream that fails has no text of the service.
    for (const alert of await alerts.all())
      t.match(await alert.innerText(), /(broken by the test|HTTP 500)[\s\S]*Request id/)
    t.same(await axeFaults(page), [], `axe on ${screen.path} as it fails`)
    t.same(await layoutFaults(page), [], `${screen.path} fits as it fails`)
    await end()
    for (const again = page.getByRole('button', { name: 'Try again', exact: true }); (await again.count()) > 0; ) {
      await again.first().click()
      await page.waitForTimeout(300)
    }
    await page.locator('main').getByText('Loading', { exact: true }).first().waitFor({ state: 'detached' })
    t.equal(await alerts.count(), 0, `${screen.path} is there after another try`)
    t.same(
      complaints().filter((text) => !/status of 500/.test(text)),
      [],
    )
  }
})

t.test('a screen that a role may not see says who may', async (t) => {
  if (shop === null) return
  const visitor = await aLook(t)
  const { page } = visitor
  // A refused stream is refused in its own form.
  for (const screen of screens.filter(({ isDraft, isForm, isLive }) => !isDraft && !isForm && !isLive)) {
    await atHome(visitor)
    const end = await answering(page, refusing)
    await walk(page, screen)
    await page.getByText('It takes the role marketing, admin; yours is admin.').first().waitFor()
    t.equal(await page.getByRole('button', { name: 'Try again', exact: true }).count(), 0, screen.path)
    t.same(await axeFaults(page), [], `axe on ${screen.path} without permission`)
    await end()
  }
})

t.test('a list without rows says why, and what to do', async (t) => {
  if (shop === null) return
  const visitor = await aLook(t)
  const { page } = visitor
  for (const screen of screens.filter(({ isList }) => isList)) {
    await atHome(visitor)
    const end = await answering(page, empty)
    await walk(page, screen)
    const said = page.locator('main p + div.muted').first()
    await said.waitFor()
    t.ok((await said.innerText()).length > 10, screen.path)
    t.same(await axeFaults(page), [], `axe on ${screen.path} without rows`)
    await end()
  }
})

t.test('a screen that has grown old says how old it is, and a newer console is offered', async (t) => {
  if (shop === null) return
  const { page, visit } = await aVisitor(t, shop, 'admin', look)
  await page.clock.install({ time: Date.now() })
  await visit('/calculations')
  await page.clock.fastForward(6 * 60_000)
  await page.getByText(/This screen is as it was at \d\d:\d\d:\d\d/).waitFor()
  t.same(await axeFaults(page), [], 'axe on an old screen')
  await page.getByRole('button', { name: 'Refresh' }).click()
  await page.getByText('This screen is as it was at').waitFor({ state: 'detached' })

  const end = await answering(page, (route) => route.fulfill({ status: 503, json: { code: 'unavailable' } }))
  await page.clock.fastForward(6 * 60_000)
  await page.getByRole('button', { name: 'Refresh' }).click()
  await page.clock.fastForward(60_000)
  await page.getByText(/could not be asked for anew/).waitFor()
  t.ok(await page.getByText(/^\d+ rows?$/).isVisible(), 'what was shown stays')
  await end()

  await page.route('**/console', (route) =>
    route.request().method() === 'HEAD' ? route.fulfill({ headers: { etag: '"another"' } }) : route.continue(),
  )
  await page.clock.fastForward(6 * 60_000)
  await page.getByText('There is a new version of the console.').waitFor()
  await page.unroute('**/console')
  await page.getByRole('button', { name: 'Load it' }).click()
  await page.getByText(/^\d+ rows?$/).waitFor()
  t.match(page.url(), /\/console\/calculations$/)
})
