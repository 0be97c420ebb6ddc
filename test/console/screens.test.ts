import t from 'tap'
import { hostileProgramme, hostileText } from './a-shop.js'
import { aShop, aVisitor } from './a-visitor.js'
import { type Look, laptop, lookAtAll, phone } from './looks.js'

t.setTimeout(900_000)

const narrow: Look = { viewport: phone, colorScheme: 'dark' }
const wide: Look = { viewport: laptop, colorScheme: 'light' }

const hostile = await aShop(t, hostileProgramme(), 60)

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
  for (const look of [narrow, wide]) {
    const visitor = await lookAtAll(t, hostile, look, '-hostile')
    t.equal(await visitor.page.evaluate('window.ran'), undefined)
  }
})

t.test('script shows as it was written', async (t) => {
  if (hostile === null) return
  const { page, visit } = await aVisitor(t, hostile, 'admin', wide)
  const routes = [
    ...['/calculations/$calculationId', '/members/$memberId', '/limits/$openId', '/reports'],
    ...['/benefits/$benefitId', '/system/venues/$venueId', '/system/audit/$auditId', '/today'],
  ]
  for (const { path } of hostile.screens.filter(({ route }) => routes.includes(route))) {
    await visit(path)
    t.match(await page.locator('main').innerText(), hostileText.trim(), path)
  }
})
