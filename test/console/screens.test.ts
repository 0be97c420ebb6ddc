import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { isFull, sized } from '../support/sized.js'
import { axeFaults } from './a-console.js'
import { hostileProgramme, hostileText, sampleProgramme } from './a-shop.js'
import { aShop, aVisitor, beginDraft, roles, type Shop, type Visitor } from './a-visitor.js'
import { layoutFaults, unreached } from './screen-faults.js'
import type { Screen } from './screens.js'

t.setTimeout(1_500_000)

/** A window that every screen is looked at in. */
interface Look {
  readonly viewport: { readonly width: number; readonly height: number }
  readonly colorScheme: 'light' | 'dark'
}

const phone = { width: 360, height: 780 }
const laptop = { width: 1_440, height: 900 }
const wall = { width: 2_560, height: 1_440 }
const looks: readonly Look[] = [phone, laptop, wall].flatMap((viewport) =>
  (['light', 'dark'] as const).map((colorScheme) => ({ viewport, colorScheme })),
)
/** Where screenshots go: `SHOTS=/tmp/shots npm run verify -- console/screens`. Absent: none are made. */
const folder = process.env['SHOTS']

const hostile = await aShop(t, hostileProgramme(), sized(30, 60))
const usual = isFull ? await aShop(t, sampleProgramme(), 120) : null

t.test('every screen of the router is looked at', async (t) => {
  if (hostile === null) return
  const routes = (await hostile.page.evaluate('Object.keys(__TSR_ROUTER__.routesByPath)')) as string[]
  const looked = new Set(hostile.screens.map(({ route }) => route))
  const missing = routes.filter((route) => route !== '/' && !looked.has(route))
  t.same(missing, [], 'each stands in test/console/screens.ts')
  const gone = [...looked].filter((route) => !routes.includes(route))
  t.same(gone, [])
})

t.test('every screen holds with script in every text of the programme', async (t) => {
  if (hostile === null) return
  const hostileLooks = isFull ? [looks[1]!, looks[2]!] : [looks[1]!]
  for (const look of hostileLooks) {
    const visitor = await lookAtAll(t, hostile, look)
    t.equal(await visitor.page.evaluate('window.ran'), undefined)
  }
})

t.test('every screen is as it shall be, light and dark, from a phone to a wall', { skip: !isFull }, async (t) => {
  if (usual === null) return
  for (const look of looks) await lookAtAll(t, usual, look)
})

/** Visits every screen in one window. */
async function lookAtAll(t: Test, shop: Shop, look: Look): Promise<Visitor> {
  const name = `${look.viewport.width}-${look.colorScheme}`
  const visitor = await aVisitor(t, shop, 'admin', look)
  await beginDraft(visitor)
  for (const screen of shop.screens) {
    await visitor.visit(screen.path)
    await keepShot(visitor, screen, shop === hostile ? `${name}-hostile` : name)
    await t.test(`${screen.path} at ${name}`, (t) => lookAt(t, visitor, look))
  }
  return visitor
}

async function lookAt(t: Test, { page, complaints }: Visitor, { colorScheme, viewport }: Look): Promise<void> {
  t.same(await layoutFaults(page), [], 'it fits')
  t.same(await axeFaults(page), [], 'axe finds nothing')
  t.match(await page.title(), /. · Loyalty console$/, 'it names itself')
  t.equal(await page.locator('main h1').count(), 1, 'it has one first heading')
  t.equal(await page.locator('main [role=alert]').count(), 0, 'it shows no error')
  t.equal(await page.locator('img, main script, main iframe').count(), 0, 'script is text')
  const isTabbed = (viewport === phone && colorScheme === 'dark') || (viewport === laptop && colorScheme === 'light')
  if (isTabbed) t.same(await unreached(page), [], 'the keyboard reaches all of it')
  t.same(complaints(), [], 'it complains of nothing')
}

async function keepShot({ page }: Visitor, { path }: Screen, name: string): Promise<void> {
  if (folder === undefined) return
  mkdirSync(folder, { recursive: true })
  const screen = path.slice(1, 41).replace(/[^\w-]+/g, '-')
  writeFileSync(join(folder, `${screen}-${name}.png`), await page.screenshot())
}

t.test('script shows as it was written', async (t) => {
  if (hostile === null) return
  const { page, visit } = await aVisitor(t, hostile, 'admin', looks[2]!)
  const routes = [
    ...['/calculations/$calculationId', '/members/$memberId', '/limits/$openId', '/reports'],
    ...['/programme/benefits/$benefitId', '/system/venues/$venueId', '/system/audit/$auditId', '/today'],
  ]
  for (const { path } of hostile.screens.filter(({ route }) => routes.includes(route))) {
    await visit(path)
    t.match(await page.locator('main').innerText(), hostileText.trim(), path)
  }
})

t.test('every role sees every screen, and may make no call that is not its own', async (t) => {
  if (hostile === null) return
  const all = (await callsOf(hostile.page)).toSorted()
  for (const role of isFull ? roles : ['reader']) {
    const visitor = await aVisitor(t, hostile, role, looks[2]!)
    const own = new Set(await callsOf(visitor.page))
    for (const name of all.filter((call) => !own.has(call))) {
      t.equal(await statusOf(visitor, name), 403, `${role}: ${name}`)
    }
    for (const { path, isDraft } of hostile.screens) {
      await visitor.visit(path)
      if (isDraft !== true) t.same(await alertsOf(visitor), [], `${role}: ${path}`)
      if (isFull) t.same(await axeFaults(visitor.page), [], `axe as ${role} on ${path}`)
    }
    t.same(
      visitor.complaints().filter((text) => !/status of 403/.test(text)),
      [],
      `${role}: complaints`,
    )
  }
  const nobody = await aVisitor(t, hostile, 'reader', looks[2]!)
  await nobody.page.context().clearCookies()
  for (const name of all) t.equal(await statusOf(nobody, name), 401, `nobody: ${name}`)
})

/** Errors that the screen shows; none where it says who may see it. */
async function alertsOf({ page }: Visitor): Promise<readonly string[]> {
  const shown = await page.locator('main [role=alert]').allInnerTexts()
  return shown.filter((text) => !/It takes the role .+; yours is /.test(text))
}

const callsOf = async (page: Visitor['page']) =>
  (await inPage(page, 'AccessService/GetAccess')).answer.calls as string[]
const statusOf = async ({ page }: Visitor, name: string) => (await inPage(page, name)).status

/** A call as a page of the console makes it. */
async function inPage(page: Visitor['page'], name: string) {
  return (await page.evaluate(`fetch('/loyalty.v1.${name}', {
    method: 'POST', headers: { 'Content-Type': 'application/json', 'X-Loyalty-Console': '1' }, body: '{}'
  }).then(async (response) => ({ status: response.status, answer: await response.json() }))`)) as {
    readonly status: number
    // biome-ignore lint/suspicious/noExplicitAny: an answer is looked into freely
    readonly answer: any
  }
}
