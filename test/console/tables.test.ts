import type { Page, Request, Route } from 'playwright-core'
import t from 'tap'
import { aSignedIn } from './a-console.js'

t.setTimeout(300_000)

const pageRows = 50
const pages = 40
/** Rows that a page may hold at once, whatever was loaded. */
const rowsInPageMax = 400
const listPath = '**/loyalty.v1.CalculationService/ListCalculations'

const console = await aSignedIn(t)

/** The row of a place in a list that is longer than any test would sell. */
function aRow(at: number): object {
  const id = `00000000-0000-4000-8000-${String(at).padStart(12, '0')}`
  const answeredAt = new Date(Date.UTC(2026, 10, 24) - at * 1_000).toISOString()
  return {
    ...{ calculationId: id, venueId: 'oslo-cafe', currency: 'NOK', memberId: `m-${at}`, answeredAt },
    ...{ status: 'CALCULATION_STATUS_APPLIED', state: 'CALCULATION_STATE_FINALISED' },
    ...{ netBefore: String(10_000 + at), netAfter: String(9_000 + at), loyaltyDiscountTotal: '1000' },
  }
}

/** Answers with this many pages. @returns the number of calls */
async function aLongList(page: Page): Promise<{ readonly asked: () => number }> {
  let asked = 0
  await page.route(listPath, async (route: Route) => {
    asked += 1
    const from = Number(JSON.parse(route.request().postData() ?? '{}').pageToken || 0)
    const calculations = Array.from({ length: pageRows }, (_, at) => aRow(from + at))
    const next = from + pageRows
    await route.fulfill({ json: { calculations, nextPageToken: next < pageRows * pages ? String(next) : '' } })
  })
  return { asked: () => asked }
}

const rowsInPage = (page: Page) => page.locator('tbody tr').count()
/** An expression about `list`, the element that scrolls. */
const ofList = (page: Page, expression: string): Promise<unknown> =>
  page.evaluate(`((list) => ${expression})(document.querySelector('section[aria-label="Calculations"]'))`)
/** Scrolls the list to its end, which asks for one page more. */
const toEnd = (page: Page) => ofList(page, 'list.scrollTo(0, list.scrollHeight)')

t.test('a long list loads as it is scrolled, and holds few rows in the page', async (t) => {
  if (console === null) return
  const { page, go, faults } = console
  await aLongList(page)
  await go('/calculations')
  await page.getByText(/^\d+ rows$/).waitFor()
  for (let loaded = 1; loaded < pages; loaded += 1) {
    const rows = new Intl.NumberFormat('en').format((loaded + 1) * pageRows)
    await toEnd(page)
    await page.getByText(`${rows} rows`).waitFor()
  }
  await toEnd(page)
  await page.getByRole('cell', { name: 'm-1999' }).waitFor()
  t.ok((await rowsInPage(page)) < rowsInPageMax, `${await rowsInPage(page)} rows in the page`)
  t.same(await faults(), [], 'a long list')
  const frames = (await ofList(page, scrolled)) as number[]
  t.comment(
    `frames while 2,000 rows scroll: median ${frames[60]!.toFixed(0)} ms, longest ${frames[119]!.toFixed(0)} ms`,
  )
})

/** Milliseconds from frame to frame while the list is scrolled, ascending. */
const scrolled = `(async () => {
  const taken = []
  for (let at = 0, before = performance.now(); at < 120; at += 1) {
    list.scrollBy(0, -400)
    await new Promise(requestAnimationFrame)
    const now = performance.now()
    taken.push(now - before)
    before = now
  }
  return taken.toSorted((left, right) => left - right)
})()`

