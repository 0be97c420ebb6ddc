import t from 'tap'
import type * as Edit from '../../console/src/areas/benefits/edit-programme.js'
import type * as Templates from '../../console/src/areas/benefits/templates.js'
import type * as Range from '../../console/src/areas/reports/range.js'
import { readProgramme } from '../../engine/programme/read-programme.js'
import { aBasket, aSale } from '../e2e/basket.js'
import { until } from '../support/until.js'
import { aConsole } from './a-console.js'
import { sampleProgramme } from './a-shop.js'
import { load } from './load.js'

t.setTimeout(300_000)

const { templates } = await load<typeof Templates>('areas/benefits/templates.ts')
const { copyOf, withFragment } = await load<typeof Edit>('areas/benefits/edit-programme.ts')
const { presetsAt, rangeBefore, rangeOf } = await load<typeof Range>('areas/reports/range.ts')
const sample = JSON.stringify(sampleProgramme(), null, 2)

t.test('a template decides nothing: each of its benefits is off, and has a fault until filled in', (t) => {
  const lists = ['benefits', 'currencies', 'earning'] as const
  const before = JSON.parse(sample)
  for (const { name, fragment } of templates) {
    const twice = withFragment(withFragment(sample, fragment('Text')), fragment('Text'))
    const read = readProgramme(twice)
    const paths = read.kind === 'faulty' ? read.faults.map(({ path }) => path) : []
    const added = JSON.parse(twice).benefits.slice(before.benefits.length)
    t.ok(added.length > 0 && added.every(({ enabled }: { enabled: boolean }) => !enabled), `${name} is off`)
    for (const at of added.keys()) {
      const own = `benefits[${before.benefits.length + at}].`
      t.ok(
        paths.some((path) => path.startsWith(own)),
        `${name}: ${paths}`,
      )
    }
    const isOld = (path: string) =>
      lists.some((list) => Number(new RegExp(`^${list}\\[(\\d+)\\]`).exec(path)?.[1] ?? Infinity) < before[list].length)
    t.same(paths.filter(isOld), [], `${name} leaves the others as they are`)
    const ids = paths.filter((path) => /(benefit|currency|rule|limit)Id$/.test(path))
    t.same(ids, [], `${name} has ids of its own`)
  }
  t.end()
})

t.test('a copy is off, has ids of its own, and names the same currency', (t) => {
  const copied = withFragment(sample, copyOf(sample, 'tenth-coffee'))
  t.equal(readProgramme(copied).kind, 'read')
  const copy = JSON.parse(copied).benefits.at(-1)
  t.match(copy, { benefitId: 'tenth-coffee-2', enabled: false, costs: { currencyId: 'stamps' } })
  t.ok(copied.startsWith(sample.slice(0, sample.indexOf('"points-as-money"'))), 'the rest of the text stays')
  t.end()
})

t.test('presets are whole weeks and months, and any days are compared with as many others', (t) => {
  t.same(presetsAt('2026-03-01'), [
    { name: 'yesterday', from: '2026-02-28', until: '2026-02-28' },
    { name: 'lastWeek', from: '2026-02-16', until: '2026-02-22' },
    { name: 'lastMonth', from: '2026-02-01', until: '2026-02-28' },
  ])
  t.match(presetsAt('2026-03-02')[1], { from: '2026-02-23', until: '2026-03-01' }, 'on a Monday')
  const range = rangeOf({}, '2026-03-10', 7)
  t.match(range, { from: '2026-03-04', until: '2026-03-10' })
  t.match(rangeBefore(range), { from: '2026-02-25', until: '2026-03-03' })
  t.match(rangeBefore({ ...range, against: '2025-03-05' }), { from: '2025-03-05', until: '2025-03-11' })
  t.end()
})

