import { once } from 'node:events'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Page } from 'playwright-core'
import t, { type Test } from 'tap'
import { request } from 'undici'
import { startPostgres } from '../support/servers/start-postgres.js'
import { startRedis } from '../support/servers/start-redis.js'
import { type OpenidProvider, startOpenidProvider } from '../support/start-openid-provider.js'
import { until } from '../support/until.js'
import { aBrowser, aPage, faultsOf } from './console-browser.js'
import { type RunningService, startService, unhurried } from './service.js'

const admin = 'admin-token-of-the-openid-test'
const secret = 'secret-of-the-openid-test'

t.setTimeout(300_000)

/** One address for several gateways: each request goes to the next one. */
interface Balancer {
  readonly url: string
  /** Requests below /console/session and of services, by gateway. */
  readonly served: number[]
  readonly gateways: string[]
  stop(): Promise<void>
}

async function startBalancer(): Promise<Balancer> {
  const served: number[] = []
  const gateways: string[] = []
  let turn = 0
  const server = http.createServer((incoming, outgoing) => {
    const at = turn++ % gateways.length
    if (incoming.headers['x-loyalty-console'] !== undefined) served[at] = (served[at] ?? 0) + 1
    const { method, headers, url } = incoming
    const forwarded = http.request(gateways[at] + url!, { method: method!, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode!, answer.headers)
      answer.pipe(outgoing)
    })
    forwarded.on('error', () => outgoing.destroy())
    outgoing.on('close', () => forwarded.destroy())
    incoming.pipe(forwarded)
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    served,
    gateways,
    async stop() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

interface Started {
  readonly provider: OpenidProvider
  readonly balancer: Balancer
  readonly services: readonly RunningService[]
}

/** Two gateways on one ledger behind one address, one of them of two processes, and a provider on another site. */
async function start(): Promise<Started> {
  const balancer = await startBalancer()
  const provider = await startOpenidProvider({
    ...{ redirectUri: `${balancer.url}/console/oidc/callback`, clientId: 'console', clientSecret: 'of the console' },
    ...{ groups: { anna: ['everyone', 'helpdesk'], gus: ['everyone'] }, claimsIn: 'userinfo' },
  })
  const [postgres, redis] = await Promise.all([startPostgres(), startRedis()])
  const env = {
    ...unhurried,
    DATABASE_URL: await postgres.createDatabase(),
    REDIS_URL: redis.url,
    LOYALTY_SECRETS: secret,
    LOYALTY_TOKENS: `admin:${admin}`,
    LOYALTY_OIDC_ISSUER: provider.issuer,
    LOYALTY_OIDC_CLIENT_ID: 'console',
    LOYALTY_OIDC_CLIENT_SECRET: 'of the console',
    LOYALTY_OIDC_BASE_URL: balancer.url,
    LOYALTY_OIDC_NAME: 'Head office',
    LOYALTY_OIDC_ROLES: 'support:helpdesk, admin:owners',
  }
  const first = await startService({ env: { ...env, LOYALTY_PROCESSES: '2' } })
  const services = [first, await startService({ env })]
  balancer.gateways.push(...services.map(({ internalUrl }) => internalUrl))
  t.teardown(async () => {
    await Promise.all(services.map((service) => service.stop()))
    await Promise.all([balancer.stop(), provider.stop(), postgres.stop(), redis.stop()])
  })
  return { provider, balancer, services }
}

/** Asks a gateway as the page does. */
async function ask(
  url: string,
  { method = 'GET', cookie = '', body }: { method?: string; cookie?: string; body?: object },
) {
  const answer = await request(`${url}/console/session`, {
    method: method as 'GET',
    headers: { 'x-loyalty-console': '1', origin: url, ...(cookie === '' ? {} : { cookie }) },
    body: body === undefined ? null : JSON.stringify(body),
  })
  const text = await answer.body.text()
  return {
    status: answer.statusCode,
    cookie: String(answer.headers['set-cookie']).split(';')[0]!,
    json: JSON.parse(text),
  }
}

const started = await start()
const [one, two] = started.services.map(({ internalUrl }) => internalUrl) as [string, string]
const browser = await aBrowser(t)
// The provider's page asks for fonts of another site.
await browser?.route('https://fonts.googleapis.com/**', (route) => route.abort())

t.test('a session of one gateway counts at the other, and a sign-out at either ends it at both', async (t) => {
  const { cookie } = await ask(one, { method: 'POST', body: { token: admin } })
  t.match((await ask(two, { cookie })).json, { role: 'admin' })
  // At once, so on connections of their own: the processes of a gateway take turns with them.
  for (const { json } of await Promise.all(Array.from({ length: 8 }, () => ask(one, { cookie })))) {
    t.match(json, { role: 'admin' })
  }
  await ask(two, { method: 'DELETE', cookie })
  t.equal((await ask(one, { cookie })).status, 401)
  t.equal((await ask(two, { cookie })).status, 401)
})

t.test('the link that one gateway prints signs in once, at any of them', async (t) => {
  for (const { output } of started.services) {
    const ticket = /^console on \S+#ticket=(\S+)/.exec(output.find((line) => line.startsWith('console on'))!)![1]!
    const replies = await Promise.all([one, two, one, two].map((url) => ask(url, { method: 'POST', body: { ticket } })))
    t.same(replies.map(({ status }) => status).sort(), [200, 401, 401, 401])
    const { cookie } = replies.find(({ status }) => status === 200)!
    for (const url of [one, two]) t.match((await ask(url, { cookie })).json, { role: 'admin' })
  }
})

t.test('a person signs in at the provider, works on two gateways, and signs out', async (t) => {
  if (browser === null) return
  const { balancer } = started
  const { page, complaints } = await aPage(browser)
  await page.goto(`${balancer.url}/console/members/m-anna`)
  await page.getByRole('heading', { name: 'Sign in' }).waitFor()
  t.same(await faultsOf(page), [], 'signing in')
  await atProvider(t, page, 'anna')
  await page.getByRole('heading', { name: 'Balances' }).waitFor()
  t.equal(page.url(), `${balancer.url}/console/members/m-anna`, 'on the screen that was asked for')
  const [cookie] = await browser.cookies(balancer.url)
  t.match(cookie, { name: 'loyalty_console', httpOnly: true, sameSite: 'Strict' })
  for (const path of ['/members', '/sales', '/limits']) await page.goto(`${balancer.url}/console${path}`)
  await page.getByText('anna@shop.example (anna)').click()
  t.ok(balancer.served.filter((count) => count > 1).length === 2, `both have answered: ${balancer.served}`)
  t.same(complaints, [], 'nothing that its policy refuses')
  await page.getByRole('button', { name: 'Sign out' }).click()
  await page.getByRole('heading', { name: 'Sign in' }).waitFor()
  const kept = `${cookie!.name}=${cookie!.value}`
  for (const url of [one, two]) t.equal((await ask(url, { cookie: kept })).status, 401)
  await page.getByLabel('Token').fill(admin)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await page.getByRole('heading', { name: 'Limits' }).waitFor()
  await page.close()
})

t.test('who has no role reads why, in both languages, and the log has the request id', async (t) => {
  if (browser === null) return
  const { balancer, services } = started
  await browser.clearCookies()
  const { page } = await aPage(browser)
  await page.goto(`${balancer.url}/console`)
  await atProvider(t, page, 'gus')
  await page.getByText('none of your groups has one').waitFor()
  await page.getByText('Groups seen: everyone').waitFor()
  t.equal(page.url(), `${balancer.url}/console`, 'nothing of it stays in the address')
  t.same(await faultsOf(page), [], 'a refused sign-in')
  const requestId = await page.getByRole('alert').getByRole('button').getAttribute('title')
  const logged = await until(
    () => services.flatMap(({ output }) => output).filter((line) => line.includes(`"requestId":"${requestId}"`)),
    (lines) => lines.length > 0,
  )
  t.match(
    logged.map((line) => JSON.parse(line)),
    [{ msg: 'sign-in', outcome: 'refused', code: 'no_role', groups: 1 }],
  )
  await page.evaluate("localStorage.setItem('loyalty-language', 'nb')")
  await page.getByRole('link', { name: 'Sign in with Head office' }).click()
  await page.getByText('Grupper som ble sendt: everyone').waitFor()
  await page.evaluate("localStorage.setItem('loyalty-language', 'en')")
  await page.close()
})

t.test('while the provider is down the page says so, and a token still signs in', async (t) => {
  await started.provider.stop()
  if (browser === null) return
  const { page } = await aPage(browser)
  await page.goto(`${started.balancer.url}/console`)
  await page.getByRole('link', { name: 'Sign in with Head office' }).click()
  await page.getByText('The provider does not answer').waitFor()
  await page.getByText('Request id').waitFor()
  await page.getByLabel('Token').fill(admin)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await page.getByRole('heading', { name: 'Today' }).waitFor()
  t.match(await browser.cookies(started.balancer.url), [{ name: 'loyalty_console' }])
})

/** From the console to the provider and back, as this person. */
async function atProvider(t: Test, page: Page, login: string): Promise<void> {
  await page.getByRole('link', { name: 'Sign in with Head office' }).click()
  await page.getByPlaceholder('Enter any login').fill(login)
  t.match(page.url(), started.provider.issuer)
  await page.getByPlaceholder('and password').fill('any')
  await page.getByRole('button').first().click()
  await page.getByRole('button', { name: 'Continue' }).click()
}