t.test('keys go through a list, open a row and come back to it', async (t) => {
  if (console === null) return
  const { page, go } = console
  const { asked } = await aLongList(page)
  await go('/calculations')
  await page.getByText(/^\d+ rows$/).waitFor()
  for (let at = 0; at < 50; at += 1) await page.keyboard.press('j')
  // At the last row that is loaded a key does nothing.
  await page.getByText('100 rows', { exact: true }).waitFor()
  await page.locator('tr[data-active]').getByText('m-49', { exact: true }).waitFor()
  for (let at = 0; at < 10; at += 1) await page.keyboard.press('j')
  await page.keyboard.press('k')
  const active = page.locator('tr[data-active]')
  t.match(await active.innerText(), /m-58/, 'beyond the first page')
  t.same(await whereIs(page), 'in sight')
  t.ok(asked() >= 2)
  await page.keyboard.press('Enter')
  await page.waitForURL(/000000000058$/)
  t.equal(await page.getByRole('link', { name: 'Close' }).count(), 0, 'what is not there has no cross')
  await page.goBack()
  await page.keyboard.press('/')
  await page.keyboard.type('m-7')
  await page
    .getByText('1 row', { exact: true })
    .or(page.getByText(/^\d+ rows$/))
    .waitFor()
  const before = asked()
  await toEnd(page)
  await page.waitForTimeout(300)
  t.equal(asked(), before, 'filtered, only the button loads more')
  await page.keyboard.press('Escape')
  t.equal(await page.evaluate('document.activeElement.tagName'), 'BODY', 'Escape leaves the field')
  await page.getByRole('button', { name: 'Show 50 more' }).focus()
  await page.keyboard.press('Enter')
  await page.waitForFunction(`document.querySelector('[role=status]').textContent !== ''`)
  t.ok(asked() > before, 'and Enter on a button presses the button')
})

const whereIs = (page: Page) =>
  ofList(
    page,
    `{
      const row = list.querySelector('[data-active]')
      const { top, bottom } = row.getBoundingClientRect()
      const found = document.elementFromPoint(400, (top + bottom) / 2)
      return row.contains(found) ? 'in sight' : [top, bottom, found?.outerHTML]
    }`,
  )

t.test('rows are sorted by a click on a head, or by a choice where they are cards', async (t) => {
  if (console === null) return
  const { page, go, faults } = console
  await aLongList(page)
  await go('/calculations')
  const first = page.locator('tbody tr').first()
  const head = page.getByRole('columnheader', { name: 'Member' })
  await head.getByRole('button').click()
  t.match(await first.innerText(), /m-0\b/)
  await head.getByRole('button').click()
  t.equal(await head.getAttribute('aria-sort'), 'descending')
  t.match(await first.innerText(), /m-49\b/)
  const headTop = () => ofList(page, `list.querySelector('th').getBoundingClientRect().top`)
  const top = await headTop()
  await ofList(page, 'list.scrollTo(0, 600)')
  t.equal(await headTop(), top, 'the head stays')

  await page.setViewportSize({ width: 360, height: 780 })
  await page.getByRole('combobox', { name: 'Order of the rows' }).selectOption('To pay ↑')
  t.match(await first.innerText(), /90\.00 NOK/)
  t.equal(await ofList(page, 'list.scrollWidth - list.clientWidth'), 0)
  t.same(await faults(), [], 'cards')
  await page.getByText('Columns').click()
  await page.getByRole('checkbox', { name: 'Venue' }).check()
  t.match(await first.innerText(), /Oslo <img src=x/, 'a column that is left out can be chosen')
  await page.keyboard.press('Escape')
  t.notOk(await page.getByRole('checkbox', { name: 'Venue' }).isVisible(), 'Escape closes the choice')
  await page.getByText('Columns').click()
  await page.getByRole('checkbox', { name: 'Venue' }).uncheck()
  await page.setViewportSize({ width: 1440, height: 900 })
  t.equal(await page.getByRole('columnheader', { name: 'Venue' }).count(), 0)
  t.same(console.complaints, [])
})