t.test('marketing sees its benefits, pauses one, ends another, and begins a new one from a template', async (t) => {
  const console = await aConsole(t, { programme: sample })
  if (console === null) return
  const oslo = { venueId: 'oslo-cafe', baxId: '7100001', cashRegisterId: '2', channel: 'pos' }
  const bun = aBasket('LOY-ANNA', oslo)
    .with({ currency: 'NOK' })
    .line({
      ...{ productId: 'cinnamon-bun', productGroupId: 'bakery', unitPrice: 4500 },
    })
  const { page, go, faults, call, complaints } = await console.as('marketing')
  const answer = await console.service.send('/v1/pos/basket', bun.text())
  const given = 4500 - answer.json.basket.totals.net
  const sale = aSale(bun.body(), { paidTotal: 4500 - given, loyaltyDiscountTotal: given })
  t.equal((await console.service.send('/v1/pos/sale', JSON.stringify(sale))).status, 200)

  await go('/benefits')
  await page.getByText(/^23 benefits run\. In 28 days 6\.\d\d NOK given/).waitFor()
  const row = page.getByRole('row', { name: /^Member 10 % on the bakery running/ })
  t.match(await row.innerText(), /1\s+4\.50 NOK\s+4\.50 NOK/)
  await page.getByRole('row', { name: /^Opening week 30 % on everything ended/ }).waitFor()
  t.same(await faults(), [], 'the list')
  await page.keyboard.press('j')
  await page.keyboard.press('Enter')
  await page.getByText('Redeemed once in 1 basket with a sale: 4.50 NOK given, 4.50 NOK per sale').waitFor()
  await page.getByText(/^running all members get 10 % off bakery and bread/).waitFor()
  await page.getByRole('region', { name: 'Its last changes' }).getByText('added').waitFor()
  t.same(await faults(), [], 'a benefit')

  await page.getByRole('button', { name: 'Pause …' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByText(/^Turns off|^Switches off/).waitFor()
  t.same(await faults(), [], 'a pause')
  await dialog.getByRole('button', { name: 'Publish', exact: true }).click()
  await dialog.getByText('Version 2 is in force everywhere').waitFor()
  await dialog.getByRole('button', { name: 'Close' }).click()
  await page.getByText(/^paused /).waitFor()
  await page.getByRole('region', { name: 'Its last changes' }).getByText('changed').waitFor()

  await go('/benefits/newsletter-5?do=end')
  await dialog.getByLabel('Ends at').fill('2030-01-01T00:00')
  await dialog.getByRole('button', { name: 'Next' }).click()
  await dialog.getByText(/through 31 December 2029/).waitFor()
  await dialog.getByRole('button', { name: 'Publish', exact: true }).click()
  await dialog.getByText('Version 3 is in force everywhere').waitFor()
  const { document } = await call('ProgrammeService/GetProgramme', {})
  const ended = JSON.parse(String(document)).benefits.find(
    (one: { benefitId: string }) => one.benefitId === 'newsletter-5',
  )
  t.match(ended.validUntil, /^2030-01-01T00:00:00[+-]/)

  await go('/benefits?do=new')
  await dialog.getByRole('button', { name: 'Win back' }).waitFor()
  t.same(await faults(), [], 'templates')
  await dialog.getByRole('button', { name: 'Win back' }).click()
  await page.getByText(/^\d faults: it cannot be published yet/).waitFor()
  t.match(page.url(), /\/programme\/draft\?part=benefits&entry=24&draftId=/)
  await go('/benefits/mug-19')
  await page.getByRole('button', { name: 'Duplicate' }).click()
  await page.waitForURL(/entry=25&draftId=/)
  t.same(complaints, [])

  // Members are counted with the sums, some seconds later.
  await until(
    async () => (await call('ReportService/ReportTopMembers', { benefitId: 'bakery-10' }))['members'],
    (members) => members !== undefined,
  )
  const support = await console.as('support')
  await support.go('/benefits/bakery-10')
  await support.page.getByRole('link', { name: 'm-anna' }).waitFor()
  t.equal(await support.page.getByRole('button', { name: 'Pause …' }).count(), 0, 'support changes no benefit')
})
