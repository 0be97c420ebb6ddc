import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Test } from 'tap'
import { axeFaults } from './a-console.js'
import { aVisitor, beginDraft, type Shop, type Visitor } from './a-visitor.js'
import { layoutFaults, unreached } from './screen-faults.js'
import type { Screen } from './screens.js'

/** A window that a screen is looked at in. */
export interface Look {
  readonly viewport: { readonly width: number; readonly height: number }
  readonly colorScheme: 'light' | 'dark'
}

export const phone = { width: 360, height: 780 }
export const laptop = { width: 1_440, height: 900 }
export const wall = { width: 2_560, height: 1_440 }
/** Folder of screenshots: `SHOTS=/tmp/shots npm run verify -- console/looks`. Absent: none are made. */
const folder = process.env['SHOTS']

/** Visits every screen in one window. @param suffix  of the names of its pictures */
export async function lookAtAll(t: Test, shop: Shop, look: Look, suffix = ''): Promise<Visitor> {
  const name = `${look.viewport.width}-${look.colorScheme}`
  const visitor = await aVisitor(t, shop, 'admin', look)
  await beginDraft(visitor)
  for (const screen of shop.screens) {
    await visitor.visit(screen.path)
    await keepShot(visitor, screen, `${name}${suffix}`)
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
