import type { Page } from 'playwright-core'
import t from 'tap'
import { axeFaults } from './a-console.js'
import { sampleProgramme } from './a-shop.js'
import { aShop, aVisitor } from './a-visitor.js'

t.setTimeout(300_000)

const shop = await aShop(t, sampleProgramme(), 10)
const laptop = { viewport: { width: 1_440, height: 900 } }

/** The focused element: its text, label or name. */
const focused = (page: Page) =>
  page.evaluate(`(({ innerText, ariaLabel, tagName }) => innerText || ariaLabel || tagName)(document.activeElement)`)

t.test('keys are listed, the search opens everywhere, and both give the focus back', async (t) => {
  if (shop === null) return
  const { page, visit } = await aVisitor(t, shop, 'admin', laptop)
  await visit('/calculations')
  await page.getByRole('link', { name: 'Reports' }).focus()
  await page.keyboard.press('?')
  const keys = page.getByRole('dialog', { name: 'Keys' })
  await keys.waitFor()
  for (const key of ['Ctrl K', '/', 'j', 'k', 'Enter', 'Esc', '?']) {
    t.equal(await keys.locator('kbd').getByText(key, { exact: true }).count(), 1, key)
  }
  t.same(await axeFaults(page), [])
  await page.keyboard.press('Escape')
  await keys.waitFor({ state: 'detached' })
  t.equal(await focused(page), 'Reports')

  await page.keyboard.press('?')
  await keys.getByRole('button', { name: 'Close' }).click()
  t.equal(await focused(page), 'Reports', 'also by its button')

  await page.getByLabel('Filter these rows').focus()
  await page.keyboard.press('Control+k')
  await page.getByRole('dialog', { name: 'Search' }).waitFor()
  await page.keyboard.type('repor')
  await page.getByRole('dialog').getByRole('link', { name: 'Reports' }).waitFor()
  await page.keyboard.press('Escape')
  t.equal(await focused(page), 'Filter these rows')
  await page.keyboard.press('?')
  t.equal(await page.getByRole('dialog').count(), 0, 'in a field it is a letter')

  await page.keyboard.press('Control+k')
  await page.keyboard.type('repor')
  await page.getByRole('dialog').getByRole('link', { name: 'Reports' }).waitFor()
  await page.keyboard.press('Enter')
  await page.waitForURL(/\/reports$/)
  await page.getByRole('heading', { name: 'Reports' }).waitFor()
  t.equal(await focused(page), 'Reports', 'the screen that it leads to has the focus')
})

t.test('who goes to another screen is at its heading, and back at the row that was open', async (t) => {
  if (shop === null) return
  const { page, visit } = await aVisitor(t, shop, 'admin', laptop)
  await visit('/today')
  await page.keyboard.press('Tab')
  t.equal(await focused(page), 'Skip to the content')
  await page.keyboard.press('Enter')
  t.equal(await page.evaluate('document.activeElement.tagName'), 'MAIN')

  await page.getByRole('link', { name: 'Calculations', exact: true }).focus()
  await page.keyboard.press('Enter')
  await page.getByText(/^\d+ rows$/).waitFor()
  t.equal(await focused(page), 'Calculations')
  t.equal(await page.title(), 'Calculations · Loyalty console')
  await page.keyboard.press('j')
  await page.keyboard.press('j')
  await page.keyboard.press('Enter')
  const heading = page.getByRole('heading', { name: /^Calculation [0-9a-f]/ })
  await heading.waitFor()
  t.match(await focused(page), /^Calculation/)
  t.match(await page.title(), /^Calculation .+ · Loyalty console$/)
  const opened = await page.locator('tr[data-open] a').getAttribute('href')
  await page.keyboard.press('Escape')
  await heading.waitFor({ state: 'detached' })
  const back = await page.evaluate(`document.activeElement.getAttribute('href')`)
  t.equal(String(back).split('?')[0], opened?.split('?')[0])
})

t.test('the focus is always seen', async (t) => {
  if (shop === null) return
  const { page, visit } = await aVisitor(t, shop, 'admin', laptop)
  await visit('/members/m-anna')
  for (let at = 0; at < 30; at += 1) {
    await page.keyboard.press('Tab')
    const seen = await page.evaluate(`(() => {
      const { outlineStyle, outlineWidth } = getComputedStyle(document.activeElement)
      return outlineStyle !== 'none' && parseFloat(outlineWidth) >= 1
    })()`)
    t.ok(
      seen || (await page.evaluate('document.activeElement === document.body')),
      `stop ${at}: ${await focused(page)}`,
    )
  }
})