t.test('the filters of a list are saved as a view, and open again by its name', async (t) => {
  if (console === null) return
  const { page, go, faults } = console
  await page.unrouteAll()
  await go('/calculations?status=applied')
  await page.getByText('Views', { exact: true }).click()
  await page.getByLabel('Name of these filters').fill('With a benefit')
  await page.getByLabel('For all').check()
  await page.getByRole('button', { name: 'Save' }).click()
  const view = page.getByRole('link', { name: 'With a benefit' })
  await view.waitFor()
  t.same(await faults(), [], 'views')
  await go('/calculations')
  await page.getByText('Views (1)').click()
  await view.click()
  await page.waitForURL(/status=applied/)
  await page.getByText('Views (1)').click()
  await page.getByRole('button', { name: 'Delete the view With a benefit' }).click()
  await page.getByText('No view is saved.').waitFor()
})

t.test('one of 300 venues is found by its name, by keys alone or by a click', async (t) => {
  if (console === null) return
  const { page, go, faults } = console
  const aVenue = (at: number) => ({ venueId: `v-${at}`, name: `Shop ${at}`, timeZone: 'Europe/Oslo', currency: 'NOK' })
  const venues = Array.from({ length: 300 }, (_, at) => aVenue(at))
  await page.route('**/loyalty.v1.VenueService/ListVenues', (route) => route.fulfill({ json: { venues } }))
  await go('/calculations')
  const venue = page.getByRole('combobox', { name: 'Venue', exact: true })
  const options = page.getByRole('listbox', { name: 'Venue' }).getByRole('option')
  await venue.press('ArrowDown')
  t.equal(await options.count(), 301, 'any, and each')
  await page.keyboard.press('Escape')
  t.equal(await options.count(), 0, 'Escape closes the list')
  await page.keyboard.type('shop 999')
  await page.getByText('Nothing fits what was typed.').waitFor()
  t.same(await faults(), [], 'nothing fits')
  await page.keyboard.press('Escape')
  await page.getByText('Nothing fits what was typed.').waitFor({ state: 'detached' })
  await page.keyboard.type('shop 29')
  await options.first().waitFor()
  t.same(await faults(), [], 'an open list')
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Enter')
  await page.waitForURL(/venueId=v-290/)
  t.equal(await venue.inputValue(), 'Shop 290')
  await venue.click()
  await options.getByText('Any venue').click()
  await page.waitForURL(/^[^?]*$/)
  t.same(await faults(), [], 'a closed list')
})

t.test(
  'of fourteen venues the eleven that gave most have a column each, and the others one that adds up',
  async (t) => {
    if (console === null) return
    const { page, go } = console
    const given = Array.from({ length: 14 }, (_, at) => (at + 1) * 100)
    const venues = given.map((_, at) => ({ venueId: `w-${at}`, name: `Shop ${at}`, timeZone: 'UTC', currency: 'NOK' }))
    const whole = { currency: 'NOK', sales: 14, applied: 14, discount: 10_500, paid: 100_000 }
    const each = given.map((discount, at) => ({ ...whole, venueId: `w-${at}`, discount }))
    await page.route('**/loyalty.v1.VenueService/ListVenues', (route) => route.fulfill({ json: { venues } }))
    await page.route('**/loyalty.v1.ReportService/ReportSums*', (route) => {
      const rows = /VENUE|2/.test(JSON.stringify(askedBy(route.request()))) ? each : [whole]
      const benefits = rows.map((row) => ({ ...row, benefitId: 'bakery-10', redemptions: 14 }))
      return route.fulfill({ json: { sales: rows, benefits } })
    })
    await go('/reports')
    const table = page.getByRole('region', { name: 'Benefits by venue, NOK' }).getByRole('table')
    await table.waitFor()
    const cells = async (role: 'columnheader' | 'cell') => table.getByRole(role).allInnerTexts()
    const heads = await cells('columnheader')
    t.equal(heads.length, 14, 'name, eleven venues, the others, all')
    t.match(heads, [/./, 'Shop 13', 'Shop 12'])
    t.same(heads.slice(-3), ['Shop 3', '3 other venues', 'All'])
    t.same((await cells('cell')).slice(12, 14), ['6.00', '105.00'])
  },
)

/** The keys of a request for sums. */
function askedBy(request: Request): unknown {
  const text = request.postData() ?? new URL(request.url()).searchParams.get('message') ?? ''
  return JSON.parse(text).by ?? []
}
