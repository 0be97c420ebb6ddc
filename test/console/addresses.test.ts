import t from 'tap'
import { axeFaults } from './a-console.js'
import { hostileText, sampleProgramme } from './a-shop.js'
import { aShop, aVisitor } from './a-visitor.js'
import { layoutFaults } from './screen-faults.js'

t.setTimeout(400_000)

const shop = await aShop(t, sampleProgramme(), 5)
const script = encodeURIComponent(`<script>window.ran=1</script>${hostileText}`)
const long = 'a'.repeat(3_000)
const object = encodeURIComponent(JSON.stringify({ a: [1, { b: null }] }))

/** Addresses that no click leads to. */
const addresses = [
  ...['/calculations', '/members', '/sales', '/limits', '/programme', '/benefits'],
  ...['/system/venues', '/system/audit', '/system/webhooks'],
].flatMap((area) =>
  [script, '%00', '%E0%A4%A', long, '..%2f..%2fetc', '__proto__', '-1', '1e99'].map((id) => `${area}/${id}`),
)

const searches = [
  `/calculations?venueId=${object}&state=${script}&status=%00&memberId=7&loyaltyId=true`,
  `/sales?discrepancy=${script}&status=${object}&venueId=${long}`,
  `/limits?limitId=${object}&who=${script}&subject=1&period=null`,
  `/limits/beans-budget?subject=${script}&period=${object}`,
  `/reports?from=2026-13-45&until=${script}&venueId=${object}`,
  '/reports?from=9999-12-31&until=0001-01-01',
  `/programme/1?base=${script}`,
  '/programme/1?base=99999999999999999999',
  `/programme/draft?part=__proto__&entry=1e9`,
  `/programme/draft?part=${script}&entry=-1`,
  `/system/audit?kind=${script}&subject=${object}`,
  `/system/webhooks?state=${script}`,
  '/today?__proto__[polluted]=1&constructor.prototype.polluted=1',
  `/${script}`,
  '//evil.example/today',
  '/today/%252e%252e/%252e%252e',
  `/today#ticket=${script}`,
  `/today#fault=${script}&request=${script}&group=${script}`,
]

t.test('an address that names nothing gives a calm page', async (t) => {
  if (shop === null) return
  const { page, complaints } = await aVisitor(t, shop, 'admin', { viewport: { width: 360, height: 780 } })
  for (const address of [...addresses, ...searches]) {
    const name = address.slice(0, 80)
    await page.goto(`${shop.service.internalUrl}/console${address}`)
    await page.getByRole('button', { name: 'Menu' }).waitFor()
    await page.locator('main').getByText(/\S/).first().waitFor()
    const loading = page.locator('main').getByText('Loading', { exact: true })
    await loading.first().waitFor({ state: 'detached' })
    // Looked-up content comes after the heading of its area.
    const shown = async () => (await page.locator('main').innerText()).trim()
    for (let tries = 0; tries < 100 && (await shown()).length <= 5; tries += 1) await page.waitForTimeout(100)
    t.ok((await shown()).length > 5, `${name} shows something`)
    t.same(await layoutFaults(page), [], `${name} fits`)
    t.equal(await page.locator('img, main script').count(), 0, `${name} makes no element`)
    const others = complaints().filter((text) => !/status of (400|404)/.test(text))
    t.same(others, [], `${name} fails nowhere`)
  }
  t.same(await axeFaults(page), [])
  t.same(await page.evaluate('[window.ran, ({}).polluted]'), [undefined, undefined])
  t.match(page.url(), shop.service.internalUrl)
})
