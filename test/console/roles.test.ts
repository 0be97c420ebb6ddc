import t from 'tap'
import { axeFaults } from './a-console.js'
import { sampleProgramme } from './a-shop.js'
import { aShop, aVisitor, roles, type Visitor } from './a-visitor.js'
import { laptop } from './looks.js'

t.setTimeout(900_000)

const shop = await aShop(t, sampleProgramme(), 60)
const look = { viewport: laptop, colorScheme: 'light' }

t.test('every role sees every screen, and may make no call that is not its own', async (t) => {
  if (shop === null) return
  const all = (await callsOf(shop.page)).toSorted()
  for (const role of roles) {
    const visitor = await aVisitor(t, shop, role, look)
    const own = new Set(await callsOf(visitor.page))
    for (const name of all.filter((call) => !own.has(call))) {
      t.equal(await statusOf(visitor, name), 403, `${role}: ${name}`)
    }
    for (const { path, isDraft } of shop.screens) {
      await visitor.visit(path)
      if (isDraft !== true) t.same(await alertsOf(visitor), [], `${role}: ${path}`)
      t.same(await axeFaults(visitor.page), [], `axe as ${role} on ${path}`)
    }
    t.same(
      visitor.complaints().filter((text) => !/status of 403/.test(text)),
      [],
      `${role}: complaints`,
    )
  }
  const nobody = await aVisitor(t, shop, 'reader', look)
  await nobody.page.context().clearCookies()
  for (const name of all) t.equal(await statusOf(nobody, name), 401, `nobody: ${name}`)
})

/** Errors on the screen; none where it names the roles that may see it. */
async function alertsOf({ page }: Visitor): Promise<readonly string[]> {
  const shown = await page.locator('main [role=alert]').allInnerTexts()
  return shown.filter((text) => !/It takes the role .+; yours is /.test(text))
}

async function callsOf(page: Visitor['page']): Promise<string[]> {
  return (await inPage(page, 'AccessService/GetAccess')).answer.calls
}

async function statusOf({ page }: Visitor, name: string): Promise<number> {
  return (await inPage(page, name)).status
}

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