t.test('every dialog of a member has its name, holds the focus and gives it back', async (t) => {
  if (shop === null) return
  const { page, visit } = await aVisitor(t, shop, 'admin', laptop)
  await visit('/members/m-anna')
  const buttons = await page.locator('main header').getByRole('button').allInnerTexts()
  // It saves a file, without a dialog.
  const names = buttons.filter((name) => name !== 'Export')
  t.ok(names.length >= 5)
  for (const name of names) {
    const button = page.locator('main header').getByRole('button', { name, exact: true })
    await button.focus()
    await page.keyboard.press('Enter')
    const dialog = page.getByRole('dialog')
    await dialog.waitFor()
    t.not(await dialog.getAttribute('aria-labelledby'), null, `${name} has a name`)
    t.same(await axeFaults(page), [], name)
    for (let at = 0; at < 12; at += 1) await page.keyboard.press('Tab')
    t.ok(
      await page.evaluate(
        `document.activeElement === document.body || document.activeElement.closest('dialog') !== null`,
      ),
    )
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
    t.equal(await focused(page), name, 'the focus is where it was')
  }
  await page.locator('main header summary').focus()
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: 'Merge' }).focus()
  await page.keyboard.press('Enter')
  await page.getByRole('dialog').waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  t.equal(await focused(page), 'More', 'the menu has the focus again')
})

t.test('a day is chosen from the calendar by keyboard', async (t) => {
  if (shop === null) return
  const { page, visit } = await aVisitor(t, shop, 'admin', laptop)
  await visit('/reports?from=2026-01-30&until=2026-01-31')
  const first = page.getByRole('textbox', { name: 'First day' })
  t.equal(await first.inputValue(), 'Fri, 30 Jan 2026')
  await first.focus()
  for (const key of ['Tab', 'Enter']) await page.keyboard.press(key)
  const calendar = page.getByRole('dialog', { name: 'Choose from a calendar' })
  await calendar.getByText('January 2026').waitFor()
  t.same(await axeFaults(page), [])
  for (const key of ['PageDown', 'ArrowRight', 'ArrowDown']) await page.keyboard.press(key)
  await calendar.getByText('March 2026').waitFor()
  await page.keyboard.press('Enter')
  t.equal(await first.inputValue(), 'Sun, 8 Mar 2026')
  await first.fill('nonsense')
  await page.keyboard.press('Tab')
  t.equal(await first.getAttribute('aria-invalid'), 'true', 'what is no day is said to be none')
  for (const key of ['Enter', 'Escape']) await page.keyboard.press(key)
  await calendar.waitFor({ state: 'hidden' })
  t.match(await focused(page), /^$|Choose from a calendar/, 'Escape closes it alone')
  t.match(page.url(), /reports/)
})

t.test(
  'on a phone areas and settings are behind a menu, by keyboard too; nothing moves for who wants none',
  async (t) => {
    if (shop === null) return
    const phone = { viewport: { width: 360, height: 780 }, reducedMotion: 'reduce' }
    const { page, visit } = await aVisitor(t, shop, 'admin', phone)
    await visit('/sales')
    t.equal(await page.getByRole('link', { name: 'System' }).count(), 0)
    await page.getByRole('button', { name: 'Menu' }).focus()
    await page.keyboard.press('Enter')
    await page.getByRole('link', { name: 'System' }).waitFor()
    t.same(await axeFaults(page), [], 'the menu')
    await page.keyboard.press('Tab')
    t.equal(await focused(page), 'Today')
    await page.keyboard.press('Escape')
    t.equal(await page.getByRole('link', { name: 'System' }).count(), 0)
    t.equal(await focused(page), 'Menu')
    await page.keyboard.press('Enter')
    await page.getByRole('link', { name: 'System' }).click()
    await page.getByRole('heading', { name: 'System', level: 1 }).waitFor()
    t.equal(await page.getByRole('navigation', { name: 'Areas' }).count(), 0, 'it closes behind one')

    const moving = await page.evaluate(`document.getAnimations().length`)
    t.equal(moving, 0)
  },
)
